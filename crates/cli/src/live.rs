//! What `wayfarer run`, `wayfarer attach` and `wayfarer replay` have in common: scripts, the prompt, the exit status.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches};
use wayfarer_commands::{Flow, Interpreter, ListedLines, Output, Standard};
use wayfarer_debugger::{Debugger, DebuggerError, Options};
use wayfarer_repl::Conversation;

use crate::say;

const GOOD: i32 = 0;
const COMMAND_FAILED: i32 = 1;
const BAD_INPUT: i32 = 2;
const OWN_FAILURE: i32 = 125;

/// Options of all three.
#[derive(Args)]
pub struct LiveOptions {
    #[command(flatten)]
    pub scripts: Scripts,
    /// End after the last command instead of showing a prompt; a command that fails ends it with exit status 1
    #[arg(long)]
    pub batch: bool,
    /// Print every answer and event as one JSON object a line
    #[arg(long)]
    pub json: bool,
}

/// `-x` and `-e` in the order in which they stand.
pub struct Scripts(Vec<Script>);

enum Script {
    File(PathBuf),
    Command(String),
}

impl Args for Scripts {
    fn augment_args(command: clap::Command) -> clap::Command {
        command
            .arg(
                Arg::new("script")
                    .short('x')
                    .value_name("FILE")
                    .action(ArgAction::Append)
                    .value_parser(clap::value_parser!(PathBuf))
                    .help("Run the debugger commands of a file"),
            )
            .arg(
                Arg::new("execute")
                    .short('e')
                    .value_name("COMMAND")
                    .action(ArgAction::Append)
                    .allow_hyphen_values(true)
                    .help("Run a debugger command"),
            )
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Scripts {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let files = matches
            .get_many::<PathBuf>("script")
            .unwrap_or_default()
            .map(|path| Script::File(path.clone()));
        let commands = matches
            .get_many::<String>("execute")
            .unwrap_or_default()
            .map(|line| Script::Command(line.clone()));
        let at = |name: &str| matches.indices_of(name).unwrap_or_default();
        let mut all: Vec<(usize, Script)> = at("script")
            .zip(files)
            .chain(at("execute").zip(commands))
            .collect();
        all.sort_by_key(|(index, _)| *index);
        Ok(Self(all.into_iter().map(|(_, script)| script).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Scripts {
    /// The lines of all of them; a block may begin in one and end in the next.
    fn lines(&self) -> Result<Vec<String>, String> {
        let mut lines = Vec::new();
        for script in &self.0 {
            match script {
                Script::Command(line) => lines.extend(line.lines().map(str::to_owned)),
                Script::File(path) => {
                    let text = std::fs::read_to_string(path)
                        .map_err(|error| format!("{}: {error}", path.display()))?;
                    lines.extend(text.lines().map(str::to_owned));
                }
            }
        }
        Ok(lines)
    }
}

/// A session from its beginning, made by `begin`, to its end.
pub fn converse(
    options: &LiveOptions,
    begin: impl FnOnce(&mut Interpreter) -> Result<(), DebuggerError>,
) -> i32 {
    let lines = match options.scripts.lines() {
        Ok(lines) => lines,
        Err(message) => {
            say::line(&message);
            return BAD_INPUT;
        }
    };
    let debugger = match Debugger::new(Options::default()) {
        Ok(debugger) => debugger,
        Err(error) => return refused(&error),
    };
    let output = Output::new(Box::new(Standard), options.json);
    let conversation = match Conversation::new(Interpreter::new(debugger, output)) {
        Ok(conversation) => conversation,
        Err(error) => {
            say::line(&format!("the prompt could not be set up: {error}"));
            return OWN_FAILURE;
        }
    };
    let begun = begin(&mut conversation.interpreter());
    let code = match begun {
        Ok(()) => talk(options, &conversation, lines),
        Err(error) => refused(&error),
    };
    match conversation.end() {
        Ok(()) => code,
        Err(error) if code == GOOD => refused(&error),
        Err(_) => code,
    }
}

fn talk(options: &LiveOptions, conversation: &Conversation, lines: Vec<String>) -> i32 {
    let flow = conversation.script(&mut ListedLines::new(lines));
    match flow {
        Flow::Quit => GOOD,
        Flow::Failed if options.batch => COMMAND_FAILED,
        Flow::Good | Flow::Failed => {
            if !options.batch {
                conversation.converse();
            }
            GOOD
        }
    }
}

/// Says why nothing could be begun; our own failures are told apart from wrong input.
fn refused(error: &DebuggerError) -> i32 {
    say::line(&error.to_string());
    match error {
        DebuggerError::AgentStart(_)
        | DebuggerError::AgentLost(_)
        | DebuggerError::Version { .. } => OWN_FAILURE,
        _ => BAD_INPUT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Only {
        #[command(flatten)]
        live: LiveOptions,
    }

    #[test]
    fn scripts_keep_their_order() {
        let options = Only::parse_from(["x", "-e", "a", "-x", "f", "-e", "-b", "--batch"]);
        let order: Vec<String> = options
            .live
            .scripts
            .0
            .iter()
            .map(|script| match script {
                Script::File(path) => format!("file {}", path.display()),
                Script::Command(line) => line.clone(),
            })
            .collect();
        assert_eq!(order, ["a", "file f", "-b"]);
        assert!(options.live.batch);
        assert!(options.live.scripts.lines().is_err());
    }
}
