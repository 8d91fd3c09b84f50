//! What no text in the tree may contain, and what some must.

/// Notes to oneself, spelled in halves so that this file does not contain them.
const NOTES: &[&str] = &[
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X:"),
    concat!("todo", "!("),
];

/// Commands that the README must name.
const README_COMMANDS: &[&str] = &["cargo run --release -- demo", "cargo x test"];

/// Complaints about one text file.
pub fn violations(name: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for note in NOTES {
            if line.contains(note) {
                found.push(format!(
                    "{name}:{}: '{note}': do it or leave it out",
                    index + 1
                ));
            }
        }
        if line.ends_with([' ', '\t']) {
            found.push(format!(
                "{name}:{}: blanks at the end of the line",
                index + 1
            ));
        }
    }
    if !text.is_empty() && !text.ends_with('\n') {
        found.push(format!("{name}: no line end at the end of the file"));
    }
    found
}

/// Complaints about the README.
pub fn readme_violations(text: &str) -> Vec<String> {
    README_COMMANDS
        .iter()
        .filter(|command| !text.contains(**command))
        .map(|command| format!("README.md does not name `{command}`"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_found_with_its_line() {
        let text = format!("fine\n// {}\n", NOTES[0]);
        assert_eq!(violations("a.rs", &text).len(), 1);
        assert!(violations("a.rs", &text)[0].starts_with("a.rs:2:"));
    }

    #[test]
    fn a_readme_without_its_commands_is_found() {
        assert_eq!(readme_violations("nothing").len(), 2);
    }
}
