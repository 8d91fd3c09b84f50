//! Values: print, output, printf, echo.

use wayfarer_debugger::view::ValueView;

use crate::answer::{Answer, CommandError};
use crate::command::{Call, Chapter, Command, Completes, Spread};
use crate::interpreter::Interpreter;
use crate::words::{split_format, split_word, unescape};

pub const COMMANDS: &[Command] = &[
    Command::new("print", Chapter::Data, print)
        .aliases(&["p", "inspect"])
        .usage(&["[-pretty] [/FORMAT] [EXPRESSION]"])
        .help(
            "Show the value of an expression.",
            "FORMAT is a letter: x hexadecimal, d signed, u unsigned, o octal, t binary, a address, c character, f floating \
point, s string, z hexadecimal with zeros. The value goes into the history as `$1`, `$2` …; `$` is the last, `$$` the one \
before. `EXPRESSION = VALUE` assigns. `NAME:EXPRESSION` is evaluated in that process, `NAME.T:EXPRESSION` in its thread T.",
        )
        .completes(Completes::Expression),
    Command::new("output", Chapter::Data, output)
        .usage(&["[/FORMAT] EXPRESSION"])
        .help("Show a value without history, name or newline.", "")
        .completes(Completes::Expression),
    Command::new("printf", Chapter::Data, |interpreter, call| {
        let text = interpreter.debugger.printf(call.arguments)?;
        Ok(Answer::with(text.clone(), text))
    })
    .usage(&["\"FORMAT\" [, EXPRESSION…]"])
    .help("Show values under a format as in C.", "")
    .completes(Completes::Expression),
    Command::new("echo", Chapter::Support, |_, call| {
        let text = unescape(call.arguments);
        Ok(Answer::with(text.clone(), text))
    })
    .usage(&["TEXT"])
    .help("Show a text; `\\n` ends a line.", "")
    .spread(Spread::Whole),
];

/// `$1 = 5`.
pub fn shown(view: &ValueView) -> String {
    match view.history {
        Some(number) => format!("${number} = {}\n", view.text),
        None => format!("{}\n", view.text),
    }
}

/// What stands behind the slash, for the debugger.
pub fn format_text(format: crate::words::Format) -> Option<String> {
    let mut text = String::new();
    if let Some(count) = format.count {
        text.push_str(&count.to_string());
    }
    text.extend(format.letter);
    text.extend(format.size);
    (!text.is_empty()).then_some(text)
}

fn print(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let mut text = call.arguments;
    let mut pretty = None;
    loop {
        let (word, rest) = split_word(text);
        match word {
            "-pretty" => pretty = Some("on"),
            "--" => {
                text = rest;
                break;
            }
            _ => break,
        }
        text = rest;
        if let Some(rest) = text.strip_prefix("on ") {
            text = rest;
        } else if let Some(rest) = text.strip_prefix("off ") {
            pretty = Some("off");
            text = rest;
        }
    }
    let (format, expression) = split_format(text)?;
    let format = format_text(format);
    let before = match pretty {
        Some(value) => {
            let before = interpreter.debugger.show("print pretty")?;
            interpreter.debugger.set("print pretty", value)?;
            Some(before)
        }
        None => None,
    };
    let result = interpreter.debugger.print(expression, format.as_deref());
    if let Some(before) = before {
        interpreter.debugger.set("print pretty", &before)?;
    }
    let view = result?;
    Ok(Answer::with(shown(&view), view))
}

fn output(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let (format, expression) = split_format(call.arguments)?;
    if expression.is_empty() {
        return Err("Argument required (expression to compute).".into());
    }
    let view = interpreter
        .debugger
        .evaluate(expression, format_text(format).as_deref())?;
    Ok(Answer::with(view.text.clone(), view))
}
