//! The demo at the prompt: what a person would type to find the bug in the run that failed.

use std::path::Path;
use std::sync::mpsc;

use wayfarer_commands::{Flow, Interpreter, ListedLines, Output, Standard};
use wayfarer_debugger::{Debugger, DebuggerError, Event, OpenTrace, Options, Set, StackSpec};

use super::SOURCE;
use crate::say;

/// The statement of the server that loses money.
const STORING: &str = "balance = sum;";

/// Debugs the replay of a trace in which money is lost, and tells what there is to see.
pub fn find_the_bug(trace: &Path) -> Result<(), String> {
    let debugger = Debugger::new(Options::default()).map_err(in_words)?;
    let output = Output::new(Box::new(Standard), false);
    let mut session = Interpreter::new(debugger, output);
    let found = tell_session(&mut session, trace);
    session.output.close();
    let ended = session.debugger.quit().map_err(in_words);
    found.and(ended)
}

fn tell_session(session: &mut Interpreter, trace: &Path) -> Result<(), String> {
    let (verdict, verdicts) = mpsc::channel();
    session.debugger.on_event(Box::new(move |event| {
        if let Event::ReplayEnded { identical, .. } = event {
            // Nobody waits for the verdict of a session that has failed before.
            let _ = verdict.send(*identical);
        }
    }));
    let request = OpenTrace {
        directory: trace.to_owned(),
        accept_damage: false,
    };
    session.debugger.open_trace(request).map_err(in_words)?;
    let line = line_of(STORING).ok_or("the demo does not know its own source")?;
    say::line(
        "The debugger looks into this run. The server must never store a sum that is not larger than its balance:",
    );
    enter(session, &format!("tbreak bank.c:{line} if sum <= balance"))?;
    enter(session, "run")?;
    enter(session, "backtrace")?;
    enter(session, "print balance")?;
    enter(session, "print sum")?;
    let sum = session.at().evaluate("sum", None).map_err(in_words)?.text;
    let clients = who_asks(session, &format!("SET {sum}"))?;
    let (these, why) = if clients.contains(',') {
        (
            "These asked",
            "They had got the balance at the same time, before either had paid.",
        )
    } else {
        (
            "This one asked",
            "It had got the balance before that payment came.",
        )
    };
    say::line(&format!(
        "Storing {sum} coins takes away what another client has just paid in. {these} for it:"
    ));
    enter(session, &format!("on {clients} backtrace -3"))?;
    say::line(&format!("{why} Now on to the end:"));
    enter(session, "continue")?;
    match verdicts.try_recv() {
        Ok(true) => Ok(()),
        Ok(false) => Err("the replay in the debugger differed, which must not happen".to_owned()),
        Err(_) => Err("the replay in the debugger did not come to its end".to_owned()),
    }
}

/// Shows a command as it is typed, and runs it.
fn enter(session: &mut Interpreter, command: &str) -> Result<(), String> {
    say::fact(&format!("{}{command}", session.prompt()));
    match session.script(&mut ListedLines::new(vec![command.to_owned()])) {
        Flow::Good => Ok(()),
        Flow::Failed | Flow::Quit => Err(format!("the debugger failed at: {command}")),
    }
}

/// Names of the processes that wait for the answer to a request, as a set.
fn who_asks(session: &mut Interpreter, request: &str) -> Result<String, String> {
    let shown = format!("\"{request}\\n\"");
    let set = Set::parse("bank.*").map_err(in_words)?;
    let stacks = session
        .debugger
        .backtraces(Some(&set), StackSpec::default())
        .map_err(in_words)?;
    let names: Vec<String> = stacks
        .into_iter()
        .filter(|stack| {
            let asking = stack
                .frames
                .iter()
                .filter(|frame| frame.function.as_deref() == Some("ask"));
            asking
                .flat_map(|frame| &frame.arguments)
                .any(|argument| argument.value.contains(&shown))
        })
        .map(|stack| stack.who.process)
        .collect();
    if names.is_empty() {
        return Err(format!("nobody asked the server for {request}"));
    }
    Ok(names.join(","))
}

/// Number of the line of the source that holds this statement and no other.
fn line_of(statement: &str) -> Option<usize> {
    let line = SOURCE.lines().position(|line| line.trim() == statement)?;
    Some(line + 1)
}

fn in_words(error: DebuggerError) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_statement_has_one_line() {
        let lines = SOURCE.lines().filter(|line| line.trim() == STORING);
        assert_eq!(lines.count(), 1);
        assert!(line_of(STORING).is_some());
    }
}
