//! The table that a benchmark prints.

use super::page;
use crate::failure::Failure;
use serde_json::{Value, json};

/// A bar, and on which side of it the number should lie.
#[derive(Clone, Copy)]
pub enum Bar {
    AtLeast(f64),
    AtMost(f64),
    /// Printed for information only.
    None,
}

/// One number with what it was taken from.
pub struct Line {
    /// A stable key for programs that read the JSON.
    pub key: &'static str,
    pub what: &'static str,
    pub unit: &'static str,
    /// Without recording; of gdb where the debugger is measured.
    pub plain: Option<f64>,
    /// With recording; of Wayfarer where the debugger is measured.
    pub recorded: Option<f64>,
    pub value: f64,
    pub bar: Bar,
}

impl Line {
    fn verdict(&self) -> &'static str {
        let good = match self.bar {
            Bar::AtLeast(bar) => self.value >= bar,
            Bar::AtMost(bar) => self.value <= bar,
            Bar::None => return "",
        };
        if good { "ok" } else { "MISS" }
    }

    fn bar_text(&self) -> String {
        match self.bar {
            Bar::AtLeast(bar) => format!(">= {bar}"),
            Bar::AtMost(bar) => format!("<= {bar}"),
            Bar::None => String::new(),
        }
    }

    fn json(&self) -> Value {
        let (at_least, at_most) = match self.bar {
            Bar::AtLeast(bar) => (Some(bar), None),
            Bar::AtMost(bar) => (None, Some(bar)),
            Bar::None => (None, None),
        };
        json!({
            "key": self.key,
            "what": self.what,
            "unit": self.unit,
            "plain": self.plain,
            "recorded": self.recorded,
            "value": self.value,
            "at_least": at_least,
            "at_most": at_most,
            "ok": match self.verdict() { "" => None, verdict => Some(verdict == "ok") },
        })
    }
}

pub struct Report {
    benchmark: &'static str,
    json: bool,
    /// Whether the run is kept, and docs/benchmarks.md made anew.
    write: bool,
    lines: Vec<Line>,
}

impl Report {
    pub fn new(benchmark: &'static str, json: bool, write: bool) -> Report {
        if !json {
            let (before, after) = match benchmark {
                "debugger" => ("gdb", "wayfarer"),
                _ => ("plain", "recorded"),
            };
            print_cells("what", before, after, "value", "bar", "");
        }
        Report {
            benchmark,
            json,
            write,
            lines: Vec::new(),
        }
    }

    /// Takes the lines and, for a person, prints them at once: the whole takes minutes.
    pub fn add_all(&mut self, lines: Vec<Line>) {
        if !self.json {
            for line in &lines {
                let optional = |value: Option<f64>| value.map(number).unwrap_or_default();
                print_cells(
                    line.what,
                    &optional(line.plain),
                    &optional(line.recorded),
                    &format!("{} {}", number(line.value), line.unit),
                    &line.bar_text(),
                    line.verdict(),
                );
            }
        }
        self.lines.extend(lines);
    }

    /// Prints the JSON, and keeps the run, where that is asked for.
    pub fn finish(self) -> Result<(), Failure> {
        if self.json {
            let lines: Vec<Value> = self.lines.iter().map(Line::json).collect();
            println!("{}", json!({"benchmark": self.benchmark, "lines": lines}));
        }
        if self.write {
            page::write(self.benchmark, &self.lines)?;
        }
        Ok(())
    }
}

fn print_cells(what: &str, plain: &str, recorded: &str, value: &str, bar: &str, verdict: &str) {
    let line = format!("{what:<52} {plain:>10} {recorded:>10} {value:>14}  {bar:<8} {verdict}");
    println!("{}", line.trim_end());
}

/// Three or four digits that matter.
fn number(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(value: f64, bar: Bar) -> Line {
        Line {
            key: "k",
            what: "w",
            unit: "",
            plain: None,
            recorded: None,
            value,
            bar,
        }
    }

    #[test]
    fn a_bar_has_a_side() {
        assert_eq!(line(0.96, Bar::AtLeast(0.95)).verdict(), "ok");
        assert_eq!(line(0.94, Bar::AtLeast(0.95)).verdict(), "MISS");
        assert_eq!(line(12.5, Bar::AtMost(12.0)).verdict(), "MISS");
        assert_eq!(line(1.0, Bar::None).verdict(), "");
    }

    #[test]
    fn a_number_that_is_none_is_a_miss() {
        assert_eq!(line(f64::NAN, Bar::AtMost(1.0)).verdict(), "MISS");
    }
}
