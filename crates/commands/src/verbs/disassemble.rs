//! `disassemble`.

use std::collections::HashMap;

use wayfarer_debugger::DisassembleSpec;

use crate::answer::{Answer, CommandError};
use crate::command::{Call, Chapter, Command, Completes};
use crate::interpreter::Interpreter;
use crate::text::code::{DisassemblyStyle, disassembly};
use crate::words::split_word;

pub const COMMANDS: &[Command] = &[Command::new("disassemble", Chapter::Source, disassemble)
    .aliases(&["disas"])
    .usage(&["[/s] [/r] [LOCATION]", "[/s] [/r] START,END", "[/s] [/r] START,+LENGTH"])
    .help(
        "Show machine code.",
        "Without arguments the function of the selected frame. `/s` (or `/m`) puts the lines of source between, `/r` shows \
the bytes.",
    )
    .completes(Completes::Function)];

fn disassemble(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    let mut style = DisassemblyStyle::default();
    let mut what = call.arguments;
    while what.starts_with('/') {
        let (word, rest) = split_word(what);
        for letter in word[1..].chars() {
            match letter {
                's' | 'm' => style.source = true,
                'r' | 'b' => style.bytes = true,
                _ => {
                    return Err(CommandError::new(format!(
                        "Invalid disassembly modifier '{letter}'."
                    )));
                }
            }
        }
        what = rest;
    }
    let view = interpreter.at().disassemble(DisassembleSpec {
        what: what.to_owned(),
        source: style.source,
    })?;
    let mut files: HashMap<String, Vec<String>> = HashMap::new();
    let text = disassembly(&view, style, |file, line| {
        let lines = files.entry(file.to_owned()).or_insert_with(|| {
            std::fs::read_to_string(file)
                .map(|text| text.lines().map(str::to_owned).collect())
                .unwrap_or_default()
        });
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        lines.get(index).cloned()
    });
    Ok(Answer::with(text, view))
}
