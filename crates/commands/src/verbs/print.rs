//! Values: print, output, printf, echo.

use serde::Serialize;
use wayfarer_debugger::view::{NodeView, ValueView};

use crate::answer::{Answer, CommandError};
use crate::command::{Call, Chapter, Command, Completes, Spread};
use crate::interpreter::Interpreter;
use crate::words::{split_format, split_word, unescape};

pub const COMMANDS: &[Command] = &[
    Command::new("print", Chapter::Data, print)
        .aliases(&["p", "inspect"])
        .usage(&["[OPTION…] [--] [/FORMAT] [EXPRESSION]"])
        .help(
            "Show the value of an expression.",
            "FORMAT is a letter: x hexadecimal, d signed, u unsigned, o octal, t binary, a address, c character, f floating \
point, s string, z hexadecimal with zeros. The value goes into the history as `$1`, `$2` …; `$` is the last, `$$` the one \
before. `EXPRESSION = VALUE` assigns. `NAME:EXPRESSION` is evaluated in that process, `NAME.T:EXPRESSION` in its thread T. \
OPTION is a `print` setting for this value only: `-pretty`, `-object`, `-union`, `-address`, `-symbol`, `-printers`, each with \
`on` or `off` after it if need be; `-elements N`, `-repeats N`, `-max-depth N`; `-raw-values`; and `-debug`, which calls a Rust \
type's own `Debug`.",
        )
        .completes(Completes::Expression),
    Command::new("output", Chapter::Data, output)
        .usage(&["[/FORMAT] EXPRESSION"])
        .help("Show a value without history, name or newline.", "")
        .completes(Completes::Expression),
    Command::new("printf", Chapter::Data, |interpreter, call| {
        let text = interpreter.at().printf(call.arguments)?;
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

/// What stands after the slash, for the debugger.
pub fn format_text(format: crate::words::Format) -> Option<String> {
    let mut text = String::new();
    if let Some(count) = format.count {
        text.push_str(&count.to_string());
    }
    text.extend(format.letter);
    text.extend(format.size);
    (!text.is_empty()).then_some(text)
}

/// Options of `print`, each a setting for this one value.
const SWITCHES: &[&str] = &[
    "address", "debug", "object", "pretty", "printers", "symbol", "union",
];
const NUMBERS: &[&str] = &["elements", "max-depth", "repeats"];

/// A setting and its value.
type Choice = (String, String);

/// Takes options off the front: settings with their values, and what is left.
fn options(mut text: &str) -> Result<(Vec<Choice>, &str), CommandError> {
    let mut settings = Vec::new();
    loop {
        let (word, rest) = split_word(text);
        let Some(name) = word.strip_prefix('-').filter(|name| !name.is_empty()) else {
            return Ok((settings, text));
        };
        let known = |names: &[&'static str]| {
            let exact = names.iter().find(|known| **known == name).copied();
            exact.or_else(|| {
                let mut begun = names.iter().filter(|known| known.starts_with(name));
                begun.next().copied().filter(|_| begun.next().is_none())
            })
        };
        let (value, tail) = split_word(rest);
        if word == "--" {
            return Ok((settings, rest));
        } else if name == "raw-values" {
            settings.push(("print printers".to_owned(), "off".to_owned()));
            text = rest;
        } else if let Some(switch) = known(SWITCHES) {
            let given = matches!(value, "on" | "off");
            let (value, tail) = if given { (value, tail) } else { ("on", rest) };
            settings.push((format!("print {switch}"), value.to_owned()));
            text = tail;
        } else if let Some(number) = known(NUMBERS) {
            if value.parse::<u32>().is_err() && value != "unlimited" {
                return Err(CommandError::new(format!(
                    "-{number} requires an argument: a number or unlimited."
                )));
            }
            settings.push((format!("print {number}"), value.to_owned()));
            text = tail;
        } else {
            // `-x` is a value with a sign.
            return Ok((settings, text));
        }
    }
}

fn print(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let (settings, text) = options(call.arguments)?;
    let (format, expression) = split_format(text)?;
    let format = format_text(format);
    let mut before = Vec::new();
    for (name, value) in &settings {
        before.push((name, interpreter.debugger.show(name)?));
        interpreter.debugger.set(name, value)?;
    }
    let result = interpreter.at().print(expression, format.as_deref());
    for (name, value) in before.into_iter().rev() {
        interpreter.debugger.set(name, &value)?;
    }
    let view = result?;
    Ok(value(interpreter, shown(&view), view))
}

/// The answer that shows a value; as data it is the root of its tree, too.
pub fn value(interpreter: &mut Interpreter, text: String, view: ValueView) -> Answer {
    let handle = view
        .handle
        .as_ref()
        .filter(|_| interpreter.output.is_json());
    let node = handle.and_then(|handle| interpreter.debugger.open(handle).ok());
    Answer::with(text, Described { view, node })
}

/// A value's text, and what it is in short.
#[derive(Serialize)]
struct Described {
    #[serde(flatten)]
    view: ValueView,
    #[serde(flatten)]
    node: Option<NodeView>,
}

fn output(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let (format, expression) = split_format(call.arguments)?;
    if expression.is_empty() {
        return Err("Argument required (expression to compute).".into());
    }
    let view = interpreter
        .at()
        .evaluate(expression, format_text(format).as_deref())?;
    Ok(value(interpreter, view.text.clone(), view))
}

#[cfg(test)]
mod tests {
    use super::options;

    #[test]
    fn options_are_settings() {
        let read = |text| {
            let (settings, rest) = options(text).expect("options");
            let settings: Vec<String> = settings
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            (settings.join(" "), rest.to_owned())
        };
        assert_eq!(read("a + b"), (String::new(), "a + b".to_owned()));
        assert_eq!(read("-5"), (String::new(), "-5".to_owned()));
        assert_eq!(read("-x"), (String::new(), "-x".to_owned()));
        assert_eq!(
            read("-pretty -elements 3 -- -x"),
            (
                "print pretty=on print elements=3".to_owned(),
                "-x".to_owned()
            )
        );
        assert_eq!(
            read("-obj off -d p"),
            ("print object=off print debug=on".to_owned(), "p".to_owned())
        );
        assert!(options("-elements many x").is_err());
    }
}
