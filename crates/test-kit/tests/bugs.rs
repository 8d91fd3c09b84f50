//! Programs with a known concurrency bug are recorded until they fail; then every replay fails in the same
//! way. Serially recorded traces replay as they are, those recorded in parallel when `solidify` is done.
//!
//! Five replays each; for the hundred that we promise:
//! `WAYFARER_REPLAYS=100 cargo test -p wayfarer-test-kit --test bugs`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use wayfarer_test_kit::compile::compile_c;
use wayfarer_test_kit::debuggee::debuggees_directory;
use wayfarer_test_kit::failure::Failure;
use wayfarer_test_kit::harness::{self, Outcome, Test, Verdict};
use wayfarer_test_kit::process::{self, patience};
use wayfarer_test_kit::recording::{Recorder, Recording};
use wayfarer_test_kit::replay::expect_identical;
use wayfarer_test_kit::{ensure, fail, tests, wayfarer};

/// Status of a program that notices that its result is wrong.
const WRONG: i32 = 1;
/// Status of a program whose watchdog found it stuck.
const STUCK: i32 = 42;
const SEGMENTATION_FAULT: i32 = 128 + 11;

/// A program, and the status with which it ends when its bug shows.
const BUGS: &[(&str, i32)] = &[
    ("aba", WRONG),
    ("atomicity_violation", WRONG),
    ("check_then_create", WRONG),
    ("deadlock", STUCK),
    ("double_checked_locking", WRONG),
    ("double_free", WRONG),
    ("lost_update", WRONG),
    ("lost_wakeup", STUCK),
    ("order_violation", SEGMENTATION_FAULT),
    ("torn_read", WRONG),
    ("use_after_free", WRONG),
    ("wrong_waiter", STUCK),
];

/// A bug that has not shown itself by then is none.
const ATTEMPTS: usize = 200;

/// Of so many recordings in parallel one becomes solid. Nearly all do: what is left are races that want a change of
/// threads in the middle of code without accesses.
const RECORDINGS: usize = 3;
/// Replays that `solidify` may try, so that it is done before our patience is at its end.
const REPLAYS_TRIED: &str = "300";

fn main() {
    let mut all = tests![every_bug_is_listed];
    for &(name, status) in BUGS {
        all.push(Test::new(format!("serial/{name}"), move || {
            fails_the_same_way(name, status, "serial")
        }));
        all.push(Test::new(format!("parallel/{name}"), move || {
            fails_the_same_way(name, status, "parallel")
        }));
    }
    harness::run(all);
}

/// How often each failure is replayed; `WAYFARER_REPLAYS` changes it.
fn replays() -> usize {
    std::env::var("WAYFARER_REPLAYS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(5)
}

fn fails_the_same_way(name: &str, status: i32, mode: &str) -> Outcome {
    let source = debuggees_directory().join("bugs").join(name);
    let program = compile_c(&source.with_extension("c"), &[])?;
    let mut recording = record_until(&program, status, mode)?;
    if mode == "parallel" {
        let mut more = RECORDINGS;
        while !solidify(&mut recording)? {
            ensure!(
                more > 1,
                "solidify finds no exact replay of {RECORDINGS} recordings"
            );
            more -= 1;
            recording = record_until(&program, status, mode)?;
        }
    }
    for number in 1..=replays() {
        expect_identical(&mut recording)
            .map_err(|failure| Failure(format!("replay {number}: {failure}")))?;
    }
    Ok(Verdict::Passed)
}

/// Records until the program ends with `status`.
fn record_until(program: &Path, status: i32, mode: &str) -> Result<Recording, Failure> {
    let recorder = Recorder::default().option("--threads").option(mode);
    for _ in 0..ATTEMPTS {
        let mut recording = recorder.record([program])?;
        match recording.run.status {
            0 => {}
            ended if ended == status => return Ok(recording),
            other => {
                let message = format!("it ends with {other}, which is not its bug");
                return Err(recording.explain(message));
            }
        }
    }
    fail!("the bug did not show itself in {ATTEMPTS} recordings")
}

/// Makes the replay of a trace that was recorded in parallel exact; false when no attempt succeeds.
fn solidify(recording: &mut Recording) -> Result<bool, Failure> {
    let mut command = wayfarer::command()?;
    command.args(["solidify", "--attempts", REPLAYS_TRIED]);
    command.arg(&recording.trace);
    let finished = process::run(&mut command, b"", patience())?;
    if finished.status <= 1 && !finished.hung {
        return Ok(finished.status == 0);
    }
    let message = format!(
        "solidify gives {}{}: {}",
        finished.status,
        if finished.hung { " (it hangs)" } else { "" },
        finished.stderr_text()
    );
    Err(recording.explain(message))
}

/// The list and the folder agree.
fn every_bug_is_listed() -> Outcome {
    let listed: BTreeSet<String> = BUGS.iter().map(|bug| format!("{}.c", bug.0)).collect();
    let mut found = BTreeSet::new();
    for file in fs::read_dir(debuggees_directory().join("bugs"))? {
        let name = file?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".c") {
            found.insert(name);
        }
    }
    ensure!(
        listed == found,
        "listed or there, but not both: {:?}",
        listed.symmetric_difference(&found).collect::<Vec<_>>()
    );
    Ok(Verdict::Passed)
}
