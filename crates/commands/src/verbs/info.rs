//! `info`: the state of the debugger and of the program.

use crate::answer::{Answer, CommandError};
use crate::command::{Call, Chapter, Command, Completes, Spread};
use crate::interpreter::Interpreter;
use crate::text;

use super::{display, focus, frames, info_symbols, processes, signals, threads};

const fn row(name: &'static str, run: crate::command::Run, summary: &'static str) -> Command {
    Command::new(name, Chapter::Status, run).help(summary, "")
}

/// Sorted by name, as `help info` shows them.
const BELOW: &[Command] = &[
    row(
        "address",
        info_symbols::address,
        "Where a variable or function is.",
    )
    .usage(&["NAME"])
    .completes(Completes::Expression),
    row(
        "all-registers",
        |interpreter, _| registers(interpreter, &["all"]),
        "All registers, vector and floating point too.",
    )
    .spread(Spread::EachThread),
    row("args", arguments, "Arguments of the selected frame.").spread(Spread::EachThread),
    row(
        "breakpoints",
        breakpoints,
        "Breakpoints, watchpoints, catchpoints, barriers.",
    )
    .aliases(&["b", "br"])
    .usage(&["[NUMBER…]"])
    .spread(Spread::Whole),
    row("display", display::info, "Expressions shown at each stop.").spread(Spread::Whole),
    row("frame", frame, "All about the selected frame.")
        .aliases(&["f"])
        .spread(Spread::EachThread),
    row(
        "functions",
        info_symbols::functions,
        "Functions of the program.",
    )
    .aliases(&["fu", "fun"])
    .usage(&["[REGEX]"])
    .completes(Completes::Function),
    row("line", info_symbols::line, "Where the code of a line is.")
        .usage(&["[LOCATION]"])
        .completes(Completes::Location),
    row("locals", locals, "Local variables of the selected frame.").spread(Spread::EachThread),
    row(
        "procs",
        processes::info,
        "Processes of the session, with their names and states.",
    )
    .aliases(&["inferiors", "processes"])
    .spread(Spread::Whole),
    row(
        "program",
        processes::program,
        "Where and why the program last stopped.",
    )
    .spread(Spread::Whole),
    row(
        "registers",
        |interpreter, call| {
            let names: Vec<&str> = call.arguments.split_whitespace().collect();
            registers(interpreter, &names)
        },
        "Registers of the selected frame.",
    )
    .aliases(&["r", "reg"])
    .usage(&["[NAME…]"])
    .completes(Completes::Register)
    .spread(Spread::EachThread),
    row(
        "scope",
        scope,
        "Variables of the selected frame with their types.",
    )
    .spread(Spread::EachThread),
    row(
        "set",
        focus::info,
        "Which processes and threads are in a set; without one, all settings.",
    )
    .usage(&["[SET]"])
    .completes(Completes::Set)
    .spread(Spread::Whole),
    row(
        "sharedlibrary",
        info_symbols::libraries,
        "Libraries that the process has loaded.",
    )
    .aliases(&["dll", "shared"])
    .usage(&["[REGEX]"]),
    row(
        "signals",
        signals::info,
        "What is done when the program gets a signal.",
    )
    .aliases(&["handle"])
    .usage(&["[SIGNAL]"])
    .completes(Completes::Signal)
    .spread(Spread::Whole),
    row(
        "source",
        info_symbols::source,
        "The source file of the selected frame.",
    )
    .spread(Spread::EachThread),
    row(
        "sources",
        info_symbols::sources,
        "Source files of the program.",
    )
    .usage(&["[TEXT]"]),
    row(
        "stack",
        frames::backtrace,
        "The stack; the same as `backtrace`.",
    )
    .aliases(&["s"])
    .spread(Spread::EachThread),
    row(
        "symbol",
        info_symbols::symbol,
        "Which symbol is at an address.",
    )
    .usage(&["ADDRESS"])
    .completes(Completes::Expression),
    row("threads", threads::info, "Threads and where they stand.")
        .usage(&["[SET]"])
        .completes(Completes::Set)
        .spread(Spread::Whole),
    row("types", info_symbols::types, "Types of the program.")
        .usage(&["[REGEX]"])
        .completes(Completes::Type),
    row(
        "variables",
        info_symbols::variables,
        "Global and static variables of the program.",
    )
    .usage(&["[REGEX]"])
    .completes(Completes::Expression),
    row("watchpoints", watchpoints, "Watchpoints.").spread(Spread::Whole),
];

pub const COMMANDS: &[Command] = &[
    Command::new("info", Chapter::Status, |_, _| {
        Ok(Answer::line(super::help::list_below("info", BELOW)))
    })
    .aliases(&["i", "inf"])
    .usage(&["SUBJECT"])
    .help("Show things about the program and the session.", "")
    .below(BELOW)
    .spread(Spread::Whole),
    Command::new("locals", Chapter::Data, locals)
        .help(
            "Show the local variables of the selected frame; the same as `info locals`.",
            "",
        )
        .spread(Spread::EachThread),
    Command::new("args", Chapter::Data, arguments)
        .help(
            "Show the arguments of the selected frame; the same as `info args`.",
            "",
        )
        .spread(Spread::EachThread),
];

fn breakpoints(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let mut views = interpreter.debugger.breakpoints();
    if !call.arguments.is_empty() {
        let wanted = crate::words::number_list(call.arguments)?;
        views.retain(|view| wanted.contains(&view.number));
        if views.is_empty() {
            return Ok(Answer::line(format!(
                "No breakpoint or watchpoint matching '{}'.",
                call.arguments
            )));
        }
    }
    if views.is_empty() {
        return Ok(Answer::with("No breakpoints or watchpoints.\n", views));
    }
    let several = interpreter.several_processes() && interpreter.debugger.has_processes();
    Ok(Answer::with(
        text::breakpoints::table(&views, several),
        views,
    ))
}

fn watchpoints(interpreter: &mut Interpreter, _: Call<'_>) -> Result<Answer, CommandError> {
    use wayfarer_debugger::view::BreakpointKind;
    let mut views = interpreter.debugger.breakpoints();
    views.retain(|view| matches!(view.what, BreakpointKind::Watchpoint { .. }));
    if views.is_empty() {
        return Ok(Answer::with("No watchpoints.\n", views));
    }
    let several = interpreter.several_processes() && interpreter.debugger.has_processes();
    Ok(Answer::with(
        text::breakpoints::table(&views, several),
        views,
    ))
}

fn arguments(interpreter: &mut Interpreter, _: Call<'_>) -> Result<Answer, CommandError> {
    let views = interpreter.at().arguments()?;
    let text = if views.is_empty() {
        "No arguments.\n".to_owned()
    } else {
        text::frame::variables(&views, "")
    };
    Ok(Answer::with(text, views))
}

fn locals(interpreter: &mut Interpreter, _: Call<'_>) -> Result<Answer, CommandError> {
    let views = interpreter.at().locals()?;
    let text = if views.is_empty() {
        "No locals.\n".to_owned()
    } else {
        text::frame::variables(&views, "")
    };
    Ok(Answer::with(text, views))
}

fn scope(interpreter: &mut Interpreter, _: Call<'_>) -> Result<Answer, CommandError> {
    let mut views = interpreter.at().arguments()?;
    views.extend(interpreter.at().locals()?);
    let mut text = String::new();
    for view in &views {
        let type_name = view.type_name.as_deref().unwrap_or("unknown type");
        let hidden = if view.shadowed {
            ", hides an outer one"
        } else {
            ""
        };
        text.push_str(&format!("{}: {type_name}{hidden}\n", view.name));
    }
    if views.is_empty() {
        text.push_str("The selected frame has no variables.\n");
    }
    Ok(Answer::with(text, views))
}

fn frame(interpreter: &mut Interpreter, _: Call<'_>) -> Result<Answer, CommandError> {
    let view = interpreter.at().frame_info()?;
    Ok(Answer::with(text::frame::frame_info(&view), view))
}

fn registers(interpreter: &mut Interpreter, names: &[&str]) -> Result<Answer, CommandError> {
    let names: Vec<&str> = names
        .iter()
        .map(|name| name.trim_start_matches('$'))
        .collect();
    let views = interpreter.at().registers(&names)?;
    Ok(Answer::with(text::code::registers(&views), views))
}
