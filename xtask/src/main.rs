//! The chores of the project, run as `cargo x CHORE`.
//!
//! Everything that CI does is `cargo x test`; each of its steps is a chore of its own, so that a
//! failure can be repeated alone.
#![forbid(unsafe_code)]

mod bench;
mod check_runtime;
mod failure;
mod gauntlet;
mod process;
mod scratch;
mod test;
mod tidy;
mod workspace;

use failure::{Failure, failure};
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo x CHORE

  test [--fast]              everything that CI runs; --fast leaves out the fuzzer and the gauntlet
  tidy                       style as a test: dependencies, lengths, links, docs, unsafe; prints figures
  tidy --edges               who uses whom among the modules of the runtime, by which names, and the cycle
  check-runtime [FILE]       proof that the shipped runtime library cannot panic, allocate or import
  gauntlet [--plain] [NAME…] real programs: record, replay, compare; --plain runs them unrecorded
  bench record [--quick] [--json] [--write]
                             the numbers of recording, each with its bar; --write keeps the run and makes
                             docs/benchmarks.md anew
  bench locks [--quick] [--json] [--write]
                             the same for threads in parallel and their locks
  bench debugger [--quick] [--json] [--write]
                             the debugger against gdb: start, conditions, halts, stacks
  fuzz [SECONDS]             the trace reader, symbols and expressions against damaged input

The environment variable WAYFARER names a `wayfarer` to use instead of building one.
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}

fn run(words: &[&str]) -> Result<(), Failure> {
    match words {
        ["test"] => test::run(test::Extent::Everything),
        ["test", "--fast"] => test::run(test::Extent::Fast),
        ["tidy"] => tidy::run(),
        ["tidy", "--edges"] => tidy::edges(),
        ["check-runtime"] => check_runtime::run(None),
        ["check-runtime", library] => check_runtime::run(Some(library)),
        ["gauntlet", rest @ ..] => gauntlet::run(rest),
        ["bench", "record", options @ ..] => bench::record(options),
        ["bench", "locks", options @ ..] => bench::locks(options),
        ["bench", "debugger", options @ ..] => bench::debugger(options),
        ["fuzz"] => test::fuzz(60),
        ["fuzz", seconds] => match seconds.parse() {
            Ok(seconds) => test::fuzz(seconds),
            Err(_) => Err(Failure::usage(format!(
                "'{seconds}' is not a number of seconds"
            ))),
        },
        [] | ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            Ok(())
        }
        _ => Err(failure(format!(
            "unknown chore: {}\n\n{USAGE}",
            words.join(" ")
        ))),
    }
}
