//! Running on: continue, step, next, finish, until, advance, jump, return, signal, halt.

use wayfarer_debugger::Run;

use crate::answer::{Answer, CommandError};
use crate::command::{Call, Chapter, Command, Completes, Repeats, Spread};
use crate::interpreter::Interpreter;
use crate::text;

/// A row with what all of these have in common.
const fn row(name: &'static str, run: crate::command::Run) -> Command {
    Command::new(name, Chapter::Running, run).spread(Spread::Whole)
}

pub const COMMANDS: &[Command] = &[
    row("continue", continue_)
        .aliases(&["c", "fg"])
        .usage(&["[COUNT] [&]"])
        .help(
            "Let the program run on after a stop.",
            "All processes of the focus run; `on SET continue` runs a set. With COUNT the breakpoint that it stands at is \
passed over COUNT-1 times more. With `&` the prompt comes back at once, and stops are shown as they happen.",
        )
        .repeats(Repeats::Same),
    row("step", |interpreter, call| counted(interpreter, &call, |count| Run::Step { count }))
        .aliases(&["s"])
        .usage(&["[COUNT] [&]"])
        .help("Run until another line of source is reached, into functions.", "")
        .repeats(Repeats::Same),
    row("next", |interpreter, call| counted(interpreter, &call, |count| Run::Next { count }))
        .aliases(&["n"])
        .usage(&["[COUNT] [&]"])
        .help("Run until another line of this function is reached; calls are passed over.", "")
        .repeats(Repeats::Same),
    row("stepi", |interpreter, call| {
        counted(interpreter, &call, |count| Run::StepInstruction { count })
    })
    .aliases(&["si"])
    .usage(&["[COUNT] [&]"])
    .help("Run one instruction.", "")
    .repeats(Repeats::Same),
    row("nexti", |interpreter, call| {
        counted(interpreter, &call, |count| Run::NextInstruction { count })
    })
    .aliases(&["ni"])
    .usage(&["[COUNT] [&]"])
    .help("Run one instruction; calls are passed over.", "")
    .repeats(Repeats::Same),
    row("finish", finish)
        .aliases(&["fin"])
        .usage(&["[&]"])
        .help("Run until the selected frame returns, and show the value that it returns.", "")
        .repeats(Repeats::Same),
    row("until", until)
        .aliases(&["u"])
        .usage(&["", "LOCATION"])
        .help(
            "Run until a later line, to get out of loops; or until a location.",
            "Without LOCATION it is like `next`, but a jump backwards does not stop. With LOCATION it runs until that is \
reached or the current frame returns.",
        )
        .completes(Completes::Location)
        .repeats(Repeats::Same),
    row("advance", |interpreter, call| {
        required(&call, "a location")?;
        let (location, background) = split_background(call.arguments);
        go(interpreter, Run::Advance(location.parse()?), background)
    })
    .usage(&["LOCATION [&]"])
    .help("Run until a location is reached, or the current frame returns.", "")
    .completes(Completes::Location),
    row("jump", |interpreter, call| {
        required(&call, "starting address")?;
        let (location, background) = split_background(call.arguments);
        go(interpreter, Run::Jump(location.parse()?), background)
    })
    .aliases(&["j"])
    .usage(&["LOCATION [&]"])
    .help("Run on from another place.", "")
    .completes(Completes::Location),
    row("return", return_)
        .usage(&["[VALUE]"])
        .help("Make the selected frame return to its caller at once.", "Nothing of it runs any more.")
        .completes(Completes::Expression),
    row("signal", |interpreter, call| {
        required(&call, "signal number or name")?;
        go(interpreter, Run::Signal(call.arguments.to_owned()), false)
    })
    .usage(&["SIGNAL | 0"])
    .help("Run on with a signal; with 0, without the signal that stopped it.", "")
    .completes(Completes::Signal),
    row("halt", halt)
        .aliases(&["interrupt"])
        .usage(&["[SET]", "-a"])
        .help(
            "Stop what runs.",
            "Without SET everything; `-a` is accepted for gdb's sake. Ctrl-C does the same while a command runs.",
        )
        .completes(Completes::Set),
    row("wait", |interpreter, _| {
        let stops = interpreter.at().wait()?;
        interpreter.note_stops(&stops);
        Ok(Answer::with("", stops))
    })
    .help("Wait for the next stop of what runs in the background.", ""),
];

/// Runs, waits for the stop unless it is for the background; the stop itself is shown as an event.
pub fn go(
    interpreter: &mut Interpreter,
    how: Run,
    background: bool,
) -> Result<Answer, CommandError> {
    let scope = interpreter.scope.clone();
    if background {
        interpreter.at().start(how, scope.as_ref())?;
        return Ok(Answer::silent());
    }
    let stops = interpreter.at().execute(how, scope.as_ref())?;
    interpreter.note_stops(&stops);
    Ok(Answer::with("", stops))
}

/// Takes a `&` off the end.
pub fn split_background(text: &str) -> (&str, bool) {
    match text.trim_end().strip_suffix('&') {
        Some(rest) => (rest.trim_end(), true),
        None => (text, false),
    }
}

fn required(call: &Call<'_>, what: &str) -> Result<(), CommandError> {
    if split_background(call.arguments).0.is_empty() {
        return Err(CommandError::new(format!("Argument required ({what}).")));
    }
    Ok(())
}

/// A count, which may be an expression; 1 when there is none.
fn count(interpreter: &mut Interpreter, text: &str) -> Result<u64, CommandError> {
    if text.is_empty() {
        return Ok(1);
    }
    if let Ok(count) = text.parse() {
        return Ok(count);
    }
    let value = interpreter.at().evaluate(text, Some("d"))?;
    value
        .text
        .parse()
        .map_err(|_| CommandError::new(format!("\"{text}\" is not a count.")))
}

fn counted(
    interpreter: &mut Interpreter,
    call: &Call<'_>,
    how: fn(u64) -> Run,
) -> Result<Answer, CommandError> {
    let (text, background) = split_background(call.arguments);
    let count = count(interpreter, text)?;
    if count == 0 {
        return Ok(Answer::silent());
    }
    go(interpreter, how(count), background)
}

fn continue_(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let (text, background) = split_background(call.arguments);
    let text = super::super::words::take_flag(text, "-a").unwrap_or(text);
    // The debugger counts as gdb does: N passes the breakpoint N-1 times more.
    let ignore = count(interpreter, text)?;
    if interpreter.interactive {
        interpreter.output.note("Continuing.\n");
    }
    go(interpreter, Run::Continue { ignore }, background)
}

fn finish(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let (_, background) = split_background(call.arguments);
    let frame = interpreter.at().frame()?;
    interpreter.at().check_finish()?;
    interpreter.output.note(&format!(
        "Run till exit from {}\n",
        text::frame_line(&frame)
    ));
    go(interpreter, Run::Finish, background)
}

fn until(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let (location, background) = split_background(call.arguments);
    let how = if location.is_empty() {
        Run::Until
    } else {
        Run::UntilLocation(location.parse()?)
    };
    go(interpreter, how, background)
}

fn return_(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let frame = interpreter.at().frame()?;
    let name = frame.function.as_deref().unwrap_or("??");
    if !interpreter.confirmed(&format!("Make {name} return now?"), call.lines) {
        return Err("Not confirmed.".into());
    }
    let value = (!call.arguments.is_empty()).then(|| call.arguments.to_owned());
    go(interpreter, Run::Return(value), false)
}

fn halt(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let set = match call.arguments {
        "" | "-a" => interpreter.scope.clone(),
        text => Some(wayfarer_debugger::Set::parse(text)?),
    };
    let stops = interpreter.at().halt(set.as_ref())?;
    interpreter.note_stops(&stops);
    Ok(Answer::with("", stops))
}
