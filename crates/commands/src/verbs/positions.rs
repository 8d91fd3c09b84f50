//! Places in a recorded run: `when`, `goto`.

use crate::answer::{Answer, CommandError};
use crate::command::{Call, Chapter, Command, Spread};
use crate::interpreter::Interpreter;
use wayfarer_debugger::Place;

pub const COMMANDS: &[Command] = &[
    Command::new("goto", Chapter::Running, go_to)
        .usage(&["POSITION", "start"])
        .help(
            "Go to a position in the recorded run, forward or back.",
            "The thread stands behind that event, before its next one; everybody else has gone on as far as the recording \
lets them without it, which is the same at each visit. The run is replayed from its beginning to there.",
        )
        .spread(Spread::Whole),
    Command::new("reverse-continue", Chapter::Running, reverse_continue)
        .aliases(&["rc"])
        .usage(&[""])
        .help(
            "Go back in the recorded run to the last stop before here.",
            "Breakpoints, watchpoints and catchpoints stop it as they do forward. A watchpoint stops behind the write. The run \
is replayed from its beginning twice: once to find the stop, once to go there.",
        )
        .spread(Spread::Whole),
    Command::new("when", Chapter::Running, when)
    .usage(&[""])
    .help(
        "Show where the current thread is in the recorded run.",
        "`server.2@1204`: process server.2 has made 1204 events of its recording. Other threads than a process's first \
have their number behind its name: `server.2.3@88`.",
    ),
];

fn go_to(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    if call.arguments.is_empty() {
        return Err("Argument required (a position, as `when` shows one, or start).".into());
    }
    let place = Place::parse(call.arguments)?;
    let stop = interpreter.debugger.go_to(&place)?;
    interpreter.selection.follow(&[stop], &interpreter.debugger);
    Ok(Answer::silent())
}

fn reverse_continue(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    if !call.arguments.is_empty() {
        return Err("This command takes no argument.".into());
    }
    let from = interpreter.current();
    let stop = interpreter.debugger.reverse_continue(from)?;
    interpreter.selection.follow(&[stop], &interpreter.debugger);
    Ok(Answer::silent())
}

fn when(interpreter: &mut Interpreter, _: Call<'_>) -> Result<Answer, CommandError> {
    let position = interpreter.at().position()?;
    Ok(Answer::with(format!("{}\n", position.position), position))
}
