//! `find`: bytes in memory.

use wayfarer_debugger::SearchSpec;

use crate::answer::{Answer, CommandError};
use crate::command::{Call, Chapter, Command, Completes};
use crate::interpreter::Interpreter;
use crate::words::{split_format, split_outside};

pub const COMMANDS: &[Command] = &[Command::new("find", Chapter::Data, find)
    .usage(&["[/COUNT SIZE] START, +LENGTH, VALUE[, VALUE]...", "[/COUNT SIZE] START, END, VALUE[, VALUE]..."])
    .help(
        "Look for values in memory.",
        "SIZE is b, h, w or g for numbers of 1, 2, 4 or 8 bytes; without it each VALUE is as large as its type, a string \
without its last zero. COUNT ends the search. `$_` is then the last address found, `$numfound` how many there were.",
    )
    .completes(Completes::Expression)];

fn find(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let (format, rest) = split_format(call.arguments)?;
    let mut parts = split_outside(rest, ',')
        .into_iter()
        .map(|part| part.trim().to_owned());
    let (Some(start), Some(end)) = (parts.next(), parts.next()) else {
        return Err("Missing search parameters.".into());
    };
    // The sizes b and c of a count like `/1b` read as letters, too.
    let size = format.size.or(format.letter);
    let unit = match size {
        None => None,
        Some('b') => Some(1),
        Some('h') => Some(2),
        Some('w') => Some(4),
        Some('g') => Some(8),
        Some(other) => {
            return Err(CommandError::new(format!(
                "Invalid size granularity \"{other}\"."
            )));
        }
    };
    let found = interpreter.at().find(&SearchSpec {
        start,
        end,
        values: parts.collect(),
        unit,
        most: format.count.and_then(|count| usize::try_from(count).ok()),
    })?;
    let mut text: String = found
        .iter()
        .map(|(address, symbol)| match symbol {
            Some(symbol) => format!("{address:#x} <{symbol}>\n"),
            None => format!("{address:#x}\n"),
        })
        .collect();
    text.push_str(&match found.len() {
        0 => "Pattern not found.\n".to_owned(),
        1 => "1 pattern found.\n".to_owned(),
        many => format!("{many} patterns found.\n"),
    });
    let addresses: Vec<u64> = found.iter().map(|(address, _)| *address).collect();
    Ok(Answer::with(text, addresses))
}
