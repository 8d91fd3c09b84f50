//! Support: shell, source, pwd, cd, quit, history.

use std::process::Command as Process;

use serde_json::json;

use crate::answer::{Answer, CommandError};
use crate::command::{Call, Chapter, Command, Completes, Spread};
use crate::interpreter::{Flow, Interpreter};
use crate::lines::ListedLines;

const fn row(name: &'static str, run: crate::command::Run) -> Command {
    Command::new(name, Chapter::Support, run).spread(Spread::Whole)
}

pub const COMMANDS: &[Command] = &[
    row("shell", shell)
        .aliases(&["!"])
        .usage(&["COMMAND"])
        .help("Run a command of the shell.", "")
        .completes(Completes::File),
    row("source", source)
        .usage(&["FILE"])
        .help(
            "Run the commands of a file.",
            "Lines that begin with `#` are comments. The first command that fails ends it.",
        )
        .completes(Completes::File),
    row("pwd", |_, _| {
        let path = std::env::current_dir().map_err(|error| CommandError::new(error.to_string()))?;
        Ok(Answer::line(format!(
            "Working directory {}.",
            path.display()
        )))
    })
    .help("Show the working directory.", ""),
    row("cd", cd)
        .usage(&["[DIRECTORY]"])
        .help(
            "Change the working directory.",
            "Programs that are started later begin there.",
        )
        .completes(Completes::File),
    row("quit", quit).aliases(&["q", "exit"]).help(
        "End the session.",
        "Programs that were started here are ended, attached ones are let go unharmed.",
    ),
    row("history", |interpreter, call| {
        let line = format!("show commands {}", call.arguments);
        interpreter.evaluate(&line)
    })
    .usage(&["[COUNT]"])
    .help(
        "Show the last commands typed; the same as `show commands`.",
        "",
    ),
];

fn shell(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let shell = std::env::var_os("SHELL").unwrap_or_else(|| "/bin/sh".into());
    let mut process = Process::new(shell);
    if !call.arguments.is_empty() {
        process.arg("-c").arg(call.arguments);
    } else if !interpreter.interactive {
        return Err("Argument required (a command of the shell).".into());
    }
    if interpreter.output.is_json() {
        let output = process
            .stdin(std::process::Stdio::null())
            .output()
            .map_err(|error| CommandError::new(format!("Cannot execute shell: {error}")))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        return Ok(Answer::with(
            "",
            json!({"status": output.status.code(), "stdout": text}),
        ));
    }
    let status = process
        .status()
        .map_err(|error| CommandError::new(format!("Cannot execute shell: {error}")))?;
    Ok(Answer::with("", json!({"status": status.code()})))
}

fn source(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    if call.arguments.is_empty() {
        return Err("source command requires file name of file to source.".into());
    }
    let path = expand_home(call.arguments);
    let text = std::fs::read_to_string(&path)
        .map_err(|error| CommandError::new(format!("{path}: {error}")))?;
    let mut lines = ListedLines::of_text(&text);
    match interpreter.script(&mut lines) {
        Flow::Good => Ok(Answer::silent()),
        Flow::Quit => Ok(Answer {
            quit: true,
            ..Answer::silent()
        }),
        Flow::Failed => Err(CommandError::new(format!(
            "{path}:{}: Error in sourced command file.",
            lines.taken
        ))),
    }
}

fn expand_home(path: &str) -> String {
    match (path.strip_prefix("~/"), std::env::var("HOME")) {
        (Some(rest), Ok(home)) => format!("{home}/{rest}"),
        _ => path.to_owned(),
    }
}

fn cd(_: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let path = match call.arguments {
        "" | "~" => std::env::var("HOME").unwrap_or_else(|_| "/".to_owned()),
        text => expand_home(text),
    };
    std::env::set_current_dir(&path)
        .map_err(|error| CommandError::new(format!("{path}: {error}")))?;
    let now = std::env::current_dir().unwrap_or_else(|_| path.into());
    Ok(Answer::line(format!(
        "Working directory {}.",
        now.display()
    )))
}

fn quit(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    if interpreter.debugger.has_processes() && !interpreter.debugger.at_entry() {
        let question = "A debugging session is active.\nQuit anyway?";
        if !interpreter.confirmed(question, call.lines) {
            return Err("Not confirmed.".into());
        }
    }
    Ok(Answer {
        quit: true,
        ..Answer::silent()
    })
}
