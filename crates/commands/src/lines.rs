//! Where command lines come from: a prompt, a file, the command line, a list.

/// A source of lines; blocks read on from the source that began them.
pub trait Lines {
    /// The next line, without its end; `None` when there are no more.
    fn next_line(&mut self, prompt: &str) -> Option<String>;
}

/// No lines at all.
pub struct NoLines;

impl Lines for NoLines {
    fn next_line(&mut self, _prompt: &str) -> Option<String> {
        None
    }
}

/// The lines of a list, in order.
pub struct ListedLines {
    lines: std::vec::IntoIter<String>,
    /// How many were given out.
    pub taken: usize,
}

impl ListedLines {
    pub fn new(lines: Vec<String>) -> Self {
        Self {
            lines: lines.into_iter(),
            taken: 0,
        }
    }

    /// The lines of a script.
    pub fn of_text(text: &str) -> Self {
        Self::new(text.lines().map(str::to_owned).collect())
    }
}

impl Lines for ListedLines {
    fn next_line(&mut self, _prompt: &str) -> Option<String> {
        let line = self.lines.next();
        self.taken += usize::from(line.is_some());
        line
    }
}

/// The words that begin a block inside a block.
const OPENING: [&str; 4] = ["commands", "define", "document", "if"];

/// Reads up to the `end` that closes the block; blocks inside keep theirs.
pub fn read_block(lines: &mut dyn Lines, prompt: &str) -> Vec<String> {
    let mut block = Vec::new();
    let mut depth = 0_usize;
    while let Some(line) = lines.next_line(prompt) {
        let text = line.trim();
        let word = text.split_whitespace().next().unwrap_or("");
        if text == "end" {
            if depth == 0 {
                break;
            }
            depth -= 1;
        } else if OPENING.contains(&word) || word == "while" {
            depth += 1;
        }
        if !text.is_empty() {
            block.push(text.to_owned());
        }
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_ends_at_its_own_end() {
        let mut lines =
            ListedLines::of_text("  print x\ncommands 2\nbt\nend\n\ncontinue\nend\nnext");
        let block = read_block(&mut lines, ">");
        assert_eq!(block, ["print x", "commands 2", "bt", "end", "continue"]);
        assert_eq!(lines.next_line("").as_deref(), Some("next"));
        assert_eq!(lines.taken, 8);
        assert!(read_block(&mut NoLines, ">").is_empty());
    }
}
