//! `watch`, `rwatch`, `awatch`.

use wayfarer_debugger::{Set, WatchAccess, WatchSpec};

use crate::answer::{Answer, CommandError};
use crate::command::{Call, Chapter, Command, Completes, Spread};
use crate::interpreter::Interpreter;
use crate::text::breakpoints;
use crate::words::{split_at_word, take_flag};

const USAGE: &[&str] = &["[-l | -location] EXPRESSION [on SET] [if CONDITION]"];

pub const COMMANDS: &[Command] = &[
    Command::new("watch", Chapter::Stopping, |interpreter, call| {
        set(interpreter, &call, WatchAccess::Write)
    })
    .usage(USAGE)
    .help(
        "Stop when the value of an expression changes.",
        "The memory that EXPRESSION names is watched by the processor, in all threads of the process. A watchpoint on a local \
variable goes when its frame is left; with `-l` the place stays watched.",
    )
    .completes(Completes::Expression)
    .spread(Spread::EachProcess),
    Command::new("rwatch", Chapter::Stopping, |interpreter, call| {
        set(interpreter, &call, WatchAccess::Read)
    })
    .usage(USAGE)
    .help("Stop when the value of an expression is read.", "")
    .completes(Completes::Expression)
    .spread(Spread::EachProcess),
    Command::new("awatch", Chapter::Stopping, |interpreter, call| {
        set(interpreter, &call, WatchAccess::Access)
    })
    .usage(USAGE)
    .help("Stop when the value of an expression is read or written.", "")
    .completes(Completes::Expression)
    .spread(Spread::EachProcess),
];

fn set(
    interpreter: &mut Interpreter,
    call: &Call<'_>,
    access: WatchAccess,
) -> Result<Answer, CommandError> {
    let mut text = call.arguments;
    let mut location = false;
    while let Some(rest) = take_flag(text, "-l").or_else(|| take_flag(text, "-location")) {
        text = rest;
        location = true;
    }
    let (text, condition) = match split_at_word(text, "if") {
        Some((before, condition)) => (before, Some(condition.to_owned())),
        None => (text, None),
    };
    let (expression, only) = match split_at_word(text, "on") {
        Some((before, set)) => (before, Some(Set::parse(set)?)),
        None => (text, None),
    };
    if expression.is_empty() {
        return Err("Argument required (expression to compute).".into());
    }
    let view = interpreter.at().add_watchpoint(WatchSpec {
        expression: expression.to_owned(),
        access,
        location,
        condition,
        only,
    })?;
    Ok(Answer::with(breakpoints::made(&view), view))
}
