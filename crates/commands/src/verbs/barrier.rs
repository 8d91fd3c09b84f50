//! `barrier`, `hold`, `release`.

use wayfarer_debugger::view::Who;
use wayfarer_debugger::{BreakpointSpec, Set};

use crate::answer::{Answer, CommandError};
use crate::command::{Call, Chapter, Command, Completes, Spread};
use crate::interpreter::Interpreter;

pub const COMMANDS: &[Command] = &[
    Command::new("barrier", Chapter::Processes, barrier)
        .usage(&["LOCATION on SET"])
        .help(
            "Hold each process of a set at a location until all have arrived.",
            "Those that arrive wait, whatever is continued; when the last one comes, everything stops and all are \
released together by the next `continue`. `info breakpoints` shows which are missing: processes that have the code, children \
of fork included if they are in the set. Without `on SET` the focus is meant.",
        )
        .completes(Completes::Location)
        .spread(Spread::Whole),
    Command::new("hold", Chapter::Processes, |interpreter, call| {
        change(interpreter, &call, true)
    })
    .usage(&["[SET]"])
    .help(
        "Keep processes or threads from running until they are released.",
        "Run commands pass over what is held. Without SET the current thread is meant.",
    )
    .completes(Completes::Set)
    .spread(Spread::Whole),
    Command::new("release", Chapter::Processes, |interpreter, call| {
        change(interpreter, &call, false)
    })
    .usage(&["[SET]"])
    .help(
        "Let held processes or threads run again with the next run command.",
        "It also releases from a barrier that is not complete. Without SET the current thread is meant.",
    )
    .completes(Completes::Set)
    .spread(Spread::Whole),
];

fn barrier(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let mut spec: BreakpointSpec = super::breaking::parse(interpreter, call.arguments)?;
    if spec.only.is_none() {
        spec.only = Some(interpreter.debugger.focus().clone());
    }
    spec.barrier = true;
    super::breaking::add(interpreter, call, spec)
}

fn change(
    interpreter: &mut Interpreter,
    call: &Call<'_>,
    hold: bool,
) -> Result<Answer, CommandError> {
    let set = if call.arguments.is_empty() {
        match &interpreter.scope {
            Some(set) => set.clone(),
            None => {
                let thread = interpreter.current().ok_or("No thread selected.")?;
                Set::thread(thread)
            }
        }
    } else {
        Set::parse(call.arguments)?
    };
    let (changed, verb) = if hold {
        (interpreter.debugger.hold(&set)?, "Held")
    } else {
        (interpreter.debugger.release(&set)?, "Released")
    };
    let names: Vec<String> = changed.iter().map(name).collect();
    let text = if names.is_empty() {
        "Nothing changed.\n".to_owned()
    } else {
        format!("{verb} {}.\n", names.join(", "))
    };
    Ok(Answer::with(text, changed))
}

fn name(who: &Who) -> String {
    format!("{} ({})", who.process, who.numbers())
}
