//! The stack: backtrace, frame, up, down.

use std::collections::HashMap;

use wayfarer_debugger::view::{FrameView, StackView, Who};
use wayfarer_debugger::{Set, StackSpec, ThreadId};

use crate::answer::{Answer, CommandError};
use crate::command::{Call, Chapter, Command, Completes, Repeats, Spread};
use crate::interpreter::Interpreter;
use crate::text;
use crate::words::split_word;

const fn row(name: &'static str, run: crate::command::Run) -> Command {
    Command::new(name, Chapter::Stack, run).spread(Spread::EachThread)
}

pub const COMMANDS: &[Command] = &[
    row("backtrace", backtrace)
        .aliases(&["bt", "where"])
        .usage(&["[full] [COUNT | -COUNT]", "-tree [SET]"])
        .help(
            "Show the stack of the current thread, innermost frame first.",
            "COUNT shows the innermost frames only, -COUNT the outermost. `full` shows local variables too. `-tree` \
merges the stacks of all threads of all processes (or of SET, or of the focus) into one tree, with the threads on each branch.",
        )
        .completes(Completes::Words(&["-full", "-tree", "full"])),
    row("frame", frame)
        .aliases(&["f"])
        .usage(&["[LEVEL]", "level LEVEL", "function NAME", "apply all | COUNT COMMAND"])
        .help(
            "Select a frame of the stack and show it.",
            "Without LEVEL the selected one is shown. `apply` runs a command in every frame, or in the innermost COUNT.",
        )
        .completes(Completes::Words(&["apply", "function", "level"])),
    row("up", |interpreter, call| move_by(interpreter, &call, true))
        .usage(&["[COUNT]"])
        .help("Select the frame that called this one.", "")
        .repeats(Repeats::Same),
    row("down", |interpreter, call| move_by(interpreter, &call, false))
        .aliases(&["do", "dow"])
        .usage(&["[COUNT]"])
        .help("Select the frame called by this one.", "")
        .repeats(Repeats::Same),
];

/// `backtrace` and `info stack`.
pub fn backtrace(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    match Wanted::parse(call.arguments)? {
        Wanted::Tree(set) => tree(interpreter, set),
        Wanted::Stack(spec) => {
            let view = interpreter.at().backtrace(spec)?;
            stack(interpreter, view)
        }
    }
}

/// What a `backtrace` shall show.
enum Wanted<'line> {
    Stack(StackSpec),
    /// Of this set.
    Tree(&'line str),
}

impl Wanted<'_> {
    fn parse(arguments: &str) -> Result<Wanted<'_>, CommandError> {
        let mut spec = StackSpec::default();
        let mut rest = arguments;
        while !rest.is_empty() {
            let (word, tail) = split_word(rest);
            rest = tail;
            match word {
                "full" | "-full" => spec.full = true,
                "-tree" => return Ok(Wanted::Tree(rest)),
                "--" => {}
                _ => {
                    let limit: i64 = word.parse().map_err(|_| {
                        CommandError::new(format!("No symbol \"{word}\" in current context."))
                    })?;
                    spec.limit = Some(limit);
                }
            }
        }
        Ok(Wanted::Stack(spec))
    }
}

/// A stack as an answer.
fn stack(interpreter: &Interpreter, view: StackView) -> Result<Answer, CommandError> {
    if view.frames.is_empty() {
        return Err("No stack.".into());
    }
    let text = text::stack(&view, interpreter.interactive);
    if interpreter.output.is_json() {
        return Ok(Answer::with(text, view));
    }
    // Hundreds of stacks as data that is not read would take longer than the rest.
    Ok(Answer {
        text,
        ..Answer::default()
    })
}

/// Whether a command line asks for the stack of the current thread.
pub fn asks_for_stack(interpreter: &Interpreter, line: &str) -> Option<StackSpec> {
    let (command, arguments) = interpreter.plain_command(line)?;
    match Wanted::parse(arguments) {
        Ok(Wanted::Stack(spec)) if command.name == "backtrace" => Some(spec),
        _ => None,
    }
}

/// The stacks of many threads, which are read together faster than one by one; of those that run there are none.
pub fn stacks(
    interpreter: &mut Interpreter,
    threads: &[ThreadId],
    spec: StackSpec,
) -> HashMap<ThreadId, (Who, Result<Answer, CommandError>)> {
    let views = interpreter.debugger.backtraces_of(threads, spec);
    views
        .unwrap_or_default()
        .into_iter()
        .map(|(thread, view)| (thread, (view.who.clone(), stack(interpreter, view))))
        .collect()
}

fn tree(interpreter: &mut Interpreter, set: &str) -> Result<Answer, CommandError> {
    let set = if set.is_empty() {
        interpreter
            .scope
            .clone()
            .or_else(|| Some(interpreter.debugger.focus().clone()))
    } else {
        Some(Set::parse(set)?)
    };
    let view = interpreter.debugger.stack_tree(set.as_ref())?;
    Ok(Answer::with(text::tree::tree(&view), view))
}

/// A frame as selecting it shows it: its line, then the line of source.
pub fn shown(interpreter: &mut Interpreter, frame: &FrameView) -> String {
    let mut text = format!("{}\n", text::frame_line(frame));
    let source = interpreter
        .at()
        .frame_info()
        .ok()
        .and_then(|info| info.source_line);
    match (source, frame.line, &frame.file) {
        (Some(line), ..) => text.push_str(&text::source_line(&line)),
        (None, Some(line), Some(file)) => text.push_str(&format!("{line}\tin {file}\n")),
        _ => {}
    }
    text
}

/// The selected frame.
pub fn current(interpreter: &mut Interpreter) -> Result<Answer, CommandError> {
    let frame = interpreter.at().frame()?;
    Ok(Answer::with(shown(interpreter, &frame), frame))
}

fn frame(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let (word, rest) = split_word(call.arguments);
    let frame = match word {
        "" => interpreter.at().frame()?,
        "function" => {
            let level = interpreter.at().frame_of(rest)?.level;
            interpreter.select_frame(level)?
        }
        "apply" => return apply(interpreter, rest),
        "level" => interpreter.select_frame(level(rest)?)?,
        _ => interpreter.select_frame(level(call.arguments)?)?,
    };
    Ok(Answer::with(shown(interpreter, &frame), frame))
}

fn level(text: &str) -> Result<u32, CommandError> {
    text.trim_start_matches('#')
        .parse()
        .map_err(|_| CommandError::new(format!("\"{text}\" is not a frame number.")))
}

fn move_by(
    interpreter: &mut Interpreter,
    call: &Call<'_>,
    up: bool,
) -> Result<Answer, CommandError> {
    let count: i64 = if call.arguments.is_empty() {
        1
    } else {
        call.arguments
            .parse()
            .map_err(|_| CommandError::new(format!("\"{}\" is not a count.", call.arguments)))?
    };
    let up = if count < 0 { !up } else { up };
    let count = u32::try_from(count.unsigned_abs()).unwrap_or(u32::MAX);
    let frame = if up {
        interpreter.at().up(count)?
    } else {
        interpreter.at().down(count)?
    };
    let frame = interpreter.select_frame(frame.level)?;
    Ok(Answer::with(shown(interpreter, &frame), frame))
}

/// `frame apply all CMD`: the selection is put back afterwards.
fn apply(interpreter: &mut Interpreter, text: &str) -> Result<Answer, CommandError> {
    let (word, command) = split_word(text);
    if command.is_empty() {
        return Err("Please specify a command to apply on all frames.".into());
    }
    let limit = match word {
        "all" => None,
        count => Some(
            count
                .parse()
                .map_err(|_| CommandError::new(format!("\"{count}\" is not a count.")))?,
        ),
    };
    let before = interpreter.at().frame()?.level;
    let stack = interpreter
        .at()
        .backtrace(StackSpec { limit, full: false })?;
    let mut answer = String::new();
    let mut values = Vec::new();
    for frame in &stack.frames {
        answer.push_str(&format!("{}\n", text::frame_line(frame)));
        interpreter.select_frame(frame.level)?;
        match interpreter.evaluate(command) {
            Ok(one) => {
                answer.push_str(&one.text);
                values.push(one.value);
            }
            Err(error) => answer.push_str(&format!("{error}\n")),
        }
    }
    interpreter.select_frame(before)?;
    Ok(Answer::with(answer, values))
}
