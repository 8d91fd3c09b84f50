//! How wide lines are: a line that does not fit is read by nobody.
//!
//! rustfmt breaks code, but neither comments nor strings, so lines are counted here.

use std::collections::BTreeMap;

use super::figures::Figures;

/// The most characters of a line.
const COLUMNS: usize = 100;
/// Lines of a crate that may be wider today: the numbers may only shrink.
const RATCHETS: &[(&str, usize)] = &[
    ("agent", 112),
    ("backend", 60),
    ("cli", 96),
    ("commands", 129),
    ("debugger", 187),
    ("entrance", 56),
    ("expression", 26),
    ("interleave", 23),
    ("predicate", 13),
    ("protocol", 34),
    ("ptrace", 91),
    ("recorder", 69),
    ("repl", 16),
    ("replay", 76),
    ("runtime", 330),
    ("runtime-abi", 91),
    ("runtime-so", 51),
    ("sites", 19),
    ("symbols", 30),
    ("sync", 38),
    ("test-kit", 61),
    ("trace", 50),
    ("xtask", 72),
];

/// Complaints about `files`, given as crate, name and text; the number of wide lines becomes a figure.
pub fn violations(files: &[(String, String, String)], figures: &mut Figures) -> Vec<String> {
    held(files, RATCHETS, figures)
}

fn held(
    files: &[(String, String, String)],
    ratchets: &[(&str, usize)],
    figures: &mut Figures,
) -> Vec<String> {
    let mut wide: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (owner, name, text) in files {
        let of_crate = wide.entry(owner).or_default();
        of_crate.extend(wide_lines(text).map(|line| format!("{name}:{line}")));
    }
    figures.add(
        &format!("lines of more than {COLUMNS} columns"),
        wide.values().map(Vec::len).sum::<usize>(),
    );
    let mut found = Vec::new();
    for (owner, places) in wide {
        let ratchet = ratchets.iter().find(|(name, _)| *name == owner);
        let most = ratchet.map_or(0, |(_, most)| *most);
        if places.len() > most {
            found.push(format!(
                "{owner}: {} lines have more than {COLUMNS} columns; {most} is the limit; the last is {}",
                places.len(),
                places.last().map_or("", String::as_str),
            ));
        }
    }
    found
}

/// The numbers of the lines that are too wide.
fn wide_lines(text: &str) -> impl Iterator<Item = usize> {
    let lines = text.lines().zip(1..);
    lines.filter_map(|(line, number)| (line.chars().count() > COLUMNS).then_some(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(widths: &[usize]) -> [(String, String, String); 1] {
        let lines = widths.iter().map(|width| "ä".repeat(*width) + "\n");
        [("trace".into(), "file.rs".into(), lines.collect())]
    }

    fn complaints(widths: &[usize], most: usize) -> Vec<String> {
        held(&file(widths), &[("trace", most)], &mut Figures::default())
    }

    #[test]
    fn characters_count_and_not_bytes() {
        assert!(complaints(&[10, COLUMNS], 0).is_empty());
    }

    #[test]
    fn a_wide_line_is_found_with_its_place() {
        let found = complaints(&[10, COLUMNS + 1], 0);
        assert!(found[0].ends_with("file.rs:2"), "{found:?}");
    }

    #[test]
    fn a_ratchet_holds() {
        assert!(complaints(&[COLUMNS + 1], 1).is_empty());
        assert_eq!(complaints(&[COLUMNS + 1; 2], 1).len(), 1);
    }
}
