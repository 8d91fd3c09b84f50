//! Halting and resuming many processes with many threads.

use super::session::Session;
use super::{debuggee, median};
use crate::bench::Bench;
use crate::bench::report::{Bar, Line};
use crate::bench::runs::output;
use crate::failure::{Failure, failure};
use crate::{process, workspace};
use std::path::Path;
use std::process::Command;

const PROCESSES: usize = 64;
const THREADS: usize = 4;

/// What one halt took, in milliseconds.
struct Halt {
    /// From before the first thread is asked to stop until the last has been seen stopped.
    first_to_last: f64,
    /// From the question to the answer, as the debugger's side sees it.
    answered: f64,
    /// The resume after it.
    resumed: f64,
}

pub fn lines(bench: &Bench) -> Result<Vec<Line>, Failure> {
    let halts = measure(bench, &debuggee(bench)?)?;
    let line = |key, what, pick: fn(&Halt) -> f64, bar| Line {
        key,
        what,
        unit: "ms",
        plain: None,
        recorded: None,
        value: median(&halts.iter().map(pick).collect::<Vec<_>>()),
        bar,
    };
    Ok(vec![
        line(
            "halt_first_to_last",
            "64 processes x 4 threads: first to last stopped",
            |halt| halt.first_to_last,
            Bar::AtMost(20.0),
        ),
        line(
            "halt_answered",
            "the same: halt asked to halt answered",
            |halt| halt.answered,
            Bar::None,
        ),
        line(
            "halt_resumed",
            "the same: resume asked to resume answered",
            |halt| halt.resumed,
            Bar::None,
        ),
    ])
}

fn measure(bench: &Bench, debuggee: &Path) -> Result<Vec<Halt>, Failure> {
    let probe = probe()?;
    let (processes, threads) = (PROCESSES.to_string(), THREADS.to_string());
    let mut programs = Command::new(debuggee);
    let mut running = Session::start(programs.args(["processes", &processes, &threads]))?;
    for _ in 0..PROCESSES {
        running.wait_for("up\n")?;
    }
    let mut command = Command::new(probe);
    command
        .arg(&bench.wayfarer)
        .arg((4 * bench.rounds).to_string())
        .arg(running.id().to_string());
    for child in process::children(running.id()) {
        command.arg(child.to_string());
    }
    let said = output(&mut command)?;
    let halts: Option<Vec<Halt>> = said.lines().map(parse).collect();
    halts
        .filter(|halts| !halts.is_empty())
        .ok_or_else(|| failure(format!("the probe said: {said}")))
}

/// A line of the probe: threads, then three times in milliseconds.
fn parse(line: &str) -> Option<Halt> {
    let words: Vec<f64> = line
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    match words[..] {
        [threads, first_to_last, answered, resumed] => (threads == (PROCESSES * THREADS) as f64)
            .then_some(Halt {
                first_to_last,
                answered,
                resumed,
            }),
        _ => None,
    }
}

/// A debugger of the simplest kind, which asks the agent and reads its clock.
fn probe() -> Result<std::path::PathBuf, Failure> {
    let words = ["build", "--release", "--quiet", "-p", "wayfarer-agent"];
    workspace::run(workspace::cargo(&words).args(["--example", "halt"]))?;
    let target = workspace::target_directory(&workspace::root().join("Cargo.toml"))?;
    Ok(target.join("release/examples/halt"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_halt_that_missed_threads_does_not_count() {
        assert!(parse("256 1.5 2.5 0.5").is_some());
        assert!(parse("255 1.5 2.5 0.5").is_none());
        assert!(parse("nothing").is_none());
    }
}
