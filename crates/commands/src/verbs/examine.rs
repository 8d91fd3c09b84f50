//! `x`: memory.

use wayfarer_debugger::ExamineSpec;

use crate::answer::{Answer, CommandError};
use crate::command::{Call, Chapter, Command, Completes, Repeats};
use crate::interpreter::Interpreter;
use crate::text;
use crate::words::split_format;

pub const COMMANDS: &[Command] = &[Command::new("x", Chapter::Data, examine)
    .usage(&["[/COUNT FORMAT SIZE] [ADDRESS]"])
    .help(
        "Show memory.",
        "FORMAT is a letter of `print`, or i for instructions and s for strings; SIZE is b, h, w or g: 1, 2, 4 or 8 bytes. \
ADDRESS is an expression; without one, and with an empty line afterwards, it goes on after the last unit shown.",
    )
    .completes(Completes::Expression)
    .repeats(Repeats::GoesOn)];

fn examine(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let (format, expression) = split_format(call.arguments)?;
    let lines = interpreter.at().examine(ExamineSpec {
        count: format.count,
        format: format.letter,
        unit: format.size,
        expression: expression.to_owned(),
    })?;
    Ok(Answer::with(text::code::memory(&lines), lines))
}
