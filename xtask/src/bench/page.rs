//! The page `docs/benchmarks.md`, made from the runs that are kept in `docs/benchmarks.json`.
//!
//! `cargo x bench NAME --write` adds its run to the data and makes the page anew. A figure is shown as the range over
//! the runs that are kept, so that one busy hour of a machine does not change what the page says.

use super::report::{Bar, Line};
use crate::failure::{At, Failure, failure};
use crate::workspace;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

/// Runs of a figure that are kept; the oldest gives way.
const MOST_RUNS: usize = 20;

const INTRODUCTION: &str = "\
# Benchmarks

This page is made by `cargo x bench NAME --write` from the runs that `docs/benchmarks.json` keeps; don't edit it by hand.
A run measures plain and recorded (or gdb and Wayfarer) by turns, drops the first pair, and takes the median of the
others. The tables show the lowest and the highest of these medians over all runs that are kept, on virtual machines
with two processors that others use, too. Of the runs from before `--write` existed only the lowest and the highest
figures are kept. A bar is what we hold ourselves to; a miss is printed and is not an error.
";

/// The benchmarks in the order of the page: name, heading, the two things that are compared.
const SECTIONS: &[(&str, &str, &str, &str)] = &[
    ("record", "What recording costs", "Plain", "Recorded"),
    (
        "locks",
        "What recording costs threads in parallel",
        "Plain",
        "Recorded",
    ),
    ("debugger", "The debugger against gdb", "gdb", "Wayfarer"),
];

const REMARKS: &str = "
## Remarks

- Two threads on one lock take less time recorded than plain, because a taken lock is looked at a few times before the
  kernel is asked. The replay is measured against the recorded run, and so against the shorter time.
- `--threads auto` records memcached serially. Its figure is the median over 40 pairs of servers: two plain servers
  differ by up to ten percent, by where their memory lies.
- redis with four io-threads, which spin, was measured by hand on two processors, with 2,000 and 50,000 commands of
  redis-benchmark: recorded it took 0.3 to 0.8 of its plain time, and a replay 0.3 to 0.4.
";

/// Adds a run to the data and makes the page anew.
pub fn write(benchmark: &str, lines: &[Line]) -> Result<(), Failure> {
    let path = file("benchmarks.json");
    let text = fs::read_to_string(&path).at("reading", &path)?;
    let mut data: Value = serde_json::from_str(&text)
        .map_err(|error| failure(format!("{}: {error}", path.display())))?;
    for line in lines {
        add(&mut data[benchmark], line);
    }
    let kept = serde_json::to_string_pretty(&data)
        .map_err(|error| failure(format!("{}: {error}", path.display())))?;
    fs::write(&path, kept + "\n").at("writing", &path)?;
    let page = file("benchmarks.md");
    fs::write(&page, render(&data)).at("writing", &page)
}

fn file(name: &str) -> PathBuf {
    workspace::root().join("docs").join(name)
}

/// Adds one line of a run to the figures of its benchmark.
fn add(figures: &mut Value, line: &Line) {
    if !figures.is_array() {
        *figures = json!([]);
    }
    let Value::Array(figures) = figures else {
        return;
    };
    let known = figures
        .iter()
        .position(|figure| figure["key"] == json!(line.key));
    let index = known.unwrap_or_else(|| {
        figures.push(json!({"key": line.key}));
        figures.len() - 1
    });
    let figure = &mut figures[index];
    figure["what"] = json!(line.what);
    figure["unit"] = json!(line.unit);
    if let Bar::AtLeast(bar) = line.bar {
        figure["at_least"] = json!(bar);
    }
    if let Bar::AtMost(bar) = line.bar {
        figure["at_most"] = json!(bar);
    }
    keep(&mut figure["plain"], line.plain);
    keep(&mut figure["recorded"], line.recorded);
    keep(&mut figure["values"], Some(line.value));
}

fn keep(values: &mut Value, value: Option<f64>) {
    if !values.is_array() {
        *values = json!([]);
    }
    if let (Value::Array(values), Some(value)) = (values, value) {
        values.push(json!(value));
        let surplus = values.len().saturating_sub(MOST_RUNS);
        values.drain(..surplus);
    }
}

/// The page.
fn render(data: &Value) -> String {
    let mut page = String::from(INTRODUCTION);
    for (name, heading, before, after) in SECTIONS {
        page += &format!("\n## {heading}\n\nMade by `cargo x bench {name} --write`.\n\n");
        page += &format!("| What | {before} | {after} | Measured | Bar | Runs |\n");
        page += "| --- | --- | --- | --- | --- | --- |\n";
        for figure in data[name].as_array().into_iter().flatten() {
            page += &row(figure);
        }
    }
    page + REMARKS
}

fn row(figure: &Value) -> String {
    let text = |key: &str| figure[key].as_str().unwrap_or_default();
    let measured = format!("{} {}", range(&figure["values"]), text("unit"));
    format!(
        "| {} | {} | {} | {} | {} | {} |\n",
        text("what"),
        range(&figure["plain"]),
        range(&figure["recorded"]),
        measured.trim_end(),
        bar(figure),
        figure["values"].as_array().map_or(0, Vec::len),
    )
}

fn bar(figure: &Value) -> String {
    let side = |key: &str, sign: &str| {
        let bar = figure[key].as_f64()?;
        Some(format!("{sign} {}", number(bar)))
    };
    side("at_least", "≥")
        .or_else(|| side("at_most", "≤"))
        .unwrap_or_else(|| "–".into())
}

/// `0.94 to 0.98`, one number where both ends are the same, a dash where there is none.
fn range(values: &Value) -> String {
    let values: Vec<f64> = values
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_f64)
        .collect();
    let lowest = values.iter().copied().reduce(f64::min).map(number);
    let highest = values.iter().copied().reduce(f64::max).map(number);
    match (lowest, highest) {
        (Some(lowest), Some(highest)) if lowest == highest => lowest,
        (Some(lowest), Some(highest)) => format!("{lowest} to {highest}"),
        _ => "–".into(),
    }
}

/// As many digits as matter, and no noughts after them.
fn number(value: f64) -> String {
    let text = match value.abs() {
        size if size >= 100.0 => return format!("{value:.0}").replace('-', "−"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    };
    let short = text.trim_end_matches('0').trim_end_matches('.');
    match short {
        "-0" => "0".into(),
        short => short.replace('-', "−"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(value: f64) -> Line {
        Line {
            key: "pair",
            what: "a pair",
            unit: "ns",
            plain: Some(10.0),
            recorded: None,
            value,
            bar: Bar::AtMost(3.0),
        }
    }

    #[test]
    fn a_run_widens_the_range() {
        let mut figures = Value::Null;
        add(&mut figures, &line(1.5));
        assert_eq!(row(&figures[0]), "| a pair | 10 | – | 1.5 ns | ≤ 3 | 1 |\n");
        add(&mut figures, &line(-0.25));
        assert_eq!(
            row(&figures[0]),
            "| a pair | 10 | – | −0.25 to 1.5 ns | ≤ 3 | 2 |\n"
        );
    }

    #[test]
    fn the_oldest_run_gives_way() {
        let mut figures = Value::Null;
        add(&mut figures, &line(99.0));
        for _ in 0..MOST_RUNS {
            add(&mut figures, &line(1.0));
        }
        assert_eq!(range(&figures[0]["values"]), "1");
    }

    #[test]
    fn the_page_shows_the_data_that_is_kept() {
        let data = fs::read_to_string(file("benchmarks.json")).unwrap();
        let page = fs::read_to_string(file("benchmarks.md")).unwrap();
        assert_eq!(
            render(&serde_json::from_str(&data).unwrap()),
            page,
            "docs/benchmarks.md is not what docs/benchmarks.json gives"
        );
    }
}
