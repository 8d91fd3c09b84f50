//! `ptype` and `whatis`.

use crate::answer::{Answer, CommandError};
use crate::command::{Call, Chapter, Command, Completes};
use crate::interpreter::Interpreter;

pub const COMMANDS: &[Command] = &[
    Command::new("ptype", Chapter::Data, ptype)
        .usage(&["[/o] EXPRESSION | TYPE"])
        .help(
            "Show the definition of a type, or of an expression's type.",
            "With `/o` each member of a structure is shown with its offset and size, and so are the holes between members.",
        )
        .completes(Completes::Type),
    Command::new("whatis", Chapter::Data, whatis)
        .usage(&["EXPRESSION | TYPE"])
        .help("Show the name of an expression's type.", "")
        .completes(Completes::Expression),
];

fn required(call: &Call<'_>) -> Result<(), CommandError> {
    if call.arguments.is_empty() {
        return Err("Argument required (an expression or a type).".into());
    }
    Ok(())
}

fn ptype(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    required(&call)?;
    if let Some(rest) = call.arguments.strip_prefix('/') {
        let (flags, expression) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        if let Some(flag) = flags.chars().find(|flag| *flag != 'o') {
            return Err(CommandError::new(format!("unrecognized flag '{flag}'")));
        }
        if let Some(text) = interpreter.at().ptype_offsets(expression.trim())? {
            return Ok(Answer::with(text.clone(), text));
        }
        let text = interpreter.at().ptype(expression.trim())?;
        return Ok(Answer::with(format!("type = {}\n", text.trim_end()), text));
    }
    let text = interpreter.at().ptype(call.arguments)?;
    Ok(Answer::with(format!("type = {}\n", text.trim_end()), text))
}

fn whatis(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    required(&call)?;
    let text = interpreter.at().whatis(call.arguments)?;
    Ok(Answer::with(format!("type = {}\n", text.trim_end()), text))
}
