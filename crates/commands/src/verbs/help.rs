//! `help` and `apropos`, from the table.

use std::fmt::Write;

use crate::answer::{Answer, CommandError};
use crate::command::{Call, Chapter, Command, Completes, Spread};
use crate::interpreter::{Interpreter, find_command};
use crate::table;

pub const COMMANDS: &[Command] = &[
    Command::new("help", Chapter::Support, help)
        .aliases(&["h"])
        .usage(&["", "CHAPTER", "COMMAND", "all"])
        .help(
            "Show what a command does.",
            "Without arguments the chapters are listed.",
        )
        .completes(Completes::Command)
        .spread(Spread::Whole),
    Command::new("apropos", Chapter::Support, apropos)
        .usage(&["WORD"])
        .help("Show the commands whose help has a word in it.", "")
        .spread(Spread::Whole),
];

fn help(interpreter: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    if call.arguments.is_empty() {
        return Ok(Answer::line(chapters()));
    }
    if call.arguments == "all" {
        let text: Vec<String> = Chapter::ALL
            .iter()
            .map(|chapter| of_chapter(*chapter))
            .collect();
        return Ok(Answer::line(text.join("\n\n")));
    }
    if let Some(chapter) = Chapter::ALL
        .iter()
        .find(|chapter| chapter.word() == call.arguments)
    {
        return Ok(Answer::line(of_chapter(*chapter)));
    }
    if let Some(defined) = interpreter.defined.get(call.arguments) {
        let text = if defined.document.is_empty() {
            "User-defined.".to_owned()
        } else {
            defined.document.join("\n")
        };
        return Ok(Answer::line(text));
    }
    let line = interpreter.expand_alias(call.arguments);
    let (command, rest, path) = find_command(&line)?;
    if !rest.is_empty() && !command.takes_own_arguments && !command.below.is_empty() {
        return Err(CommandError::new(format!(
            "Undefined command: \"{line}\".  Try \"help\"."
        )));
    }
    Ok(Answer::line(of_command(command, &path)))
}

fn chapters() -> String {
    let mut text = String::from("List of classes of commands:\n\n");
    for chapter in Chapter::ALL {
        let _ = writeln!(text, "{} -- {}.", chapter.word(), chapter.title());
    }
    text.push_str(
        "\nType \"help\" followed by a class name for a list of commands in that class.\n\
         Type \"help all\" for the list of all commands.\n\
         Type \"help\" followed by command name for full documentation.\n\
         Type \"apropos word\" to search for commands related to \"word\".\n\
         Command name abbreviations are allowed if unambiguous.",
    );
    text
}

fn of_chapter(chapter: Chapter) -> String {
    let mut text = format!("{}.\n\nList of commands:\n\n", chapter.title());
    for command in sorted(table::commands()) {
        if command.chapter == chapter {
            let names: Vec<&str> = command.names().collect();
            let _ = writeln!(text, "{} -- {}", names.join(", "), command.summary);
        }
    }
    text.trim_end().to_owned()
}

fn sorted(table: &'static [Command]) -> Vec<&'static Command> {
    let mut rows: Vec<&Command> = table.iter().collect();
    rows.sort_by_key(|command| command.name);
    rows
}

/// The commands below another, one a line.
pub fn list_below(path: &str, below: &'static [Command]) -> String {
    let mut text = format!("List of {path} subcommands:\n\n");
    for command in sorted(below) {
        let _ = writeln!(text, "{path} {} -- {}", command.name, command.summary);
    }
    let _ = write!(
        text,
        "\nType \"help {path}\" followed by subcommand name for full documentation."
    );
    text
}

/// The help of one command.
pub fn of_command(command: &Command, path: &str) -> String {
    let mut text = String::new();
    if !command.aliases.is_empty() {
        let _ = writeln!(text, "{path}, {}", command.aliases.join(", "));
    }
    let _ = writeln!(text, "{}", command.summary);
    if !command.usage.is_empty() {
        for (index, usage) in command.usage.iter().enumerate() {
            let lead = if index == 0 { "Usage:" } else { "      " };
            let _ = writeln!(text, "{lead} {}", format!("{path} {usage}").trim_end());
        }
    }
    if !command.details.is_empty() {
        let _ = writeln!(
            text,
            "\n{}",
            wrapped(&command.details.replace('`', "\""), 78)
        );
    }
    if !command.below.is_empty() {
        let _ = writeln!(text, "\n{}", list_below(path, command.below));
    }
    text.trim_end().to_owned()
}

/// Breaks lines at spaces.
fn wrapped(text: &str, width: usize) -> String {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines.join("\n")
}

fn apropos(_: &mut Interpreter, call: Call<'_>) -> Result<Answer, CommandError> {
    if call.arguments.is_empty() {
        return Err("REGEXP string is empty".into());
    }
    let word = call.arguments.to_lowercase();
    let mut found = Vec::new();
    for command in sorted(table::commands()) {
        search(command, "", &word, &mut found);
    }
    for setting in crate::settings::SETTINGS {
        if setting.name.contains(&word) || setting.summary.to_lowercase().contains(&word) {
            found.push((
                format!("set {}", setting.name),
                format!("Says {}.", setting.summary),
            ));
        }
    }
    let text: String = found
        .iter()
        .map(|(name, summary)| format!("{name} -- {summary}\n"))
        .collect();
    Ok(Answer::with(text, found))
}

fn search(command: &Command, above: &str, word: &str, found: &mut Vec<(String, String)>) {
    let path = format!("{above}{}", command.name);
    let has = |text: &str| text.to_lowercase().contains(word);
    if command.names().any(has) || has(command.summary) || has(command.details) {
        found.push((path.clone(), command.summary.to_owned()));
    }
    for below in command.below {
        search(below, &format!("{path} "), word, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(command: &Command, path: &str) {
        assert!(
            command.summary.ends_with('.'),
            "{path}: {:?}",
            command.summary
        );
        assert!(!command.summary.contains('\n'), "{path}");
        assert!(of_command(command, path).len() > 10, "{path}");
        for below in command.below {
            check(below, &format!("{path} {}", below.name));
        }
    }

    #[test]
    fn every_command_has_help() {
        for command in table::commands() {
            check(command, command.name);
        }
    }

    #[test]
    fn lines_are_broken_at_spaces() {
        assert_eq!(wrapped("aa bb cc", 5), "aa bb\ncc");
    }
}
