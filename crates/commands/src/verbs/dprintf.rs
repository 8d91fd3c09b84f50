//! `dprintf`: a breakpoint that prints and goes on.

use crate::answer::{Answer, CommandError};
use crate::command::{Call, Chapter, Command, Completes, Spread};
use crate::interpreter::Interpreter;
use crate::words::{split_outside, take_quoted, unescape};

pub const COMMANDS: &[Command] = &[Command::new("dprintf", Chapter::Stopping, dprintf)
    .usage(&["LOCATION, \"FORMAT\" [, EXPRESSION…]"])
    .help(
        "Print a line each time the program passes a location, without stopping.",
        "FORMAT is as in C's printf. `condition`, `ignore`, `disable` work as on a breakpoint.",
    )
    .completes(Completes::Location)
    .spread(Spread::Whole)];

fn dprintf(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let usage = "Format string required: dprintf LOCATION, \"FORMAT\", ARGUMENTS…";
    let comma = comma_before_quote(call.arguments).ok_or(usage)?;
    let (location, rest) = call.arguments.split_at(comma);
    let (format, rest) = take_quoted(&rest[1..]).ok_or(usage)?;
    let arguments: Vec<String> = match rest.strip_prefix(',') {
        Some(list) => split_outside(list, ',')
            .into_iter()
            .map(str::to_owned)
            .collect(),
        None if rest.is_empty() => Vec::new(),
        None => return Err("Invalid argument syntax: a comma is needed after the format.".into()),
    };
    let mut spec = super::breaking::parse(interpreter, location.trim())?;
    spec.dprintf = Some((unescape(format), arguments));
    super::breaking::add(interpreter, call, spec)
}

/// The comma in front of the format; a location in C++ may have commas of its own.
fn comma_before_quote(text: &str) -> Option<usize> {
    text.char_indices()
        .filter(|(_, c)| *c == ',')
        .map(|(at, _)| at)
        .find(|at| text[at + 1..].trim_start().starts_with('"'))
}

#[cfg(test)]
mod tests {
    use super::comma_before_quote;

    #[test]
    fn the_right_comma() {
        assert_eq!(comma_before_quote("f<a,b>, \"x\", 1"), Some(6));
        assert_eq!(comma_before_quote("f, 1"), None);
    }
}
