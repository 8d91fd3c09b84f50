//! What is done with breakpoints that exist: condition, ignore, enable, disable, delete, clear, commands.

use crate::answer::{Answer, CommandError};
use crate::command::{Call, Chapter, Command, Completes, Spread};
use crate::interpreter::Interpreter;
use crate::lines::read_block;
use crate::words::{number_list, split_word};

pub const COMMANDS: &[Command] = &[
    Command::new("condition", Chapter::Stopping, condition)
        .usage(&["NUMBER [CONDITION]"])
        .help(
            "Make a breakpoint stop only when an expression is true.",
            "Without CONDITION the breakpoint stops always.",
        )
        .completes(Completes::Expression)
        .spread(Spread::Whole),
    Command::new("ignore", Chapter::Stopping, ignore)
        .usage(&["NUMBER COUNT"])
        .help("Pass over the next COUNT hits of a breakpoint.", "")
        .spread(Spread::Whole),
    Command::new("enable", Chapter::Stopping, enable)
        .aliases(&["en"])
        .usage(&["[NUMBER…]", "once NUMBER…", "delete NUMBER…", "display NUMBER…"])
        .help(
            "Enable breakpoints, watchpoints and catchpoints.",
            "Without numbers all of them. `once` disables again at the next stop, `delete` takes the breakpoint away then; \
`display` enables automatic displays.",
        )
        .completes(Completes::Words(&["delete", "display", "once"]))
        .spread(Spread::Whole),
    Command::new("disable", Chapter::Stopping, disable)
        .aliases(&["dis", "disa"])
        .usage(&["[NUMBER…]", "display NUMBER…"])
        .help("Disable breakpoints, watchpoints and catchpoints.", "Without numbers all of them.")
        .completes(Completes::Words(&["display"]))
        .spread(Spread::Whole),
    Command::new("delete", Chapter::Stopping, delete)
        .aliases(&["d", "del"])
        .usage(&["[NUMBER…]", "display [NUMBER…]"])
        .help(
            "Take breakpoints, watchpoints and catchpoints away.",
            "Without numbers all of them. Numbers can be ranges: `2 5-8`.",
        )
        .completes(Completes::Words(&["display"]))
        .spread(Spread::Whole),
    Command::new("clear", Chapter::Stopping, clear)
        .aliases(&["cl"])
        .usage(&["[LOCATION]"])
        .help(
            "Take the breakpoints at a location away.",
            "Without one, those where the selected frame stands.",
        )
        .completes(Completes::Location)
        .spread(Spread::Whole),
    Command::new("commands", Chapter::Stopping, commands)
        .usage(&["[NUMBER…]"])
        .help(
            "Set commands to be run when a breakpoint is hit.",
            "The commands follow, one a line, up to a line `end`. `silent` as the first keeps the stop itself from being \
shown. A command that runs the program on ends the list. Without NUMBER the last breakpoint made is meant; an empty list \
removes the commands.",
        )
        .spread(Spread::Whole),
];

fn number(word: &str) -> Result<u32, CommandError> {
    if word.is_empty() {
        return Err("Argument required (a breakpoint number).".into());
    }
    word.trim_start_matches('$')
        .parse()
        .map_err(|_| CommandError::new(format!("Bad breakpoint argument: '{word}'")))
}

fn condition(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let (word, expression) = split_word(call.arguments);
    let number = number(word)?;
    let wanted = (!expression.is_empty()).then_some(expression);
    interpreter.at().set_condition(number, wanted)?;
    match wanted {
        Some(_) => Ok(Answer::silent()),
        None => Ok(Answer::line(format!(
            "Breakpoint {number} now unconditional."
        ))),
    }
}

fn ignore(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let (word, count) = split_word(call.arguments);
    let number = number(word)?;
    if count.is_empty() {
        return Err("Second argument (specified ignore-count) is missing.".into());
    }
    let value = interpreter.at().evaluate(count, Some("d"))?;
    let count: i64 = value
        .text
        .parse()
        .map_err(|_| CommandError::new(format!("\"{count}\" is not a number.")))?;
    let count = u64::try_from(count).unwrap_or(0);
    interpreter.debugger.set_ignore(number, count)?;
    Ok(Answer::line(match count {
        0 => format!("Will stop next time breakpoint {number} is reached."),
        1 => format!("Will ignore next crossing of breakpoint {number}."),
        _ => format!("Will ignore next {count} crossings of breakpoint {number}."),
    }))
}

/// The numbers that are meant; all breakpoints when none is given.
fn meant(interpreter: &Interpreter, text: &str) -> Result<Vec<u32>, CommandError> {
    if text.is_empty() {
        return Ok(interpreter
            .debugger
            .breakpoints()
            .iter()
            .map(|view| view.number)
            .collect());
    }
    Ok(number_list(text)?)
}

fn enable(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let (word, rest) = split_word(call.arguments);
    match word {
        "display" => return displays(interpreter, rest, true),
        "once" | "delete" => {
            for number in number_list(rest)? {
                interpreter
                    .debugger
                    .enable_breakpoint_once(number, word == "delete")?;
            }
        }
        _ => {
            for number in meant(interpreter, call.arguments)? {
                interpreter.debugger.enable_breakpoint(number, true)?;
            }
        }
    }
    Ok(Answer::silent())
}

fn disable(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let (word, rest) = split_word(call.arguments);
    if word == "display" {
        return displays(interpreter, rest, false);
    }
    for number in meant(interpreter, call.arguments)? {
        interpreter.debugger.enable_breakpoint(number, false)?;
    }
    Ok(Answer::silent())
}

fn displays(
    interpreter: &mut Interpreter,
    text: &str,
    enabled: bool,
) -> Result<Answer, CommandError> {
    let numbers = if text.is_empty() {
        let displays = interpreter.at().displays();
        displays.iter().map(|view| view.number).collect()
    } else {
        number_list(text)?
    };
    for number in numbers {
        interpreter.debugger.enable_display(number, enabled)?;
    }
    Ok(Answer::silent())
}

fn delete(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let (word, rest) = split_word(call.arguments);
    if word == "display" {
        return super::display::remove(interpreter, rest);
    }
    let numbers = meant(interpreter, call.arguments)?;
    if call.arguments.is_empty()
        && !numbers.is_empty()
        && !interpreter.confirmed("Delete all breakpoints?", call.lines)
    {
        return Ok(Answer::silent());
    }
    for number in numbers {
        interpreter.debugger.delete_breakpoint(number)?;
        interpreter.output.set_silent(number, false);
    }
    Ok(Answer::silent())
}

fn clear(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let numbers = interpreter
        .at()
        .clear_breakpoints(&call.arguments.parse()?)?;
    let text: Vec<String> = numbers.iter().map(u32::to_string).collect();
    let plural = if numbers.len() == 1 { "" } else { "s" };
    Ok(Answer::with(
        format!("Deleted breakpoint{plural} {} \n", text.join(" ")),
        numbers,
    ))
}

fn commands(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let numbers = if call.arguments.is_empty() {
        let views = interpreter.debugger.breakpoints();
        let last = views.last().ok_or("No breakpoints specified.")?;
        vec![last.number]
    } else {
        number_list(call.arguments)?
    };
    // A wrong number is told before the block is typed, yet the block is read: it isn't meant for the prompt.
    let unknown = numbers
        .iter()
        .find_map(|number| interpreter.debugger.breakpoint(*number).err());
    if interpreter.interactive && unknown.is_none() {
        let list: Vec<String> = numbers.iter().map(u32::to_string).collect();
        interpreter.output.note(&format!(
            "Type commands for breakpoint(s) {}, one per line.\nEnd with a line saying just \"end\".\n",
            list.join(" ")
        ));
    }
    if let Some(error) = unknown {
        if !interpreter.interactive {
            read_block(call.lines, ">");
        }
        return Err(error.into());
    }
    let block = read_block(call.lines, ">");
    let silent = block.first().is_some_and(|line| line == "silent");
    for number in numbers {
        interpreter.debugger.set_commands(number, block.clone())?;
        if interpreter.debugger.breakpoint(number)?.temporary {
            interpreter.last_words.insert(number, block.clone());
        }
        interpreter.output.set_silent(number, silent);
    }
    Ok(Answer::with("", block))
}
