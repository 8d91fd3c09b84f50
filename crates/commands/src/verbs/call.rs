//! `call`: a function of the program, run in the current thread.

use crate::answer::{Answer, CommandError};
use crate::command::{Call, Chapter, Command, Completes, Spread};
use crate::interpreter::Interpreter;

pub const COMMANDS: &[Command] = &[Command::new("call", Chapter::Data, call)
    .usage(&["EXPRESSION"])
    .help(
        "Evaluate an expression, usually a call of a function of the program.",
        "It runs in the current thread; the state from before is restored afterwards. If a breakpoint or a signal stops it, \
the thread stays in the called function: `finish` completes the call and shows its value, and whatever way the function returns, \
the thread then stands where it was before. With `set unwindonsignal on` a signal undoes the call at once; an exception that nobody catches always does, unless `set unwind-on-terminating-exception off`. A result of type void \
is not shown.",
    )
    .completes(Completes::Expression)
    .spread(Spread::EachThread)];

fn call(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    if call.arguments.is_empty() {
        return Err("The history is empty: an expression is needed.".into());
    }
    Ok(match interpreter.at().call(call.arguments)? {
        Some(view) => super::print::value(interpreter, super::print::shown(&view), view),
        None => Answer::silent(),
    })
}
