//! `ptype` and `whatis`.

use crate::answer::{Answer, CommandError};
use crate::command::{Call, Chapter, Command, Completes};
use crate::interpreter::Interpreter;

pub const COMMANDS: &[Command] = &[
    Command::new("ptype", Chapter::Data, ptype)
        .usage(&["EXPRESSION | TYPE"])
        .help(
            "Show the definition of a type, or of an expression's type.",
            "",
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
    let text = interpreter.debugger.ptype(call.arguments)?;
    Ok(Answer::with(format!("type = {}\n", text.trim_end()), text))
}

fn whatis(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    required(&call)?;
    let text = interpreter.debugger.whatis(call.arguments)?;
    Ok(Answer::with(format!("type = {}\n", text.trim_end()), text))
}
