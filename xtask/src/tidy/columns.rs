//! How wide lines are: a line that does not fit is read by nobody.
//!
//! rustfmt breaks code but no comments, so lines are counted here. What stands in a string does not count: a message
//! in one piece is found by whoever searches for it.

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
        let lines = wide_lines(text).into_iter();
        of_crate.extend(lines.map(|line| format!("{name}:{line}")));
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

/// Where a letter stands.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Code,
    Comment,
    String,
    /// With so many signs after its closing quote.
    RawString(usize),
}

/// The numbers of the lines that are too wide.
fn wide_lines(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut place = Place::Code;
    for (line, number) in text.lines().zip(1..) {
        let width;
        (width, place) = read(line, place);
        if width > COLUMNS {
            found.push(number);
        }
    }
    found
}

/// The letters of a line that do not stand in a string, and where the next line begins.
fn read(line: &str, mut place: Place) -> (usize, Place) {
    let letters: Vec<char> = line.chars().collect();
    let mut width = 0;
    let mut at = 0;
    while at < letters.len() {
        let rest = &letters[at..];
        let (taken, counted, next) = step(rest, place);
        width += counted;
        place = next;
        at += taken;
    }
    // A comment ends with its line.
    let next = if place == Place::Comment {
        Place::Code
    } else {
        place
    };
    (width, next)
}

/// Letters taken, how many of them count, and where the next one stands.
fn step(rest: &[char], place: Place) -> (usize, usize, Place) {
    match (place, rest) {
        (Place::Comment, _) => (1, 1, place),
        (Place::Code, ['/', '/', ..]) => (2, 2, Place::Comment),
        (Place::Code, ['\'', '\\', _, '\'', ..]) => (4, 4, place),
        (Place::Code, ['\'', _, '\'', ..]) => (3, 3, place),
        (Place::Code, ['r', '"', ..]) => (2, 2, Place::RawString(0)),
        (Place::Code, ['r', '#', tail @ ..]) => {
            let signs = 1 + tail.iter().take_while(|letter| **letter == '#').count();
            match rest.get(1 + signs) {
                Some('"') => (2 + signs, 2 + signs, Place::RawString(signs)),
                _ => (1, 1, place),
            }
        }
        (Place::Code, ['"', ..]) => (1, 1, Place::String),
        (Place::Code, _) => (1, 1, place),
        (Place::String, ['\\', _, ..]) => (2, 0, place),
        (Place::String, ['"', ..]) => (1, 1, Place::Code),
        (Place::String, _) => (1, 0, place),
        (Place::RawString(signs), ['"', tail @ ..])
            if tail.iter().take_while(|letter| **letter == '#').count() >= signs =>
        {
            (1 + signs, 1 + signs, Place::Code)
        }
        (Place::RawString(_), _) => (1, 0, place),
    }
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

    #[test]
    fn strings_do_not_count_and_comments_do() {
        let long = "a ".repeat(COLUMNS);
        assert!(wide_lines(&format!("f(\"{long}\\\" // {long}\");\n")).is_empty());
        assert!(wide_lines(&format!("f(r#\"{long}\" {long}\"#);\n")).is_empty());
        assert_eq!(wide_lines(&format!("f(\"a\"); // {long}\n")), [1]);
        assert_eq!(wide_lines(&format!("// \"{long}\n")), [1]);
    }

    #[test]
    fn a_string_of_several_lines_ends_where_it_ends() {
        let long = "a ".repeat(COLUMNS);
        let text = format!("f(\"one \\\n  {long}\n two\");\n// {long}\n");
        assert_eq!(wide_lines(&text), [4]);
    }

    #[test]
    fn a_quote_as_a_letter_opens_no_string() {
        let long = "a ".repeat(COLUMNS);
        assert_eq!(wide_lines(&format!("f('\"', '\\'', {long});\n")), [1]);
        assert_eq!(wide_lines(&format!("f::<'a>({long});\n")), [1]);
    }
}
