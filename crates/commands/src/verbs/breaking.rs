//! `break`, `tbreak`, `hbreak`, `thbreak`, `rbreak`.

use wayfarer_debugger::{BreakpointSpec, DebuggerError, Set};

use crate::answer::{Answer, CommandError};
use crate::command::{Call, Chapter, Command, Completes, Spread};
use crate::interpreter::Interpreter;
use crate::text::breakpoints;

const USAGE: &[&str] = &["[LOCATION] [thread THREAD | inferior PROC | on SET] [if CONDITION]"];

const LOCATION: &str = "LOCATION is a line (`12`, `+2`), FILE:LINE, FUNCTION, FILE:FUNCTION or *ADDRESS; without one it is the \
place where the selected frame stands. The breakpoint is set in every process that has the code, and in those that come \
later; `on SET` restricts it to a set, `thread 2.1` and `inferior 2` to one. The CONDITION is evaluated in the scope of the \
location, by the agent where it is simple enough.";

const HARDWARE: &str = "It lies in a debug register of every thread, so the code is not changed: for code that is written after \
the breakpoint is set, or that cannot be written. A process has four such registers, which watchpoints use, too. LOCATION and the \
rest are as in `break`.";

pub const COMMANDS: &[Command] = &[
    Command::new("break", Chapter::Stopping, |interpreter, call| {
        set(interpreter, call, false, false)
    })
    .aliases(&["b", "br", "breakpoint"])
    .usage(USAGE)
    .help("Set a breakpoint at a location.", LOCATION)
    .completes(Completes::Location)
    .spread(Spread::Whole),
    Command::new("tbreak", Chapter::Stopping, |interpreter, call| {
        set(interpreter, call, true, false)
    })
    .aliases(&["tb"])
    .usage(USAGE)
    .help(
        "Set a breakpoint that goes away at its first stop.",
        "LOCATION and the rest are as in `break`.",
    )
    .completes(Completes::Location)
    .spread(Spread::Whole),
    Command::new("hbreak", Chapter::Stopping, |interpreter, call| {
        set(interpreter, call, false, true)
    })
    .aliases(&["hb"])
    .usage(USAGE)
    .help(
        "Set a hardware assisted breakpoint at a location.",
        HARDWARE,
    )
    .completes(Completes::Location)
    .spread(Spread::Whole),
    Command::new("thbreak", Chapter::Stopping, |interpreter, call| {
        set(interpreter, call, true, true)
    })
    .aliases(&["thb"])
    .usage(USAGE)
    .help(
        "Set a hardware assisted breakpoint that goes away at its first stop.",
        HARDWARE,
    )
    .completes(Completes::Location)
    .spread(Spread::Whole),
    Command::new("rbreak", Chapter::Stopping, regex)
        .usage(&["REGEX"])
        .help("Set a breakpoint on every function whose name matches.", "")
        .completes(Completes::Function)
        .spread(Spread::Whole),
];

fn set(
    interpreter: &mut Interpreter,
    call: Call<'_>,
    temporary: bool,
    hardware: bool,
) -> Result<Answer, CommandError> {
    let mut spec = parse(interpreter, call.arguments)?;
    spec.temporary = temporary;
    spec.hardware = hardware;
    add(interpreter, call, spec)
}

/// Reads the arguments, with the set of `on SET break …` where the line names none.
pub fn parse(
    interpreter: &mut Interpreter,
    arguments: &str,
) -> Result<BreakpointSpec, CommandError> {
    let current = interpreter.current().map_or(1, |thread| thread.process);
    let mut spec = BreakpointSpec::parse(arguments, current)?;
    if spec.only.is_none() {
        spec.only.clone_from(&interpreter.scope);
    }
    Ok(spec)
}

/// Adds it; a place that exists nowhere yet may be waited for.
pub fn add(
    interpreter: &mut Interpreter,
    call: Call<'_>,
    mut spec: BreakpointSpec,
) -> Result<Answer, CommandError> {
    spec.pending = interpreter.settings.is_on("breakpoint pending");
    let view = match interpreter.at().add_breakpoint(spec.clone()) {
        Err(error)
            if imported(&error)
                || (unknown(&error) && wait_for_library(interpreter, &error, call)) =>
        {
            spec.pending = true;
            interpreter.at().add_breakpoint(spec)?
        }
        other => other?,
    };
    Ok(Answer::with(breakpoints::made(&view), view))
}

fn unknown(error: &DebuggerError) -> bool {
    matches!(
        error,
        DebuggerError::UnknownFunction { .. } | DebuggerError::UnknownFile { .. }
    )
}

/// The program itself names the function without having it: a library will bring it.
fn imported(error: &DebuggerError) -> bool {
    matches!(error, DebuggerError::UnknownFunction { name, similar } if similar.contains(name))
}

/// Only a person can know that a library will bring the place.
fn wait_for_library(interpreter: &Interpreter, error: &DebuggerError, call: Call<'_>) -> bool {
    if !interpreter.interactive || interpreter.settings.text("breakpoint pending") != "auto" {
        return false;
    }
    let question = format!("{error}\nMake breakpoint pending on future shared library load?");
    interpreter.confirmed(&question, call.lines)
}

fn regex(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let only: Option<Set> = interpreter.scope.clone();
    let mut views = interpreter.at().add_regex_breakpoints(call.arguments)?;
    if views.is_empty() {
        return Err(CommandError::new(format!(
            "No function matches \"{}\".",
            call.arguments
        )));
    }
    if only.is_some() {
        for view in &mut views {
            interpreter
                .debugger
                .restrict_breakpoint(view.number, only.clone())?;
            *view = interpreter.debugger.breakpoint(view.number)?;
        }
    }
    let text: String = views.iter().map(breakpoints::made).collect();
    Ok(Answer::with(text, views))
}
