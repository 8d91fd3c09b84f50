//! Starting and ending: run, start, starti, attach, detach, kill.

use wayfarer_debugger::view::{ProcessState, ProcessView};
use wayfarer_debugger::{BreakpointSpec, Location, Run, Set};

use crate::answer::{Answer, CommandError};
use crate::command::{Call, Chapter, Command, Completes, Spread};
use crate::interpreter::Interpreter;
use crate::words::shell_words;

const fn row(name: &'static str, run: crate::command::Run) -> Command {
    Command::new(name, Chapter::Running, run).spread(Spread::Whole)
}

pub const COMMANDS: &[Command] = &[
    row("run", run)
        .aliases(&["r"])
        .usage(&["[ARGUMENTS…]"])
        .help(
            "Start the program, or start it again.",
            "ARGUMENTS replace those given before. At the first prompt the program is loaded and stands before its first \
instruction, so that breakpoints can be set.",
        )
        .completes(Completes::File),
    row("start", start)
        .usage(&["[ARGUMENTS…]"])
        .help("Start the program and stop in its main function.", "")
        .completes(Completes::File),
    row("starti", starti)
        .usage(&["[ARGUMENTS…]"])
        .help("Start the program and stop at its first instruction.", "")
        .completes(Completes::File),
    row("attach", attach)
        .aliases(&["at"])
        .usage(&["PID…", "NAME…"])
        .help(
            "Take running processes into the session, with all their threads.",
            "NAME attaches to every process of that program. They stand still afterwards; `detach` and `quit` let them go \
unharmed.",
        ),
    row("detach", detach)
        .usage(&["[SET]"])
        .help("Let processes run on without us.", "Without SET the current process is meant; nothing of us stays in it.")
        .completes(Completes::Set),
    row("kill", kill)
        .aliases(&["k"])
        .usage(&["[SET]"])
        .help("End processes.", "Without SET the current process is meant.")
        .completes(Completes::Set),
];

/// Brings the program to its first instruction; does nothing when it stands there with these arguments.
fn load(interpreter: &mut Interpreter, call: &mut Call<'_>) -> Result<(), CommandError> {
    if interpreter.debugger.replays() {
        return begin_again(interpreter, call);
    }
    let Some(mut launch) = interpreter.program.clone() else {
        return Err("No executable file specified.  Use `wayfarer run -- PROGRAM`.".into());
    };
    let mut changed = interpreter.launch_changed;
    if !call.arguments.is_empty() {
        let words = shell_words(call.arguments)?;
        launch.argv.truncate(1);
        launch.argv.extend(words.into_iter().map(Into::into));
        changed = true;
    }
    if interpreter.debugger.at_entry() && !changed {
        return Ok(());
    }
    confirm(interpreter, call)?;
    if changed {
        if interpreter.debugger.has_processes() {
            interpreter.at().kill(Some(&Set::all()))?;
        }
        let stop = interpreter.debugger.launch(launch.clone())?;
        interpreter.selection.follow(&[stop], &interpreter.debugger);
        interpreter.program = Some(launch);
        interpreter.launch_changed = false;
    } else {
        let stop = interpreter.debugger.relaunch()?;
        interpreter.selection.follow(&[stop], &interpreter.debugger);
    }
    Ok(())
}

/// Brings a replay to its beginning.
fn begin_again(interpreter: &mut Interpreter, call: &mut Call<'_>) -> Result<(), CommandError> {
    if !call.arguments.is_empty() {
        return Err("This is a recorded run: its arguments are those of the recording.".into());
    }
    if interpreter.debugger.at_entry() {
        return Ok(());
    }
    confirm(interpreter, call)?;
    let stop = interpreter.debugger.relaunch()?;
    interpreter.selection.follow(&[stop], &interpreter.debugger);
    Ok(())
}

/// Asks before a program that runs is ended.
fn confirm(interpreter: &mut Interpreter, call: &mut Call<'_>) -> Result<(), CommandError> {
    let question =
        "The program being debugged has been started already.\nStart it from the beginning?";
    let started = interpreter.debugger.has_processes() && !interpreter.debugger.at_entry();
    if started && !interpreter.confirmed(question, call.lines) {
        return Err("Program not restarted.".into());
    }
    Ok(())
}

fn announce(interpreter: &Interpreter) {
    if let Some(launch) = interpreter
        .program
        .as_ref()
        .filter(|_| interpreter.interactive)
    {
        let words: Vec<String> = launch
            .argv
            .iter()
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        interpreter
            .output
            .note(&format!("Starting program: {}\n", words.join(" ")));
    }
}

fn run(interpreter: &mut Interpreter, mut call: Call<'_>) -> Result<Answer, CommandError> {
    let (arguments, background) = super::stepping::split_background(call.arguments);
    call.arguments = arguments;
    load(interpreter, &mut call)?;
    announce(interpreter);
    super::stepping::go(interpreter, Run::Continue { ignore: 0 }, background)
}

fn start(interpreter: &mut Interpreter, mut call: Call<'_>) -> Result<Answer, CommandError> {
    load(interpreter, &mut call)?;
    let view = interpreter.at().add_breakpoint(BreakpointSpec {
        location: Location::Function("main".to_owned()),
        temporary: true,
        ..BreakpointSpec::default()
    })?;
    interpreter
        .output
        .note(&crate::text::breakpoints::made(&view));
    announce(interpreter);
    super::stepping::go(interpreter, Run::Continue { ignore: 0 }, false)
}

fn starti(interpreter: &mut Interpreter, mut call: Call<'_>) -> Result<Answer, CommandError> {
    load(interpreter, &mut call)?;
    announce(interpreter);
    interpreter.output.note("Program stopped.\n");
    super::frames::current(interpreter)
}

fn attach(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    if call.arguments.is_empty() {
        return Err("Argument required (process-id or program name to attach).".into());
    }
    let mut pids = Vec::new();
    for word in call.arguments.split_whitespace() {
        match word.parse::<i32>() {
            Ok(pid) => pids.push(pid),
            Err(_) => pids.extend(pids_named(word)?),
        }
    }
    attach_all(interpreter, &pids)
}

/// Attaches to all; some may fail as long as one succeeds.
pub fn attach_all(interpreter: &mut Interpreter, pids: &[i32]) -> Result<Answer, CommandError> {
    let mut stops = Vec::new();
    let mut failed = Vec::new();
    for (pid, result) in interpreter.debugger.attach(pids) {
        match result {
            Ok(stop) => stops.push(stop),
            Err(error) => failed.push(format!("process {pid}: {error}")),
        }
    }
    interpreter.selection.follow(&stops, &interpreter.debugger);
    if stops.is_empty() {
        return Err(CommandError::new(failed.join("\n")));
    }
    let text: String = failed
        .iter()
        .map(|line| format!("warning: {line}\n"))
        .collect();
    Ok(Answer::with(text, stops))
}

/// The processes whose program has this name.
pub fn pids_named(name: &str) -> Result<Vec<i32>, CommandError> {
    let own = i32::try_from(std::process::id()).unwrap_or(0);
    let mut pids: Vec<i32> = std::fs::read_dir("/proc")
        .map_err(|error| CommandError::new(format!("/proc: {error}")))?
        .filter_map(Result::ok)
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid| *pid != own && is_named(*pid, name))
        .collect();
    pids.sort_unstable();
    if pids.is_empty() {
        return Err(CommandError::new(format!(
            "No process of a program \"{name}\" was found."
        )));
    }
    Ok(pids)
}

/// Whether a process's command or program file has the name; `comm` holds fifteen bytes only.
fn is_named(pid: i32, name: &str) -> bool {
    let comm = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    if comm.trim_end() == name {
        return true;
    }
    std::fs::read_link(format!("/proc/{pid}/exe"))
        .ok()
        .and_then(|path| Some(path.file_name()? == name))
        .unwrap_or(false)
}

/// The set that is meant, if any is named.
fn set_of(interpreter: &Interpreter, text: &str) -> Result<Option<Set>, CommandError> {
    if text.is_empty() {
        return Ok(interpreter.scope.clone());
    }
    Ok(Some(Set::parse(text)?))
}

fn detach(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let set = set_of(interpreter, call.arguments)?;
    let views = interpreter.at().detach(set.as_ref())?;
    let text = views
        .iter()
        .map(|view| {
            format!(
                "[Inferior {} ({}process {}) detached]\n",
                view.number,
                named(view),
                view.pid
            )
        })
        .collect::<String>();
    Ok(Answer::with(text, views))
}

fn kill(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let set = set_of(interpreter, call.arguments)?;
    if !interpreter.debugger.has_processes() {
        return Err("The program is not being run.".into());
    }
    let question = if set.is_some() {
        "Kill the processes of the set?"
    } else {
        "Kill the program being debugged?"
    };
    if !interpreter.confirmed(question, call.lines) {
        return Err("Not confirmed.".into());
    }
    let views = interpreter.at().kill(set.as_ref())?;
    let text = views
        .iter()
        .filter(|view| !matches!(view.state, ProcessState::Detached))
        .map(|view| {
            format!(
                "[Inferior {} ({}process {}) killed]\n",
                view.number,
                named(view),
                view.pid
            )
        })
        .collect::<String>();
    Ok(Answer::with(text, views))
}

/// The name in front of the pid, where numbers alone would not say much.
fn named(view: &ProcessView) -> String {
    if view.number > 1 {
        format!("{}, ", view.name)
    } else {
        String::new()
    }
}
