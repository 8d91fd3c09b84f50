//! The table of all commands, put together from the families.

use std::sync::LazyLock;

use crate::command::Command;
use crate::verbs;

const FAMILIES: &[&[Command]] = &[
    verbs::starting::COMMANDS,
    verbs::stepping::COMMANDS,
    verbs::positions::COMMANDS,
    verbs::breaking::COMMANDS,
    verbs::breakpoint_upkeep::COMMANDS,
    verbs::dprintf::COMMANDS,
    verbs::watching::COMMANDS,
    verbs::catching::COMMANDS,
    verbs::signals::COMMANDS,
    verbs::frames::COMMANDS,
    verbs::print::COMMANDS,
    verbs::call::COMMANDS,
    verbs::types::COMMANDS,
    verbs::examine::COMMANDS,
    verbs::search::COMMANDS,
    verbs::display::COMMANDS,
    verbs::list::COMMANDS,
    verbs::disassemble::COMMANDS,
    verbs::processes::COMMANDS,
    verbs::threads::COMMANDS,
    verbs::focus::COMMANDS,
    verbs::barrier::COMMANDS,
    verbs::info::COMMANDS,
    verbs::settings::COMMANDS,
    verbs::help::COMMANDS,
    verbs::shell::COMMANDS,
    verbs::define::COMMANDS,
];

static TABLE: LazyLock<Vec<Command>> = LazyLock::new(|| {
    FAMILIES
        .iter()
        .flat_map(|family| family.iter().copied())
        .collect()
});

/// All commands.
pub fn commands() -> &'static [Command] {
    &TABLE
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::lookup::{LookupError, find};

    fn unique(table: &[Command], path: &str) {
        let mut seen = HashSet::new();
        for command in table {
            for name in command.names() {
                assert!(seen.insert(name), "{path}{name} stands twice in the table");
            }
            unique(command.below, &format!("{path}{} ", command.name));
        }
    }

    #[test]
    fn every_name_means_one_command() {
        unique(commands(), "");
    }

    #[test]
    fn letters_and_prefixes_are_those_of_gdb() {
        let pairs = [
            ("b", "break"),
            ("br", "break"),
            ("tb", "tbreak"),
            ("c", "continue"),
            ("cont", "continue"),
            ("s", "step"),
            ("n", "next"),
            ("si", "stepi"),
            ("ni", "nexti"),
            ("fin", "finish"),
            ("u", "until"),
            ("r", "run"),
            ("bt", "backtrace"),
            ("where", "backtrace"),
            ("f", "frame"),
            ("up", "up"),
            ("down", "down"),
            ("p", "print"),
            ("i", "info"),
            ("l", "list"),
            ("x", "x"),
            ("q", "quit"),
            ("h", "help"),
            ("d", "delete"),
            ("k", "kill"),
            ("j", "jump"),
            ("dis", "disable"),
            ("disas", "disassemble"),
            ("disp", "display"),
            ("undisp", "undisplay"),
            ("en", "enable"),
            ("cond", "condition"),
            ("wat", "watch"),
            ("rw", "rwatch"),
            ("aw", "awatch"),
            ("pt", "ptype"),
            ("wha", "whatis"),
            ("han", "handle"),
            ("inferior", "proc"),
            ("t", "thread"),
            ("sh", ""),
            ("!", "shell"),
            ("det", "detach"),
            ("att", "attach"),
            ("adv", "advance"),
            ("sta", ""),
        ];
        for (typed, expected) in pairs {
            match find(commands(), typed) {
                Ok(command) => assert_eq!(command.name, expected, "{typed}"),
                Err(LookupError::Ambiguous(_)) => assert_eq!(expected, "", "{typed} is ambiguous"),
                Err(LookupError::Unknown) => panic!("{typed} is unknown"),
            }
        }
    }
}
