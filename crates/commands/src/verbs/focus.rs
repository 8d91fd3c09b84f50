//! `focus SET`, `on SET COMMAND`, `info set`.

use wayfarer_debugger::{Set, ThreadId};

use crate::answer::{Answer, CommandError};
use crate::command::{Call, Chapter, Command, Completes, Spread};
use crate::interpreter::{Interpreter, find_command};
use crate::words::split_word;

/// How sets are written, for help.
const SETS: &str = "A set is a list of items with commas between, `!` in front means all others. An item is `all`, a process \
(`worker.2`, a number, a range `2-4`, a glob `worker*`), its threads (`2.1`, `2.1-3`, `worker.2.1`, `2.*`), `@stopped`, \
`@running`, `@held`, or `@at(FILE:LINE)`: the threads that stand at a location. Who is in it is decided anew each time.";

pub const COMMANDS: &[Command] = &[
    Command::new("focus", Chapter::Processes, focus)
        .usage(&["", "SET"])
        .help(
            "Restrict run commands, `info threads` and `bt -tree` to a set.",
            SETS,
        )
        .completes(Completes::Set)
        .spread(Spread::Whole),
    Command::new("on", Chapter::Processes, on)
        .usage(&["SET COMMAND"])
        .help(
            "Run one command for a set; the focus and the selection stay.",
            "Run commands and breakpoints take the set as a whole. Stack commands run once in each thread; all others once \
in each process that is wholly in the set, and in each thread of those that are not. Sets are as in `focus`.",
        )
        .completes(Completes::SetAndCommand)
        .spread(Spread::Whole),
    Command::new("apply", Chapter::Processes, on)
        .usage(&["SET COMMAND"])
        .help("Run one command for a set; the same as `on`.", "")
        .completes(Completes::SetAndCommand)
        .spread(Spread::Whole),
];

fn focus(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    if call.arguments.is_empty() {
        let set = interpreter.debugger.focus().clone();
        return members(interpreter, &set, "Focus");
    }
    let set = Set::parse(call.arguments)?;
    let members = interpreter.debugger.set_focus(set)?;
    let current = interpreter.current();
    if let Some(&first) = members.first()
        && current.is_none_or(|current| !members.contains(&current))
    {
        interpreter.selection.select_thread(first);
    }
    Ok(Answer::silent())
}

/// `info set SET`; without a set, all settings as gdb's `info set`.
pub fn info(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    if call.arguments.is_empty() {
        return super::settings::show_all(interpreter);
    }
    let set = Set::parse(call.arguments)?;
    members(interpreter, &set, "Set")
}

fn members(interpreter: &mut Interpreter, set: &Set, title: &str) -> Result<Answer, CommandError> {
    let threads = interpreter.debugger.resolve(set).unwrap_or_default();
    let mut names = Vec::new();
    for thread in &threads {
        let who = interpreter.debugger.who(*thread)?;
        names.push(format!("{} ({})", who.process, who.numbers()));
    }
    let list = if names.is_empty() {
        "no process at present".to_owned()
    } else {
        names.join(", ")
    };
    let value = serde_json::json!({"set": set.text(), "members": threads});
    Ok(Answer::with(
        format!("{title} {}: {list}.\n", set.text()),
        value,
    ))
}

fn on(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let (text, line) = split_word(call.arguments);
    if text.is_empty() || line.is_empty() {
        return Err("Usage: on SET COMMAND.".into());
    }
    let set = Set::parse(text)?;
    let spread = if interpreter.defined.contains_key(split_word(line).0) {
        Spread::EachProcess
    } else {
        let line = interpreter.expand_alias(line);
        find_command(&line)?.0.spread
    };
    let tree = line.contains("-tree");
    if spread == Spread::Whole || tree {
        return whole(interpreter, set, line);
    }
    let threads = interpreter.debugger.resolve(&set)?;
    if threads.is_empty() {
        return Err(CommandError::new(format!(
            "Set \"{text}\" has no process or thread in it."
        )));
    }
    let threads = match spread {
        Spread::EachThread => threads,
        _ => once_per_process(interpreter, &threads)?,
    };
    super::threads::each(interpreter, &threads, line, false, |who| {
        format!("\n{} ({}):\n", who.process, who.numbers())
    })
}

fn whole(interpreter: &mut Interpreter, set: Set, line: &str) -> Result<Answer, CommandError> {
    let before = interpreter.scope.replace(set);
    let result = interpreter.evaluate(line);
    interpreter.scope = before;
    result
}

/// One thread of each process that is wholly in the list, all listed threads of the others.
fn once_per_process(
    interpreter: &mut Interpreter,
    threads: &[ThreadId],
) -> Result<Vec<ThreadId>, CommandError> {
    let current = interpreter.current();
    let counts = interpreter.at().processes();
    let mut chosen: Vec<ThreadId> = Vec::new();
    let mut at = 0;
    while at < threads.len() {
        let process = threads[at].process;
        let group: Vec<ThreadId> = threads[at..]
            .iter()
            .copied()
            .take_while(|thread| thread.process == process)
            .collect();
        at += group.len();
        let whole = counts
            .iter()
            .find(|view| view.number == process)
            .is_some_and(|view| usize::try_from(view.threads).unwrap_or(0) <= group.len());
        if whole {
            let preferred = current.filter(|thread| group.contains(thread));
            chosen.extend(preferred.or_else(|| group.first().copied()));
        } else {
            chosen.extend(group);
        }
    }
    Ok(chosen)
}
