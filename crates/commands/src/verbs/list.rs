//! `list`: source.

use wayfarer_debugger::{ListSpec, Listed, Location};

use crate::answer::{Answer, CommandError};
use crate::command::{Call, Chapter, Command, Completes, Repeats};
use crate::interpreter::Interpreter;
use crate::text;
use crate::words::split_outside;

pub const COMMANDS: &[Command] = &[Command::new("list", Chapter::Source, list)
    .aliases(&["l"])
    .usage(&["", "-", "LOCATION", "FIRST,LAST", "FIRST,", ",LAST"])
    .help(
        "Show lines of source.",
        "At first around the selected frame, then the lines after the last shown; `-` those before. `set listsize` \
says how many.",
    )
    .completes(Completes::Location)
    .repeats(Repeats::GoesOn)];

fn list(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let spec = match call.arguments {
        "" | "+" => ListSpec::Onward,
        "-" => ListSpec::Backward,
        text => match split_outside(text, ',').as_slice() {
            [first, last] => ListSpec::Range(side(first)?, side(last)?),
            _ => ListSpec::Around(text.parse()?),
        },
    };
    let view = interpreter.at().list(spec)?;
    interpreter.selection.set_listed(Listed::of(&view));
    Ok(Answer::with(text::code::source(&view), view))
}

/// One side of `FIRST,LAST`, if there is something on it.
fn side(text: &str) -> Result<Option<Location>, CommandError> {
    match text.trim() {
        "" => Ok(None),
        text => Ok(Some(text.parse()?)),
    }
}
