//! The `wayfarer` command: reads the command line, calls the crate that does the work, says how it went.
//!
//! Our own words go to stderr with `wayfarer: ` in front; stdout belongs to the debuggee and to facts
//! that were asked for. Exit codes: 0 good, 1 the answer is no, 2 usage or bad input, 3 divergence, 125
//! Wayfarer itself failed; `record` gives the status of the recorded command.
#![forbid(unsafe_code)]

mod agent;
mod attach;
mod delays;
mod demo;
mod doctor;
mod history;
mod info;
mod info_json;
mod live;
mod options;
mod places;
mod record;
mod replay;
mod run;
mod say;
mod solidify;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::Parser;

use options::{Command, Options};

/// Wayfarer itself failed.
const OWN_FAILURE: i32 = 125;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        say::line(&format!(
            "internal error: {panic}; this is a bug in Wayfarer, please report it"
        ));
    }));
    let code = catch_unwind(AssertUnwindSafe(|| run(Options::parse()))).unwrap_or(OWN_FAILURE);
    ExitCode::from(u8::try_from(code & 0xff).unwrap_or(OWN_FAILURE as u8))
}

fn run(options: Options) -> i32 {
    match options.command {
        Command::Record(options) => record::run(&options),
        Command::Replay(options) => replay::run(&options),
        Command::Info(options) => info::run(&options),
        Command::History(options) => history::run(&options),
        Command::Solidify(options) => solidify::run(&options),
        Command::Run(options) => run::run(&options),
        Command::Attach(options) => attach::run(&options),
        Command::Agent(options) => agent::run(&options),
        Command::Doctor(options) => doctor::run(&options),
        Command::Demo => demo::run(),
    }
}
