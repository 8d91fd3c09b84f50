//! Places in a recorded run: `when`.

use crate::answer::{Answer, CommandError};
use crate::command::{Call, Chapter, Command};
use crate::interpreter::Interpreter;

pub const COMMANDS: &[Command] = &[Command::new("when", Chapter::Running, when)
    .usage(&[""])
    .help(
        "Show where the current thread is in the recorded run.",
        "`server.2@1204`: process server.2 has made 1204 events of its recording. Other threads than a process's first \
have their number behind its name: `server.2.3@88`.",
    )];

fn when(interpreter: &mut Interpreter, _: Call<'_>) -> Result<Answer, CommandError> {
    let position = interpreter.at().position()?;
    Ok(Answer::with(format!("{}\n", position.position), position))
}
