//! What a replay learns: a program that raced, although `--threads auto` had found no sign of a race, is recorded
//! serially the next time.

use std::fs;
use std::path::{Path, PathBuf};
use wayfarer_test_kit::compile::compile_c;
use wayfarer_test_kit::debuggee::debuggees_directory;
use wayfarer_test_kit::failure::Failure;
use wayfarer_test_kit::harness::{self, Outcome, Verdict};
use wayfarer_test_kit::recording::{Recorder, Recording};
use wayfarer_test_kit::replay::{expect_identical, replay_with};
use wayfarer_test_kit::{ensure, tests};

fn main() {
    harness::run(tests![
        a_program_that_raced_is_recorded_serially,
        who_asked_for_parallel_gets_it_again,
    ]);
}

const RACED: u64 = 11;
/// A replay with another order of thousands of accesses by chance the same is not to be feared.
const ATTEMPTS: usize = 20;

/// A program whose library has a lock that we cannot see, and which is loaded too late to be noticed.
fn words() -> Result<[PathBuf; 2], Failure> {
    let source = |name: &str| debuggees_directory().join("late").join(name);
    Ok([
        compile_c(&source("loads.c"), &[])?,
        compile_c(&source("own_futex.c"), &["-shared", "-fPIC"])?,
    ])
}

fn record(state: &Path, mode: &str) -> Result<Recording, Failure> {
    let recorder = Recorder::default()
        .option("--threads")
        .option(mode)
        .variable("XDG_STATE_HOME", state);
    recorder.record(words()?)
}

/// Replays until it diverges; gives what was said then.
fn diverge(recording: &mut Recording, state: &Path) -> Result<String, Failure> {
    for _ in 0..ATTEMPTS {
        let replay = replay_with(&recording.trace, &[], |command| {
            command.env("XDG_STATE_HOME", state);
        })?;
        if replay.divergence().is_some() {
            return Ok(replay.run.stderr_text());
        }
    }
    Err(recording.explain(format!("{ATTEMPTS} replays did not diverge")))
}

fn files(state: &Path) -> usize {
    fs::read_dir(state.join("wayfarer/raced")).map_or(0, Iterator::count)
}

fn a_program_that_raced_is_recorded_serially() -> Outcome {
    let state = tempfile::tempdir()?;
    let mut first = record(state.path(), "auto")?;
    let said = diverge(&mut first, state.path())?;
    let learned = "from now on `--threads auto` records loads serially";
    ensure!(said.contains(learned), "nothing learned: {said}");
    ensure!(files(state.path()) == 1, "not remembered");
    let again = diverge(&mut first, state.path())?;
    ensure!(!again.contains(learned), "told twice: {again}");

    let mut second = record(state.path(), "auto")?;
    let info = second.info()?;
    let chosen = &info["processes"][0]["threads_modes"][0];
    ensure!(
        chosen["mode"] == "serial" && chosen["reason_code"] == RACED,
        "recorded as {chosen}"
    );
    expect_identical(&mut second)?;
    Ok(Verdict::Passed)
}

fn who_asked_for_parallel_gets_it_again() -> Outcome {
    let state = tempfile::tempdir()?;
    for mode in ["parallel", "auto"] {
        let mut recording = record(state.path(), mode)?;
        let info = recording.info()?;
        let chosen = &info["processes"][0]["threads_modes"][0];
        ensure!(chosen["mode"] == "parallel", "{mode}: recorded as {chosen}");
        diverge(&mut recording, state.path())?;
        let expected = usize::from(mode == "auto");
        ensure!(files(state.path()) == expected, "{mode}: remembered");
    }
    let recording = record(state.path(), "parallel")?;
    let info = recording.info()?;
    let chosen = &info["processes"][0]["threads_modes"][0];
    ensure!(chosen["mode"] == "parallel", "recorded as {chosen}");
    Ok(Verdict::Passed)
}
