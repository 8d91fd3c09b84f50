//! How long files and functions are, crate by crate: one idea a file, one thought a function.
//!
//! Nine of ten are held to a limit, and each crate by itself, so that a crate of short files does not hide
//! one of long files. A single long file is fine where its idea is long; only the absolute limit is for all.

use std::collections::BTreeMap;

use super::figures::Figures;
use super::functions;

/// No file is longer.
const MOST_LINES: usize = 1000;
/// Nine files of ten of a crate are not longer, nor nine functions of ten.
const COMMON: Limits = Limits {
    file: 400,
    function: 50,
};
/// Crates that are not there yet: what they have today may only shrink.
const RATCHETS: &[(&str, Limits)] = &[
    (
        "runtime",
        Limits {
            file: 540,
            function: 50,
        },
    ),
    (
        "runtime-abi",
        Limits {
            file: 450,
            function: 50,
        },
    ),
];

/// What nine of ten do not exceed.
#[derive(Clone, Copy)]
struct Limits {
    file: usize,
    function: usize,
}

/// The lengths of one crate.
#[derive(Default)]
struct Lengths {
    files: Vec<usize>,
    functions: Vec<usize>,
}

/// Complaints about `files`, given as crate, name and text; their lengths become figures.
pub fn violations(files: &[(String, String, String)], figures: &mut Figures) -> Vec<String> {
    let mut found = Vec::new();
    let mut crates: BTreeMap<&str, Lengths> = BTreeMap::new();
    for (owner, name, text) in files {
        let lines = text.lines().count();
        if lines > MOST_LINES {
            found.push(format!(
                "{name} has {lines} lines; {MOST_LINES} is the most"
            ));
        }
        let lengths = crates.entry(owner).or_default();
        lengths.files.push(lines);
        lengths.functions.extend(functions::lengths(text));
    }
    for (owner, lengths) in &mut crates {
        lengths.files.sort_unstable();
        lengths.functions.sort_unstable();
        found.extend(too_long(owner, lengths));
        figures.add(&format!("{owner}: files"), row(&lengths.files));
        figures.add(&format!("{owner}: functions"), row(&lengths.functions));
    }
    found
}

fn too_long(owner: &str, lengths: &Lengths) -> Vec<String> {
    let own = RATCHETS.iter().find(|(name, _)| *name == owner);
    let limits = own.map_or(COMMON, |(_, limits)| *limits);
    let kinds = [
        ("files", p90(&lengths.files), limits.file),
        ("functions", p90(&lengths.functions), limits.function),
    ];
    kinds
        .iter()
        .filter(|(_, lines, limit)| lines > limit)
        .map(|(kind, lines, limit)| {
            format!("{owner}: one of ten {kind} has more than {lines} lines; {limit} is the limit")
        })
        .collect()
}

/// `53, median 120, p90 306, longest 375 lines`
fn row(sorted: &[usize]) -> String {
    format!(
        "{:>4}, median {:>3}, p90 {:>3}, longest {:>3} lines",
        sorted.len(),
        sorted.get(sorted.len() / 2).copied().unwrap_or_default(),
        p90(sorted),
        sorted.last().copied().unwrap_or_default(),
    )
}

/// What nine of ten do not exceed, of sorted lengths.
fn p90(sorted: &[usize]) -> usize {
    let rank = (sorted.len() * 9).div_ceil(10);
    sorted
        .get(rank.saturating_sub(1))
        .copied()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(owner: &str, lengths: &[usize]) -> Vec<(String, String, String)> {
        let file = |lines: &usize| {
            (
                owner.to_string(),
                "file.rs".to_string(),
                "\n".repeat(*lines),
            )
        };
        lengths.iter().map(file).collect()
    }

    fn complaints(files: &[(String, String, String)]) -> usize {
        violations(files, &mut Figures::default()).len()
    }

    #[test]
    fn the_ninetieth_percentile_is_the_ninth_of_ten() {
        assert_eq!(p90(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), 9);
        assert_eq!(p90(&[]), 0);
    }

    #[test]
    fn one_long_file_is_fine_a_longer_one_is_not() {
        let mut lengths = [100; 20];
        lengths[0] = MOST_LINES;
        assert_eq!(complaints(&files("trace", &lengths)), 0);
        lengths[0] += 1;
        assert_eq!(complaints(&files("trace", &lengths)), 1);
    }

    #[test]
    fn short_files_of_one_crate_do_not_hide_long_ones_of_another() {
        let mut both = files("trace", &[10; 90]);
        both.extend(files("replay", &[100, 100, 450, 450]));
        assert_eq!(complaints(&both), 1);
    }

    #[test]
    fn long_functions_are_counted() {
        let function = format!("fn f() {{\n{}}}\n", "    g();\n".repeat(60));
        let file = ("trace".to_string(), "file.rs".to_string(), function);
        assert_eq!(complaints(&[file]), 1);
    }

    #[test]
    fn the_figures_tell_each_crate() {
        let mut figures = Figures::default();
        violations(&files("trace", &[1, 2, 3]), &mut figures);
        assert!(
            figures.text().contains("median   2, p90   3, longest   3"),
            "{}",
            figures.text()
        );
    }
}
