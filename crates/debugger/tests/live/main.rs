//! The debugger with a real agent and real programs.
//!
//! Each test launches programs through an agent. The agent must be a process of its own with one thread, so this
//! test program has its own main: started as `… agent --socket PATH` it is the agent.

mod bench;
mod breakpoints;
mod execution;
mod frames;
mod listening;
mod processes;
mod trees;
mod values;

use std::path::Path;
use std::process::ExitCode;

/// A test: its name and what it does.
type Test = (&'static str, fn());

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [agent, flag, socket] = arguments.as_slice()
        && agent == "agent"
        && flag == "--socket"
    {
        return match wayfarer_agent::serve(Path::new(socket)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("agent: {error}");
                ExitCode::FAILURE
            }
        };
    }
    let filter = arguments.iter().find(|argument| !argument.starts_with('-'));
    let listing = arguments.iter().any(|argument| argument == "--list");
    let tests = [
        breakpoints::TESTS,
        execution::TESTS,
        frames::TESTS,
        listening::TESTS,
        processes::TESTS,
        trees::TESTS,
        values::TESTS,
    ]
    .concat();
    let mut failed = 0;
    for (name, test) in tests {
        if filter.is_some_and(|filter| !name.contains(filter.as_str())) {
            continue;
        }
        if listing {
            println!("{name}: test");
            continue;
        }
        let outcome = std::panic::catch_unwind(test);
        println!(
            "test {name} ... {}",
            if outcome.is_ok() { "ok" } else { "FAILED" }
        );
        failed += u32::from(outcome.is_err());
    }
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
