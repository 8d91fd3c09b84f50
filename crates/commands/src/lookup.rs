//! From what was typed to a row of the table: exact names, the traditional letters, unique prefixes.

use crate::command::Command;

/// Why a word is not a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LookupError {
    Unknown,
    /// The names that begin with it, sorted.
    Ambiguous(Vec<&'static str>),
}

/// Finds the command that `word` stands for.
pub fn find(table: &'static [Command], word: &str) -> Result<&'static Command, LookupError> {
    if let Some(command) = table
        .iter()
        .find(|command| command.names().any(|name| name == word))
    {
        return Ok(command);
    }
    let begun: Vec<&'static Command> = table
        .iter()
        .filter(|command| !word.is_empty() && command.names().any(|name| name.starts_with(word)))
        .collect();
    match begun.as_slice() {
        [] => Err(LookupError::Unknown),
        [only] => Ok(only),
        several => {
            let mut names: Vec<&'static str> = several
                .iter()
                .flat_map(|command| command.names().filter(|name| name.starts_with(word)))
                .collect();
            names.sort_unstable();
            Err(LookupError::Ambiguous(names))
        }
    }
}

/// Splits a line into the word of the command and its arguments: `p/x a` is `p` and `/x a`.
pub fn split_command(line: &str) -> (&str, &str) {
    let line = line.trim();
    if let Some(rest) = line.strip_prefix('!') {
        return ("!", rest.trim_start());
    }
    let end = line
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.')))
        .unwrap_or(line.len());
    let (word, rest) = line.split_at(end);
    (word, rest.trim_start())
}

/// The names nearest to a mistyped word, at most three, all equally near.
pub fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let allowed = 1 + word.chars().count() / 4;
    let mut found: Vec<(usize, &str)> = names
        .map(|name| (distance(word, name), name))
        .filter(|(distance, _)| *distance <= allowed)
        .collect();
    found.sort_unstable();
    found.dedup();
    let least = found.first().map_or(0, |(distance, _)| *distance);
    found.retain(|(distance, _)| *distance == least);
    found.into_iter().take(3).map(|(_, name)| name).collect()
}

/// Insertions, deletions, replacements between two words.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replace = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_ends_where_a_name_cannot_go_on() {
        assert_eq!(split_command("  p/x a "), ("p", "/x a"));
        assert_eq!(split_command("x/8xb &a"), ("x", "/8xb &a"));
        assert_eq!(split_command("b *0x10"), ("b", "*0x10"));
        assert_eq!(split_command("!ls -l"), ("!", "ls -l"));
        assert_eq!(split_command("info  threads"), ("info", "threads"));
        assert_eq!(split_command(""), ("", ""));
    }

    #[test]
    fn near_names() {
        assert_eq!(nearest("brek", ["break", "print"].into_iter()), ["break"]);
        assert!(nearest("zzz", ["break"].into_iter()).is_empty());
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
