//! `handle` and `info signals`.

use wayfarer_debugger::HandleAction;

use crate::answer::{Answer, CommandError};
use crate::command::{Call, Chapter, Command, Completes, Spread};
use crate::interpreter::Interpreter;
use crate::text::breakpoints;

pub const COMMANDS: &[Command] = &[Command::new("handle", Chapter::Stopping, handle)
    .usage(&["SIGNAL… ACTION…"])
    .help(
        "Say what happens when the program gets a signal.",
        "SIGNAL is a name (`SIGUSR1`), a number, a range `14-15`, or `all` (but not those that the debugger needs). \
ACTION is `stop`, `nostop`, `print`, `noprint`, `pass`, `nopass`; `stop` implies `print`, `noprint` implies `nostop`; \
`ignore` is `nopass`, `noignore` is `pass`.",
    )
    .completes(Completes::Signal)
    .spread(Spread::Whole)];

fn handle(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let mut signals = Vec::new();
    let mut actions = Vec::new();
    for word in call
        .arguments
        .split([' ', '\t', ','])
        .filter(|word| !word.is_empty())
    {
        match action(word) {
            Some(action) => actions.push(action),
            None => signals.push(word),
        }
    }
    if signals.is_empty() {
        return Err("Argument required (signal to handle).".into());
    }
    let views = interpreter.debugger.handle_signals(&signals, &actions)?;
    Ok(Answer::with(breakpoints::signals(&views), views))
}

fn action(word: &str) -> Option<HandleAction> {
    Some(match word {
        "stop" => HandleAction::Stop,
        "nostop" => HandleAction::NoStop,
        "print" => HandleAction::Print,
        "noprint" => HandleAction::NoPrint,
        "pass" | "noignore" => HandleAction::Pass,
        "nopass" | "ignore" => HandleAction::NoPass,
        _ => return None,
    })
}

/// `info signals [SIGNAL]`.
pub fn info(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let mut views = interpreter.debugger.signals();
    if !call.arguments.is_empty() {
        let wanted = call.arguments;
        views.retain(|view| view.name == wanted || view.number.to_string() == wanted);
        if views.is_empty() {
            return Err(CommandError::new(format!(
                "Only signals 1-64 and their names are valid, not \"{wanted}\"."
            )));
        }
    }
    Ok(Answer::with(breakpoints::signals(&views), views))
}
