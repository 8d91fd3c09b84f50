//! `cargo x bench debugger`: the debugger against gdb, in the same run and on the same programs.

mod condition;
mod halt;
mod session;
mod stacks;
mod start;

use super::Bench;
use super::report::{Bar, Line};
use super::runs::output;
use crate::failure::Failure;
use crate::workspace;
use std::path::PathBuf;
use std::process::Command;

pub use super::measure::median;

/// One part of the table.
type Part = fn(&Bench) -> Result<Vec<Line>, Failure>;

/// The table, in parts that are shown as they are known.
pub const PARTS: [Part; 4] = [start::lines, condition::lines, halt::lines, stacks::lines];

/// Which of the two.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tool {
    Gdb,
    Wayfarer,
}

impl Tool {
    /// The tool with a program that it shall debug and what it shall do first.
    fn command(self, bench: &Bench, commands: &[&str], program: &[&str]) -> Command {
        let (mut command, option, separator) = match self {
            Tool::Gdb => {
                let mut gdb = Command::new("gdb");
                gdb.args(["-nx", "-q"]);
                (gdb, "-ex", "--args")
            }
            Tool::Wayfarer => {
                let mut ours = Command::new(&bench.wayfarer);
                ours.arg("run");
                (ours, "-e", "--")
            }
        };
        for line in commands {
            command.args([option, line]);
        }
        command
            .arg(separator)
            .args(program)
            .env("XDG_CACHE_HOME", bench.scratch.path().join("cache"))
            .env("LC_ALL", "C")
            // No server is asked for debug information while a clock runs.
            .env_remove("DEBUGINFOD_URLS");
        command
    }
}

/// The C program of the benchmark, with debug information and without optimisation.
fn debuggee(bench: &Bench) -> Result<PathBuf, Failure> {
    let program = bench.scratch.path().join("debuggee");
    let source = workspace::root().join("benches/debuggee.c");
    let mut compiler = Command::new("gcc");
    compiler.args(["-g", "-O0", "-Wall", "-pthread", "-o"]);
    output(compiler.arg(&program).arg(source))?;
    Ok(program)
}

/// A ratio of medians, taken pair by pair.
fn ratio(key: &'static str, what: &'static str, pairs: &[(f64, f64)], bar: f64) -> Line {
    let pairs = super::measure::Pairs::new(pairs.iter().copied());
    Line {
        key,
        what,
        unit: "x",
        plain: Some(pairs.plain()),
        recorded: Some(pairs.recorded()),
        value: pairs.ratio(),
        bar: Bar::AtMost(bar),
    }
}
