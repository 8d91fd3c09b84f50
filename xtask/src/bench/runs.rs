//! Starting the programs of a benchmark, plain or recorded.

use super::Bench;
use super::measure::Run;
use crate::failure::{At, Failure, failure};
use crate::{process, scratch, workspace};
use std::process::Command;
use std::time::Duration;

/// No run takes a tenth of this when it works.
pub const LIMIT: Duration = Duration::from_secs(180);

/// The command itself, or under the recorder.
pub fn command(bench: &Bench, run: Run, words: &[&str]) -> Command {
    match run {
        Run::Plain => {
            let mut command = Command::new(words[0]);
            command.args(&words[1..]);
            command
        }
        Run::Recorded => {
            let mut command = Command::new(&bench.wayfarer);
            command
                .arg("record")
                .arg("-o")
                .arg(bench.trace())
                .arg("--")
                .args(words);
            command
        }
    }
}

/// Runs a command that must succeed within its time; gives its standard output.
pub fn output(command: &mut Command) -> Result<String, Failure> {
    let scratch = scratch::Scratch::new("output")?;
    let (stdout, stderr) = (scratch.path().join("stdout"), scratch.path().join("stderr"));
    process::output_to(command, &stdout, &stderr)?;
    let finished = process::run(command, LIMIT)?;
    if finished.succeeded() {
        return std::fs::read_to_string(&stdout).at("reading", &stdout);
    }
    let said = std::fs::read_to_string(&stderr).unwrap_or_default();
    let line = workspace::command_line(command);
    Err(failure(format!(
        "{line}: {}: {}",
        finished.describe(),
        said.trim()
    )))
}
