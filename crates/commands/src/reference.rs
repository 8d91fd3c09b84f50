//! The text of docs/commands.md, made from the table.

use std::fmt::Write;

use crate::command::{Chapter, Command};
use crate::settings;
use crate::table;

const HEAD: &str = include_str!("reference_head.md");

/// The whole reference, as docs/commands.md holds it.
pub fn reference() -> String {
    let mut text = String::from(HEAD);
    for chapter in Chapter::ALL {
        end_paragraph(&mut text);
        let _ = writeln!(text, "## {}\n", chapter.title());
        for command in table::commands()
            .iter()
            .filter(|command| command.chapter == chapter)
        {
            describe(&mut text, command, "");
        }
    }
    end_paragraph(&mut text);
    text.push_str("## Settings\n\n`set NAME VALUE` changes one, `show NAME` tells it.\n\n");
    text.push_str("| Setting | Values | At first | What it does |\n| --- | --- | --- | --- |\n");
    for setting in settings::SETTINGS {
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} |",
            setting.name,
            setting.values().replace('|', "\\|"),
            setting.initial,
            setting.summary
        );
    }
    text
}

/// One empty line before a title.
fn end_paragraph(text: &mut String) {
    text.truncate(text.trim_end().len());
    text.push_str("\n\n");
}

fn describe(text: &mut String, command: &Command, above: &str) {
    let full = format!("{above}{}", command.name);
    let _ = write!(text, "### `{full}`");
    if !command.aliases.is_empty() {
        let names: Vec<String> = command
            .aliases
            .iter()
            .map(|alias| format!("`{above}{alias}`"))
            .collect();
        let _ = write!(text, " ({})", names.join(", "));
    }
    let _ = writeln!(text, "\n\n{}\n", command.summary);
    if !command.usage.is_empty() {
        text.push_str("```\n");
        for usage in command.usage {
            let _ = writeln!(text, "{}", format!("{full} {usage}").trim_end());
        }
        text.push_str("```\n\n");
    }
    if !command.details.is_empty() {
        let _ = writeln!(text, "{}\n", command.details);
    }
    for below in command.below {
        describe(text, below, &format!("{full} "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_is_the_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/commands.md");
        let written = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            written == reference(),
            "docs/commands.md is out of date; write wayfarer_commands::reference() into it"
        );
    }
}
