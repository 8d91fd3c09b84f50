//! `thread`, `thread apply`, `thread find`, `thread name`, `info threads`.

use serde_json::json;
use wayfarer_debugger::view::{FrameView, Who};
use wayfarer_debugger::{Set, ThreadId};

use crate::answer::{Answer, CommandError};
use crate::command::{Call, Chapter, Command, Completes, Spread};
use crate::interpreter::Interpreter;
use crate::text;
use crate::verbs::frames;
use crate::words::split_word;

const BELOW: &[Command] = &[
    Command::new("apply", Chapter::Processes, apply)
        .usage(&["SET COMMAND", "all COMMAND"])
        .help(
            "Run a command in each thread of a set.",
            "SET is as in `focus`; plain numbers are threads of the current process, as in gdb. The selection stays as it was.",
        )
        .completes(Completes::SetAndCommand)
        .spread(Spread::Whole),
    Command::new("find", Chapter::Processes, find)
        .usage(&["TEXT"])
        .help("Show the threads whose name, number or process has TEXT in it.", "")
        .spread(Spread::Whole),
    Command::new("name", Chapter::Processes, name)
        .usage(&["NAME", ""])
        .help(
            "Give the current thread a name for this session.",
            "The program's own name for it is not changed; without NAME that one is shown again.",
        )
        .spread(Spread::Whole),
];

pub const COMMANDS: &[Command] = &[
    Command::new("thread", Chapter::Processes, thread)
        .aliases(&["t"])
        .usage(&["", "THREAD"])
        .help(
            "Select a thread, or show the selected one.",
            "THREAD is a number in the current process (`2`), process and thread (`2.1`), or a name (`worker.2`).",
        )
        .below(BELOW)
        .takes_own_arguments()
        .completes(Completes::Set)
        .spread(Spread::Whole),
    Command::new("taas", Chapter::Processes, |interpreter, call| {
        in_threads(interpreter, Some(&Set::all()), call.arguments, true)
    })
    .usage(&["COMMAND"])
    .help("Run a command in all threads and leave out those in which it fails.", "")
    .completes(Completes::Command)
    .spread(Spread::Whole),
];

/// What is said when another thread is selected.
pub fn selected(interpreter: &mut Interpreter, who: &Who, frame: Option<FrameView>) -> Answer {
    let mut text = format!(
        "[Switching to thread {} ({}, LWP {} \"{}\")]\n",
        who.numbers(),
        who.process,
        who.tid,
        who.thread_name
    );
    match &frame {
        Some(frame) => text.push_str(&super::frames::shown(interpreter, frame)),
        None => text.push_str("(running)\n"),
    }
    Answer::with(text, json!({"who": who, "frame": frame}))
}

fn thread(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    if !call.arguments.is_empty() {
        let thread = interpreter.at().find_thread(call.arguments)?;
        let (who, frame) = interpreter.select_thread(thread)?;
        return Ok(selected(interpreter, &who, frame));
    }
    let thread = interpreter.current().ok_or("No thread selected")?;
    let who = interpreter.debugger.who(thread)?;
    Ok(Answer::with(
        format!(
            "[Current thread is {} ({}, LWP {} \"{}\")]\n",
            who.numbers(),
            who.process,
            who.tid,
            who.thread_name
        ),
        who,
    ))
}

/// `info threads [SET]`.
pub fn info(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let set = if call.arguments.is_empty() {
        interpreter
            .scope
            .clone()
            .or_else(|| Some(interpreter.debugger.focus().clone()))
    } else {
        Some(Set::parse(&qualified(interpreter, call.arguments))?)
    };
    if !interpreter.debugger.has_processes() {
        return Ok(Answer::line("No threads."));
    }
    let views = interpreter.at().threads(set.as_ref())?;
    let several = interpreter.several_processes();
    Ok(Answer::with(
        text::processes::threads(&views, several),
        views,
    ))
}

/// gdb's plain numbers mean threads of the current process: `1 3-4` is `P.1,P.3-4`.
fn qualified(interpreter: &mut Interpreter, text: &str) -> String {
    let plain = |word: &str| {
        !word.is_empty()
            && word
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'-')
    };
    let words: Vec<&str> = text
        .split([' ', ','])
        .filter(|word| !word.is_empty())
        .collect();
    match interpreter.current() {
        Some(current) if words.iter().all(|word| plain(word)) => words
            .iter()
            .map(|word| format!("{}.{word}", current.process))
            .collect::<Vec<_>>()
            .join(","),
        _ => text.to_owned(),
    }
}

fn apply(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    // gdb takes several numbers in front of the command: `thread apply 1 2 bt`.
    let mut rest = call.arguments;
    let mut items = Vec::new();
    loop {
        let (word, tail) = split_word(rest);
        let is_number = word.starts_with(|c: char| c.is_ascii_digit());
        if items.is_empty() || is_number {
            items.push(word);
            rest = tail;
        } else {
            break;
        }
        if rest.is_empty() {
            break;
        }
    }
    let command = match rest.strip_prefix("-s ") {
        Some(command) => command,
        None => rest,
    };
    if command.is_empty() {
        return Err("Please specify a command at the end of 'thread apply'.".into());
    }
    let set = Set::parse(&qualified(interpreter, &items.join(",")))?;
    in_threads(interpreter, Some(&set), command, rest != command)
}

/// Runs a command in each thread of a set, and puts the selection back.
pub fn in_threads(
    interpreter: &mut Interpreter,
    set: Option<&Set>,
    command: &str,
    quiet: bool,
) -> Result<Answer, CommandError> {
    if command.is_empty() {
        return Err("Please specify a command to run in each thread.".into());
    }
    let all = Set::all();
    let threads = interpreter.debugger.resolve(set.unwrap_or(&all))?;
    each(interpreter, &threads, command, quiet, |who| {
        format!(
            "\nThread {} ({}, LWP {} \"{}\"):\n",
            who.numbers(),
            who.process,
            who.tid,
            who.thread_name
        )
    })
}

/// Runs a command once for each of the threads, with a title before each answer.
pub fn each(
    interpreter: &mut Interpreter,
    threads: &[ThreadId],
    command: &str,
    quiet: bool,
    title: impl Fn(&Who) -> String,
) -> Result<Answer, CommandError> {
    let mut text = String::new();
    let mut values = Vec::new();
    let mut failed = None;
    let mut good = 0_u32;
    let mut stacks = frames::asks_for_stack(interpreter, command)
        .filter(|_| threads.len() > 1)
        .map(|spec| frames::stacks(interpreter, threads, spec))
        .unwrap_or_default();
    interpreter.keeping_selection(|interpreter| {
        for thread in threads {
            let result = match stacks.remove(thread) {
                Some((who, stack)) => stack.map(|answer| (who, answer)),
                None => interpreter
                    .select_thread(*thread)
                    .map_err(CommandError::from)
                    .and_then(|(who, _)| interpreter.evaluate(command).map(|answer| (who, answer))),
            };
            match result {
                Ok((who, answer)) => {
                    good += 1;
                    text.push_str(&title(&who));
                    text.push_str(&answer.text);
                    values.push(json!({"who": who, "result": answer.value, "error": null}));
                }
                Err(_) if quiet => {}
                Err(error) => {
                    let who = interpreter.debugger.who(*thread).ok();
                    if let Some(who) = &who {
                        text.push_str(&title(who));
                    }
                    text.push_str(&format!("{error}\n"));
                    values.push(json!({"who": who, "result": null, "error": error.to_string()}));
                    failed = Some(error);
                }
            }
        }
    });
    match failed {
        Some(error) if good == 0 && threads.len() == 1 => Err(error),
        _ => Ok(Answer::with(text, values)),
    }
}

fn name(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    interpreter.at().name_thread(call.arguments.trim())?;
    Ok(Answer::silent())
}

fn find(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    if call.arguments.is_empty() {
        return Err("Argument required (text to find).".into());
    }
    let mut views = interpreter.at().threads(None)?;
    views.retain(|view| {
        let who = &view.who;
        who.thread_name.contains(call.arguments)
            || who.process.contains(call.arguments)
            || who.tid.to_string().contains(call.arguments)
    });
    if views.is_empty() {
        return Ok(Answer::line(format!(
            "No threads match '{}'",
            call.arguments
        )));
    }
    let text = views
        .iter()
        .map(|view| {
            let who = &view.who;
            format!(
                "Thread {} has name '{}' in {}\n",
                who.numbers(),
                who.thread_name,
                who.process
            )
        })
        .collect::<String>();
    Ok(Answer::with(text, views))
}
