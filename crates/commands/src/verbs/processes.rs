//! `proc`, `name`, `info procs`, `info program`.

use crate::answer::{Answer, CommandError};
use crate::command::{Call, Chapter, Command, Completes, Spread};
use crate::interpreter::Interpreter;
use crate::text;
use crate::words::split_word;

pub const COMMANDS: &[Command] = &[
    Command::new("proc", Chapter::Processes, proc)
        .aliases(&["inferior", "process"])
        .usage(&["", "NAME | NUMBER"])
        .help(
            "Select a process, or show the selected one.",
            "The thread that was last looked at in it is selected.",
        )
        .completes(Completes::Set)
        .spread(Spread::Whole),
    Command::new("name", Chapter::Processes, name)
        .usage(&["NEW", "PROC NEW"])
        .help(
            "Give a process another name.",
            "Without PROC the current process is renamed. Names are used wherever a process is shown or asked for.",
        )
        .completes(Completes::Set)
        .spread(Spread::EachProcess),
];

fn proc(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    if !call.arguments.is_empty() {
        let thread = interpreter.at().thread_of_process(call.arguments)?;
        let (who, frame) = interpreter.select_thread(thread)?;
        return Ok(super::threads::selected(interpreter, &who, frame));
    }
    let views = interpreter.at().processes();
    let view = views
        .iter()
        .find(|view| view.current)
        .ok_or("No process selected.")?;
    Ok(Answer::with(
        format!(
            "[Current inferior is {} [process {}] ({}, {})]\n",
            view.number, view.pid, view.name, view.program
        ),
        view,
    ))
}

fn name(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let (first, second) = split_word(call.arguments);
    let (which, new) = match (first, second) {
        ("", _) => return Err("Argument required (the new name).".into()),
        (new, "") => ("", new),
        (which, new) => (which, new),
    };
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    if new.starts_with(|c: char| c.is_ascii_digit()) || !new.chars().all(plain) || new == "all" {
        return Err(CommandError::new(format!(
            "\"{new}\" can't be a name: it must begin with a letter and have letters, digits, '-', '_', '.' only."
        )));
    }
    interpreter.at().rename(which, new)?;
    Ok(Answer::silent())
}

/// `info procs`.
pub fn info(interpreter: &mut Interpreter, _: Call<'_>) -> Result<Answer, CommandError> {
    let views = interpreter.at().processes();
    if views.is_empty() {
        return Ok(Answer::with("No processes.\n", views));
    }
    Ok(Answer::with(text::processes::processes(&views), views))
}

/// `info program`.
pub fn program(interpreter: &mut Interpreter, _: Call<'_>) -> Result<Answer, CommandError> {
    let Some(stop) = interpreter.at().last_stop() else {
        return Ok(Answer::line("The program being debugged is not being run."));
    };
    let style = interpreter.output.style();
    let address = stop.frame.as_ref().map_or(0, |frame| frame.address);
    let mut text = format!(
        "Last stopped for thread {} ({}, process {}).\n",
        stop.who.numbers(),
        stop.who.process,
        stop.who.pid
    );
    if stop.frame.is_some() {
        text.push_str(&format!("Program stopped at {address:#x}.\n"));
    }
    text.push_str(text::stop(&stop, style).trim_start());
    Ok(Answer::with(text, stop))
}
