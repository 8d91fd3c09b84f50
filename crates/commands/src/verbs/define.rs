//! Commands of the user: define, document, alias; `if` and `while` in scripts.

use std::sync::atomic::Ordering;

use serde_json::json;

use crate::answer::{Answer, CommandError};
use crate::command::{Call, Chapter, Command, Completes, Spread};
use crate::interpreter::{Flow, Interpreter, find_command};
use crate::lines::read_block;

const fn row(name: &'static str, run: crate::command::Run) -> Command {
    Command::new(name, Chapter::Support, run).spread(Spread::Whole)
}

pub const COMMANDS: &[Command] = &[
    row("define", define)
        .usage(&["NAME"])
        .help(
            "Make a command out of others.",
            "The commands follow, one a line, up to a line `end`. In them `$arg0`, `$arg1` … stand for the words of a call, \
`$argc` for their number.",
        ),
    row("document", document)
        .usage(&["NAME"])
        .help("Write the help of a command made with `define`.", "The text follows, up to a line `end`."),
    row("alias", alias)
        .usage(&["", "NAME = COMMAND [ARGUMENTS]"])
        .help("Give a command another name, or show the names given.", "")
        .completes(Completes::Command),
    row("if", if_)
        .usage(&["CONDITION"])
        .help(
            "Run commands if a condition is true.",
            "They follow, one a line, up to `else` or `end`; those after `else` run if it is false.",
        )
        .completes(Completes::Expression),
    row("while", while_)
        .usage(&["CONDITION"])
        .help("Run commands as long as a condition is true.", "They follow, one a line, up to `end`.")
        .completes(Completes::Expression),
];

fn name_of(text: &str) -> Result<&str, CommandError> {
    let good = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    if text.is_empty() {
        return Err("Argument required (name of command to define).".into());
    }
    if !text.chars().all(good) {
        return Err(CommandError::new(format!(
            "\"{text}\" can't be the name of a command."
        )));
    }
    Ok(text)
}

fn define(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let name = name_of(call.arguments)?;
    let known =
        find_command(name).is_ok_and(|(command, ..)| command.names().any(|known| known == name));
    if known
        && !interpreter.confirmed(
            &format!("Really redefine built-in command \"{name}\"?"),
            call.lines,
        )
    {
        return Err("Command not redefined.".into());
    }
    if interpreter.interactive {
        interpreter.output.note(&format!(
            "Type commands for definition of \"{name}\".\nEnd with a line saying just \"end\".\n"
        ));
    }
    let body = read_block(call.lines, ">");
    interpreter.defined.entry(name.to_owned()).or_default().body = body;
    Ok(Answer::silent())
}

fn document(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let name = name_of(call.arguments)?;
    let text = read_block(call.lines, ">");
    let defined = interpreter
        .defined
        .get_mut(name)
        .ok_or_else(|| CommandError::new(format!("Undefined command: \"{name}\".")))?;
    defined.document = text;
    Ok(Answer::silent())
}

fn alias(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    if call.arguments.is_empty() {
        let text = interpreter
            .aliases
            .iter()
            .map(|(name, meaning)| format!("alias {name} = {meaning}\n"))
            .collect::<String>();
        return Ok(Answer::with(text, &interpreter.aliases));
    }
    let text = call
        .arguments
        .trim_start_matches("-a ")
        .trim_start_matches("-- ");
    let (name, meaning) = text
        .split_once('=')
        .ok_or("Usage: alias NAME = COMMAND [ARGUMENTS]")?;
    let (name, meaning) = (name_of(name.trim())?, meaning.trim());
    if !interpreter.defined.contains_key(meaning) {
        find_command(&interpreter.expand_alias(meaning))?;
    }
    if name == meaning {
        return Err("An alias can't stand for itself.".into());
    }
    interpreter
        .aliases
        .insert(name.to_owned(), meaning.to_owned());
    Ok(Answer::silent())
}

/// `show user`.
pub fn show(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let mut text = String::new();
    let mut values = serde_json::Map::new();
    for (name, defined) in &interpreter.defined {
        if !call.arguments.is_empty() && call.arguments != name {
            continue;
        }
        text.push_str(&format!("User command \"{name}\":\n"));
        for line in &defined.body {
            text.push_str(&format!("  {line}\n"));
        }
        text.push('\n');
        values.insert(name.clone(), json!(defined.body));
    }
    Ok(Answer::with(text, values))
}

fn if_(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let block = read_block(call.lines, ">");
    if call.arguments.is_empty() {
        return Err("if/while commands require arguments.".into());
    }
    let (yes, no) = split_else(block);
    let chosen = if interpreter.at().is_true(call.arguments)? {
        yes
    } else {
        no
    };
    ran(interpreter.block(chosen))
}

fn while_(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let block = read_block(call.lines, ">");
    if call.arguments.is_empty() {
        return Err("if/while commands require arguments.".into());
    }
    while interpreter.at().is_true(call.arguments)? {
        if interpreter.interrupt.load(Ordering::SeqCst) {
            return Err("Quit".into());
        }
        match interpreter.block(block.clone()) {
            Flow::Good => {}
            other => return ran(other),
        }
    }
    Ok(Answer::silent())
}

fn ran(flow: Flow) -> Result<Answer, CommandError> {
    match flow {
        Flow::Good => Ok(Answer::silent()),
        Flow::Quit => Ok(Answer {
            quit: true,
            ..Answer::silent()
        }),
        Flow::Failed => Err("Error in a block of commands.".into()),
    }
}

/// The lines before and after the `else` of this block.
fn split_else(block: Vec<String>) -> (Vec<String>, Vec<String>) {
    let mut depth = 0_i32;
    for (at, line) in block.iter().enumerate() {
        match line.split_whitespace().next().unwrap_or("") {
            "if" | "while" | "commands" | "define" | "document" => depth += 1,
            "end" => depth -= 1,
            "else" if depth == 0 => {
                let mut yes = block.clone();
                let no = yes.split_off(at);
                return (yes, no[1..].to_vec());
            }
            _ => {}
        }
    }
    (block, Vec::new())
}

#[cfg(test)]
mod tests {
    use super::split_else;

    #[test]
    fn the_else_of_an_inner_block_is_its_own() {
        let block: Vec<String> = ["if a", "x", "else", "y", "end", "else", "z"]
            .map(str::to_owned)
            .to_vec();
        let (yes, no) = split_else(block);
        assert_eq!(yes, ["if a", "x", "else", "y", "end"]);
        assert_eq!(no, ["z"]);
    }
}
