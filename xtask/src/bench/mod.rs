//! `cargo x bench record`, `locks` and `debugger`: what recording costs and how the debugger compares with gdb,
//! each number with its bar.
//!
//! The two kinds of runs alternate, one warm-up pair is dropped, and medians are taken. These are
//! measurements and never tests: a miss is printed, not an error, because the machine is shared.

mod calls;
mod debugger;
mod locks;
mod measure;
mod page;
mod programs;
mod redis;
mod report;
mod runs;

use crate::failure::Failure;
use crate::scratch::Scratch;
use crate::{gauntlet, workspace};
use report::Report;
use std::path::PathBuf;

/// What every measurement needs.
struct Bench {
    wayfarer: PathBuf,
    scratch: Scratch,
    /// Pairs that are counted.
    rounds: usize,
}

impl Bench {
    /// A fresh name for a trace; the one before is removed first.
    fn trace(&self) -> PathBuf {
        let path = self.scratch.path().join("trace");
        // Nothing is there the first time.
        let _ = std::fs::remove_dir_all(&path);
        path
    }
}

/// `cargo x bench record`
pub fn record(options: &[&str]) -> Result<(), Failure> {
    let (bench, mut report) = prepare("record", options)?;
    report.add_all(redis::server_alone(&bench)?);
    report.add_all(redis::all_recorded(&bench)?);
    report.add_all(calls::run(&bench)?);
    report.add_all(programs::start_up(&bench)?);
    report.add_all(programs::make(&bench)?);
    report.add_all(programs::echo(&bench)?);
    report.finish()
}

/// `cargo x bench locks`
pub fn locks(options: &[&str]) -> Result<(), Failure> {
    let (bench, mut report) = prepare("locks", options)?;
    report.add_all(locks::lines(&bench)?);
    report.finish()
}

/// `cargo x bench debugger`
pub fn debugger(options: &[&str]) -> Result<(), Failure> {
    let (bench, mut report) = prepare("debugger", options)?;
    for lines in debugger::PARTS {
        report.add_all(lines(&bench)?);
    }
    report.finish()
}

/// Reads the options and builds what every benchmark needs.
fn prepare(name: &'static str, options: &[&str]) -> Result<(Bench, Report), Failure> {
    let mut rounds = 5;
    let mut json = false;
    let mut write = false;
    for option in options {
        match *option {
            "--quick" => rounds = 3,
            "--json" => json = true,
            "--write" => write = true,
            other => {
                return Err(Failure::usage(format!(
                    "bench {name}: unknown option {other}"
                )));
            }
        }
    }
    gauntlet::install_packages()?;
    let bench = Bench {
        wayfarer: workspace::wayfarer()?,
        scratch: Scratch::new("bench")?,
        rounds,
    };
    Ok((bench, Report::new(name, json, write)))
}
