//! Completion: what can stand at the cursor, by the row of the table that the line has reached.

use crate::command::{Command, Completes};
use crate::interpreter::Interpreter;
use crate::lookup;
use crate::settings::{self, SETTINGS};
use crate::table;

/// What can replace the text from `start` to the cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// Byte offset in the line.
    pub start: usize,
    pub candidates: Vec<String>,
}

/// More names than this are of no help.
const MOST: usize = 200;

/// Completes a line that ends at the cursor.
pub fn complete(interpreter: &mut Interpreter, line: &str) -> Completion {
    let lead = line.len() - line.trim_start().len();
    let mut done = command(interpreter, &line[lead..], lead);
    done.candidates.sort();
    done.candidates.dedup();
    done.candidates.truncate(MOST);
    done
}

/// A command and its arguments; `at` is where `text` begins in the line.
fn command(interpreter: &mut Interpreter, text: &str, at: usize) -> Completion {
    let (word, rest) = lookup::split_command(text);
    if rest.is_empty() && !text.ends_with(char::is_whitespace) && word.len() == text.len() {
        let mut candidates = names(table::commands(), word);
        candidates.extend(
            interpreter
                .defined
                .keys()
                .chain(interpreter.aliases.keys())
                .filter(|name| name.starts_with(word))
                .cloned(),
        );
        return Completion {
            start: at,
            candidates,
        };
    }
    let meaning = interpreter.expand_alias(word);
    let Ok(command) = lookup::find(table::commands(), meaning.trim()) else {
        return Completion::default();
    };
    let start = at + text.len() - text[word.len()..].trim_start().len();
    arguments(interpreter, command, text[word.len()..].trim_start(), start)
}

/// The names in a table that begin with a word; letters are left out, they are complete.
fn names(table: &'static [Command], word: &str) -> Vec<String> {
    table
        .iter()
        .filter(|command| command.name.starts_with(word))
        .map(|command| command.name.to_owned())
        .collect()
}

fn arguments(
    interpreter: &mut Interpreter,
    command: &'static Command,
    text: &str,
    at: usize,
) -> Completion {
    if !command.below.is_empty() {
        let (word, _) = lookup::split_command(text);
        let typing = word.len() == text.len();
        if !typing && let Ok(below) = lookup::find(command.below, word) {
            let rest = text[word.len()..].trim_start();
            return arguments(interpreter, below, rest, at + text.len() - rest.len());
        }
        if typing {
            let mut candidates = names(command.below, word);
            if command.takes_own_arguments {
                candidates.extend(by_kind(interpreter, command.completes, text, at).candidates);
            }
            return Completion {
                start: at,
                candidates,
            };
        }
        if !command.takes_own_arguments {
            return Completion::default();
        }
    }
    by_kind(interpreter, command.completes, text, at)
}

/// Text after the last character of `stops`, and where it begins.
fn tail(text: &str, at: usize, stops: impl Fn(char) -> bool) -> (&str, usize) {
    let from = text
        .char_indices()
        .rev()
        .find(|(_, c)| stops(*c))
        .map_or(0, |(index, c)| index + c.len_utf8());
    (&text[from..], at + from)
}

fn by_kind(interpreter: &mut Interpreter, kind: Completes, text: &str, at: usize) -> Completion {
    let (word, start) = tail(text, at, char::is_whitespace);
    let candidates = match kind {
        Completes::Nothing | Completes::Below => Vec::new(),
        Completes::Words(words) => begin(words.iter().copied(), word),
        Completes::Location => return location(interpreter, text, at),
        Completes::Expression => return expression(interpreter, text, at),
        Completes::Function => interpreter.at().complete_function(word, MOST),
        Completes::Type => {
            let types = interpreter.at().info_types(&format!("^{word}"));
            let mut found: Vec<String> = types
                .map(|views| views.into_iter().map(|view| view.name).collect())
                .unwrap_or_default();
            let variables = expression(interpreter, text, at);
            if variables.start == start {
                found.extend(variables.candidates);
            }
            found
        }
        Completes::Set => return set(interpreter, text, at),
        Completes::SetAndCommand => match text.split_once(char::is_whitespace) {
            None => return set(interpreter, text, at),
            Some((first, rest)) => {
                let skipped = rest.len() - rest.trim_start().len();
                return command_at(interpreter, rest, at + first.len() + 1 + skipped);
            }
        },
        Completes::Command => return command_at(interpreter, text, at),
        Completes::File => files(word),
        Completes::Setting => return setting(text, at),
        Completes::Signal => {
            let signals = interpreter.debugger.signals();
            let mut found = begin(signals.iter().map(|view| view.name.as_str()), word);
            found.extend(begin(
                [
                    "all", "stop", "nostop", "print", "noprint", "pass", "nopass",
                ]
                .into_iter(),
                word,
            ));
            found
        }
        Completes::Register => {
            let registers = interpreter.at().registers(&["all"]).unwrap_or_default();
            begin(registers.iter().map(|view| view.name.as_str()), word)
        }
    };
    Completion { start, candidates }
}

fn command_at(interpreter: &mut Interpreter, text: &str, at: usize) -> Completion {
    command(interpreter, text.trim_start(), at)
}

fn begin<'a>(names: impl Iterator<Item = &'a str>, word: &str) -> Vec<String> {
    names
        .filter(|name| name.starts_with(word))
        .map(str::to_owned)
        .collect()
}

/// `FILE:FUNCTION`, a function or a file; after `if` an expression, after `on` a set.
fn location(interpreter: &mut Interpreter, text: &str, at: usize) -> Completion {
    for (clause, kind) in [("if", Completes::Expression), ("on", Completes::Set)] {
        if let Some((_, rest)) = crate::words::split_at_word(text, clause) {
            return by_kind(interpreter, kind, rest, at + text.len() - rest.len());
        }
    }
    let (word, start) = tail(text, at, char::is_whitespace);
    let single_colon = word
        .rfind(':')
        .filter(|index| !word[..*index].ends_with(':') && !word[*index..].starts_with("::"));
    if let Some(colon) = single_colon {
        return Completion {
            start: start + colon + 1,
            candidates: interpreter.at().complete_function(&word[colon + 1..], MOST),
        };
    }
    let mut candidates = interpreter.at().complete_function(word, MOST);
    candidates.extend(
        interpreter
            .at()
            .complete_file(word, MOST)
            .into_iter()
            .map(|file| format!("{file}:")),
    );
    Completion { start, candidates }
}

/// A variable or function, a field after `.` or `->`, a register or history value after `$`.
fn expression(interpreter: &mut Interpreter, text: &str, at: usize) -> Completion {
    let part_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | ':');
    let (word, start) = tail(text, at, |c| !part_of_name(c));
    let before = &text[..text.len() - word.len()];
    let object = before
        .strip_suffix("->")
        .or_else(|| before.strip_suffix('.'));
    if let Some(object) = object {
        let part_of_path = |c: char| part_of_name(c) || matches!(c, '.' | '-' | '>' | '[' | ']');
        let (object, _) = tail(object, 0, |c| !part_of_path(c));
        return Completion {
            start,
            candidates: begin(fields(interpreter, object).iter().map(String::as_str), word),
        };
    }
    if let Some(name) = word.strip_prefix('$') {
        let registers = interpreter.at().registers(&["all"]).unwrap_or_default();
        let mut names: Vec<String> = registers.into_iter().map(|view| view.name).collect();
        names.extend(
            interpreter
                .at()
                .convenience()
                .into_iter()
                .map(|(name, _)| name),
        );
        return Completion {
            start: start + 1,
            candidates: begin(names.iter().map(String::as_str), name),
        };
    }
    let mut candidates = interpreter.at().complete_variable(word);
    if !word.is_empty() {
        candidates.extend(interpreter.at().complete_function(word, MOST));
    }
    Completion { start, candidates }
}

/// The names of an object's fields, read from the definition of its type.
fn fields(interpreter: &mut Interpreter, object: &str) -> Vec<String> {
    let Ok(definition) = interpreter.at().ptype(object) else {
        return Vec::new();
    };
    fields_of(&definition)
}

fn fields_of(definition: &str) -> Vec<String> {
    definition
        .lines()
        .skip(1)
        .map(str::trim)
        .filter(|line| !line.starts_with('}') && !line.contains('('))
        .filter_map(|line| {
            let line = line.trim_end_matches([';', ',']);
            // Rust writes `name: type`, C and C++ `type name[4] : 3`.
            let name = match line.split_once(": ") {
                Some((name, _)) if !name.trim().contains(' ') => name.trim(),
                Some((declaration, _)) => last_name(declaration),
                None => last_name(line),
            };
            (!name.is_empty()).then(|| name.to_owned())
        })
        .collect()
}

fn last_name(declaration: &str) -> &str {
    let end = declaration.find('[').unwrap_or(declaration.len());
    let (name, _) = tail(declaration[..end].trim_end(), 0, |c| {
        !(c.is_alphanumeric() || c == '_')
    });
    name
}

/// Names of processes, and the words that sets begin with.
fn set(interpreter: &mut Interpreter, text: &str, at: usize) -> Completion {
    let (word, start) = tail(text, at, |c| c.is_whitespace() || matches!(c, ',' | '!'));
    let mut candidates = interpreter.debugger.complete_process(word);
    candidates.extend(begin(
        ["all", "@stopped", "@running", "@held", "@at("].into_iter(),
        word,
    ));
    Completion { start, candidates }
}

/// A setting's name, then its values.
fn setting(text: &str, at: usize) -> Completion {
    let by_name: Vec<String> = SETTINGS
        .iter()
        .filter(|setting| setting.name.starts_with(text))
        .map(|setting| setting.name.to_owned())
        .collect();
    if !by_name.is_empty() {
        return Completion {
            start: at,
            candidates: by_name,
        };
    }
    match settings::find(text) {
        Ok((setting, value)) => Completion {
            start: at + text.len() - value.len(),
            candidates: begin(setting.words().into_iter(), value),
        },
        Err(_) => Completion::default(),
    }
}

/// Paths in the file system; directories end with a slash.
fn files(word: &str) -> Vec<String> {
    let (directory, prefix) = match word.rfind('/') {
        Some(slash) => word.split_at(slash + 1),
        None => ("", word),
    };
    let path = if directory.is_empty() { "." } else { directory };
    let Ok(entries) = std::fs::read_dir(path) else {
        return Vec::new();
    };
    entries
        .filter_map(Result::ok)
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let hidden = name.starts_with('.') && !prefix.starts_with('.');
            if !name.starts_with(prefix) || hidden {
                return None;
            }
            let slash = if entry.path().is_dir() { "/" } else { "" };
            Some(format!("{directory}{name}{slash}"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_c_and_rust() {
        let c = "struct node {\n    int value;\n    struct node *next;\n    char name[8];\n    unsigned flag : 3;\n}";
        assert_eq!(fields_of(c), ["value", "next", "name", "flag"]);
        let rust = "struct Point {\n  x: i32,\n  name: alloc::string::String,\n}";
        assert_eq!(fields_of(rust), ["x", "name"]);
    }

    #[test]
    fn names_of_settings_and_their_values() {
        let done = setting("print pre", 4);
        assert_eq!(
            (done.start, done.candidates),
            (4, vec!["print pretty".to_owned()])
        );
        let done = setting("stop ", 4);
        assert_eq!(done.start, 9);
        assert_eq!(done.candidates, ["all", "process", "thread"]);
    }

    #[test]
    fn paths() {
        let here = files(concat!(env!("CARGO_MANIFEST_DIR"), "/Car"));
        assert!(
            here.iter().any(|path| path.ends_with("/Cargo.toml")),
            "{here:?}"
        );
    }
}
