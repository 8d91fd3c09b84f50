//! `catch` and `tcatch`.

use wayfarer_debugger::CatchSpec;

use crate::answer::{Answer, CommandError};
use crate::command::{Call, Chapter, Command, Completes, Spread};
use crate::interpreter::Interpreter;
use crate::text::breakpoints;
use crate::words::split_word;

const EVENTS: &[&str] = &[
    "catch", "exec", "fork", "panic", "rethrow", "signal", "syscall", "throw", "vfork",
];

pub const COMMANDS: &[Command] = &[
    Command::new("catch", Chapter::Stopping, |interpreter, call| {
        set(interpreter, &call, false)
    })
    .usage(&[
        "fork | vfork | exec",
        "syscall [NAME | NUMBER]…",
        "signal [SIGNAL…]",
        "panic",
        "throw | catch | rethrow",
    ])
    .help(
        "Stop at an event: a fork, a system call, a signal, a panic, an exception.",
        "`panic` is a Rust panic; `throw`, `catch` and `rethrow` are C++ exceptions. A system call stops twice, when it \
is entered and when it returns.",
    )
    .completes(Completes::Words(EVENTS))
    .spread(Spread::Whole),
    Command::new("tcatch", Chapter::Stopping, |interpreter, call| {
        set(interpreter, &call, true)
    })
    .usage(&["EVENT"])
    .help("Stop at an event once; events are as in `catch`.", "")
    .completes(Completes::Words(EVENTS))
    .spread(Spread::Whole),
];

fn set(
    interpreter: &mut Interpreter,
    call: &Call<'_>,
    temporary: bool,
) -> Result<Answer, CommandError> {
    let (event, rest) = split_word(call.arguments);
    let list = || {
        rest.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let spec = match event {
        "fork" => CatchSpec::Fork,
        "vfork" => CatchSpec::Vfork,
        "exec" => CatchSpec::Exec,
        "syscall" => CatchSpec::Syscall(list()),
        "signal" => CatchSpec::Signal(list()),
        "panic" => CatchSpec::Panic,
        "throw" => CatchSpec::Throw,
        "catch" => CatchSpec::Catch,
        "rethrow" => CatchSpec::Rethrow,
        "" => {
            return Err(CommandError::new(format!(
                "Catch requires an event name: {}.",
                EVENTS.join(", ")
            )));
        }
        other => {
            return Err(CommandError::new(format!(
                "Undefined catch command: \"{other}\".  It takes {}.",
                EVENTS.join(", ")
            )));
        }
    };
    let takes_list = matches!(spec, CatchSpec::Syscall(_) | CatchSpec::Signal(_));
    if !takes_list && !rest.is_empty() {
        return Err(CommandError::new(format!(
            "Junk at end of arguments: {rest}"
        )));
    }
    let view = interpreter.debugger.add_catchpoint(spec, temporary)?;
    Ok(Answer::with(breakpoints::made(&view), view))
}
