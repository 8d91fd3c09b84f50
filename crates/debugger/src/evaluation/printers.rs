//! Types that are printed by a function of the program itself: `type = function` lines in a file of the user's.
//!
//! ```text
//! # what stands before the sign may be a glob
//! struct point = point_to_string
//! my::Widget* = widget_debug_text
//! ```
//! The function gets the object's address and returns a C string. Rust's `Debug` needs no rule: `set print debug on`.

use std::path::PathBuf;

use crate::set::glob_matches;

/// The rules, in the order of the files.
#[derive(Default)]
pub(crate) struct Printers {
    rules: Vec<(String, String)>,
}

impl Printers {
    /// Reads the files that exist; lines that are no rule are passed over.
    pub fn read(files: &[PathBuf]) -> Printers {
        let mut rules = Vec::new();
        for text in files
            .iter()
            .filter_map(|file| std::fs::read_to_string(file).ok())
        {
            rules.extend(text.lines().filter_map(rule));
        }
        Printers { rules }
    }

    /// The function for a type.
    pub fn function(&self, type_name: &str) -> Option<&str> {
        let plain = type_name
            .trim_start_matches("struct ")
            .trim_start_matches("class ");
        let matches = |pattern: &str| {
            let pattern = pattern
                .trim_start_matches("struct ")
                .trim_start_matches("class ");
            glob_matches(pattern, plain)
        };
        self.rules
            .iter()
            .find(|(pattern, _)| matches(pattern))
            .map(|(_, function)| function.as_str())
    }
}

fn rule(line: &str) -> Option<(String, String)> {
    let line = line.trim();
    if line.starts_with('#') || line.starts_with('[') {
        return None;
    }
    let (pattern, function) = line.split_once('=')?;
    let clean = |text: &str| text.trim().trim_matches('"').to_owned();
    let (pattern, function) = (clean(pattern), clean(function));
    (!pattern.is_empty() && !function.is_empty()).then_some((pattern, function))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_and_found() {
        let lines = [
            "# comment",
            "struct point = point_text",
            "\"ns::W*\" = w_text",
            "nonsense",
        ];
        let printers = Printers {
            rules: lines.iter().filter_map(|line| rule(line)).collect(),
        };
        assert_eq!(printers.function("point"), Some("point_text"));
        assert_eq!(printers.function("struct point"), Some("point_text"));
        assert_eq!(printers.function("ns::Widget<int>"), Some("w_text"));
        assert_eq!(printers.function("int"), None);
    }
}
