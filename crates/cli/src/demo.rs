//! `wayfarer demo`: a bug that shows in some runs only, recorded once, found in a replay, and replayed at will.

mod search;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use wayfarer_recorder::record::{self, RecordOptions, Recorded};
use wayfarer_recorder::replay;
use wayfarer_trace::{ContentsMode, Trace};

use crate::{OWN_FAILURE, say};

const SOURCE: &str = include_str!("../../../debuggees/demo/bank.c");
const FILE: &str = "bank.c";
/// The bug shows in most runs; so many good ones in a row mean that something else is wrong.
const MOST_RUNS: u32 = 100;
const REPLAYS: u32 = 3;

pub fn run() -> i32 {
    match tell_story() {
        Ok(()) => 0,
        Err(message) => {
            say::line(&message);
            OWN_FAILURE
        }
    }
}

fn tell_story() -> Result<(), String> {
    let place = tempfile::Builder::new()
        .prefix("wayfarer-demo-")
        .tempdir()
        .map_err(|error| format!("no place for the demo: {error}"))?;
    let program = compile(place.path())?;
    say::line(
        "A bank server and three clients, each a process of its own, talk over TCP. Every client pays in",
    );
    say::line("100 coins. Sometimes money gets lost. Recording runs until that happens:");
    let (run, recorded) = record_until_it_fails(place.path(), &program)?;
    let bytes = recorded.sealed.as_ref().map_err(ToString::to_string)?;
    say::line(&format!(
        "Run {run} has the bug: {} events of {} processes, recorded in {} kB.",
        recorded.events,
        recorded.processes,
        bytes.div_ceil(1000)
    ));
    search::find_the_bug(&recorded.directory)?;
    say::line(
        "All else was as recorded: stopping and looking change nothing. So it is every time:",
    );
    let trace = Trace::open(&recorded.directory).map_err(|error| error.to_string())?;
    for number in 1..=REPLAYS {
        let report = replay::replay(&trace, replay::ReplayOptions::default())
            .map_err(|error| error.to_string())?;
        if let Some(explanation) = report.explanation {
            return Err(format!(
                "replay {number} differed, which must not happen:\n{explanation}"
            ));
        }
        if report.status != recorded.status {
            return Err(format!(
                "replay {number} ended with status {} instead of {}",
                report.status, recorded.status
            ));
        }
        say::line(&format!(
            "replay {number}: identical, all {} events, every byte, the same lost money",
            report.events
        ));
    }
    let kept = place.keep();
    say::line(
        "The bug is now yours to keep: it no longer depends on luck, ports, or timing. Go on with",
    );
    say::line(&format!("  wayfarer info {}", kept.join("trace").display()));
    say::line(&format!(
        "  wayfarer replay {} (try `break ask`, `run`, `bt`)",
        kept.join("trace").display()
    ));
    say::line("  wayfarer record -- YOUR PROGRAM");
    Ok(())
}

fn compile(place: &Path) -> Result<PathBuf, String> {
    let source = place.join(FILE);
    let program = place.join("bank");
    fs::write(&source, SOURCE)
        .map_err(|error| format!("cannot write {}: {error}", source.display()))?;
    let output = Command::new("cc")
        .args(["-g", "-o"])
        .arg(&program)
        .arg(FILE)
        .current_dir(place)
        .output();
    match output {
        Ok(output) if output.status.success() => Ok(program),
        Ok(output) => Err(format!(
            "the C compiler refused the demo:\n{}",
            String::from_utf8_lossy(&output.stderr)
        )),
        Err(error) => Err(format!(
            "the demo needs a C compiler named cc (Debian: apt install gcc libc6-dev): {error}"
        )),
    }
}

fn record_until_it_fails(place: &Path, program: &Path) -> Result<(u32, Recorded), String> {
    let directory = place.join("trace");
    for run in 1..=MOST_RUNS {
        let options = RecordOptions {
            command: program.as_os_str().to_owned(),
            arguments: Vec::new(),
            output: Some(directory.clone()),
            contents: ContentsMode::External,
            flags: 0,
        };
        let recorded =
            record::record(&options, &mut say::line).map_err(|error| error.to_string())?;
        match recorded.status {
            0 => fs::remove_dir_all(&directory)
                .map_err(|error| format!("cannot remove {}: {error}", directory.display()))?,
            1 => return Ok((run, recorded)),
            other => {
                return Err(format!(
                    "the bank ended with status {other}, which is neither good nor the bug"
                ));
            }
        }
    }
    Err(format!("the bug did not show in {MOST_RUNS} runs"))
}
