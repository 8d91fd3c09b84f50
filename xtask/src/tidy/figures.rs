//! What tidy prints about the tree when it is done: one figure a line, which any rule may add.

use std::fmt::Display;

/// Figures in the order in which they were added.
#[derive(Default)]
pub struct Figures {
    lines: Vec<(String, String)>,
}

impl Figures {
    /// Adds a line: what was counted, and how many there are.
    pub fn add(&mut self, what: &str, value: impl Display) {
        self.lines.push((what.to_string(), value.to_string()));
    }

    /// The lines, with the values in a column.
    pub fn text(&self) -> String {
        let width = self.lines.iter().map(|(what, _)| what.chars().count());
        let width = width.max().unwrap_or_default();
        let lines = self.lines.iter();
        lines
            .map(|(what, value)| format!("{what:<width$}  {value}\n"))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_in_a_column() {
        let mut figures = Figures::default();
        figures.add("files", 12);
        figures.add("largest cycle", "none");
        assert_eq!(figures.text(), "files          12\nlargest cycle  none\n");
    }
}
