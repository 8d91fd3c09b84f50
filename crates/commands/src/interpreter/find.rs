//! From a line to the row of the table that it means.

use crate::answer::CommandError;
use crate::command::Command;
use crate::lookup::{self, LookupError};
use crate::table;

/// The row that a line means; goes down through `info`, `set` and the like.
pub fn find_command(line: &str) -> Result<(&'static Command, &str, String), CommandError> {
    let (word, mut rest) = lookup::split_command(line);
    let mut command = lookup::find(table::commands(), word)
        .map_err(|error| refusal(error, word, "", table::commands()))?;
    let mut path = command.name.to_owned();
    while !command.below.is_empty() {
        let (word, tail) = lookup::split_command(rest);
        if word.is_empty() {
            break;
        }
        match lookup::find(command.below, word) {
            Ok(below) => {
                command = below;
                rest = tail;
                path = format!("{path} {}", below.name);
            }
            // `thread 2`, `set listsize 5`: the word is an argument where the command takes any.
            Err(_) if command.takes_own_arguments => break,
            Err(error) => return Err(refusal(error, word, command.name, command.below)),
        }
    }
    Ok((command, rest, path))
}

fn refusal(error: LookupError, word: &str, above: &str, table: &'static [Command]) -> CommandError {
    let kind = if above.is_empty() {
        String::new()
    } else {
        format!("{above} ")
    };
    CommandError::new(match error {
        LookupError::Ambiguous(names) => {
            format!("Ambiguous {kind}command \"{word}\": {}.", names.join(", "))
        }
        LookupError::Unknown => {
            let near = lookup::nearest(word, table.iter().map(|command| command.name));
            let near = if near.is_empty() {
                String::new()
            } else {
                format!("  Did you mean {}?", near.join(", "))
            };
            format!(
                "Undefined {kind}command: \"{word}\".  Try \"{}\".{near}",
                format!("help {above}").trim_end()
            )
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_find_their_rows() {
        let found = |line: &'static str| {
            let (_, rest, path) = find_command(line).unwrap();
            (path, rest)
        };
        assert_eq!(found("b main"), ("break".to_owned(), "main"));
        assert_eq!(found("i th"), ("info threads".to_owned(), ""));
        assert_eq!(found("info b"), ("info breakpoints".to_owned(), ""));
        assert_eq!(found("p/x a"), ("print".to_owned(), "/x a"));
        assert_eq!(found("thread 2.1"), ("thread".to_owned(), "2.1"));
        assert_eq!(
            found("thread apply all bt"),
            ("thread apply".to_owned(), "all bt")
        );
        assert_eq!(found("set listsize 5"), ("set".to_owned(), "listsize 5"));
        assert_eq!(found("set var x = 1"), ("set variable".to_owned(), "x = 1"));
    }

    #[test]
    fn mistakes_are_told() {
        let told = |line: &str| find_command(line).unwrap_err().to_string();
        assert_eq!(
            told("brek main"),
            "Undefined command: \"brek\".  Try \"help\".  Did you mean break?"
        );
        assert!(
            told("info zzz").starts_with("Undefined info command: \"zzz\".  Try \"help info\".")
        );
        assert!(
            told("wa").starts_with("Ambiguous command \"wa\": "),
            "{}",
            told("wa")
        );
    }
}
