//! Libraries that a program loads when its threads run in parallel already: `info` names those that would have made
//! it serial, and so does the explanation of a divergence. And those that make the threads of a program themselves.

use serde_json::Value;
use std::path::{Path, PathBuf};
use wayfarer_test_kit::compile::compile_c;
use wayfarer_test_kit::debuggee::debuggees_directory;
use wayfarer_test_kit::failure::Failure;
use wayfarer_test_kit::harness::{self, Outcome, Verdict};
use wayfarer_test_kit::process::{self, patience};
use wayfarer_test_kit::recording::{Recorder, Recording};
use wayfarer_test_kit::replay::{expect_identical, replay_check};
use wayfarer_test_kit::{ensure, tests, wayfarer};

fn main() {
    harness::run(tests![
        a_lock_by_hand_is_named,
        a_lock_by_hand_is_named_where_parallel_was_asked_for,
        a_lock_by_hand_replays_when_recorded_serially,
        a_library_that_is_known_is_named,
        a_harmless_library_is_not_named,
        a_divergence_names_the_library,
        threads_of_a_library_with_locks_run_in_parallel,
        threads_of_a_library_with_atomics_take_turns,
        a_library_cancels_its_thread,
        a_library_joins_its_thread_at_the_end,
    ]);
}

const OWN_FUTEX: u64 = 3;
const LIBRARY: u64 = 6;
/// A replay with another order of thousands of accesses by chance the same is not to be feared.
const ATTEMPTS: usize = 20;

fn built(name: &str, options: &[&str]) -> Result<PathBuf, Failure> {
    let source = debuggees_directory().join("late").join(name);
    compile_c(&source.with_extension("c"), options)
}

fn library(name: &str) -> Result<PathBuf, Failure> {
    built(name, &["-shared", "-fPIC"])
}

fn record(mode: &str, library: &Path) -> Result<Recording, Failure> {
    let recorder = Recorder::default().option("--threads").option(mode);
    let mut recording = recorder.record([built("loads", &[])?.as_path(), library])?;
    if recording.run.status != 0 {
        let message = format!("it fails: {}", recording.run.stderr_text());
        return Err(recording.explain(message));
    }
    Ok(recording)
}

/// What `info --json` says of the only process: its mode, and the libraries.
fn mode_and_libraries(info: &Value) -> (&str, &[Value]) {
    let process = &info["processes"][0];
    (
        process["threads_modes"][0]["mode"].as_str().unwrap_or(""),
        process["late_libraries"].as_array().map_or(&[], |all| all),
    )
}

fn expect_named(mode: &str, library: &Path, reason: u64) -> Outcome {
    let recording = record(mode, library)?;
    let info = recording.info()?;
    let (came, libraries) = mode_and_libraries(&info);
    let path = library.display().to_string();
    ensure!(came == "parallel", "it is recorded as {came}: {info}");
    ensure!(
        libraries.len() == 1
            && libraries[0]["path"] == path.as_str()
            && libraries[0]["reason_code"] == reason
            && libraries[0]["thread"] == 1,
        "other libraries than {path}: {libraries:?}"
    );
    let mut command = wayfarer::command()?;
    command.arg("info").arg(&recording.trace);
    let text = process::run(&mut command, b"", patience())?.stdout_text();
    let warning = text.lines().find(|line| line.starts_with("warning"));
    let warning = warning.unwrap_or("");
    for words in [path.as_str(), "loaded at event", "--threads serial"] {
        ensure!(warning.contains(words), "no {words:?} in {text}");
    }
    Ok(Verdict::Passed)
}

fn a_lock_by_hand_is_named() -> Outcome {
    expect_named("auto", &library("own_futex")?, OWN_FUTEX)
}

fn a_lock_by_hand_is_named_where_parallel_was_asked_for() -> Outcome {
    expect_named("parallel", &library("own_futex")?, OWN_FUTEX)
}

fn a_lock_by_hand_replays_when_recorded_serially() -> Outcome {
    let mut recording = record("serial", &library("own_futex")?)?;
    let info = recording.info()?;
    let (mode, libraries) = mode_and_libraries(&info);
    ensure!(
        mode == "serial" && libraries.is_empty(),
        "it has nothing to warn of: {info}"
    );
    expect_identical(&mut recording)?;
    Ok(Verdict::Passed)
}

/// By its name, whatever is in it.
fn a_library_that_is_known_is_named() -> Outcome {
    let folder = tempfile::tempdir()?;
    let copy = folder.path().canonicalize()?.join("libgomp.so.1");
    std::fs::copy(library("pthread_lock")?, &copy)?;
    expect_named("auto", &copy, LIBRARY)
}

fn a_harmless_library_is_not_named() -> Outcome {
    let mut recording = record("auto", &library("pthread_lock")?)?;
    let info = recording.info()?;
    let (mode, libraries) = mode_and_libraries(&info);
    let warnings = info["warnings"].as_array().map_or(0, Vec::len);
    ensure!(
        mode == "parallel" && libraries.is_empty() && warnings == 0,
        "it has nothing to warn of: {info}"
    );
    expect_identical(&mut recording)?;
    Ok(Verdict::Passed)
}

/// Records a program that has no threads but those of its library, and replays it.
fn expect_mode(options: &[&str], mode: &str, reason: u64) -> Outcome {
    let options = [&["-shared", "-fPIC"], options].concat();
    let library = built("makes_threads", &options)?;
    let program = built("lets_work", &[])?;
    let mut recording = Recorder::default().record([program.as_path(), library.as_path()])?;
    let info = recording.info()?;
    let chosen = &info["processes"][0]["threads_modes"][0];
    ensure!(
        chosen["mode"] == mode && chosen["reason_code"] == reason,
        "not {mode} by reason {reason}: {chosen}"
    );
    expect_identical(&mut recording)?;
    Ok(Verdict::Passed)
}

fn threads_of_a_library_with_locks_run_in_parallel() -> Outcome {
    const ALL_VISIBLE: u64 = 2;
    expect_mode(&[], "parallel", ALL_VISIBLE)
}

fn threads_of_a_library_with_atomics_take_turns() -> Outcome {
    expect_mode(&["-DBY_HAND"], "serial", LIBRARY)
}

/// The program never asked for cancellation, so its calls came straight to us until the library was loaded.
fn a_library_cancels_its_thread() -> Outcome {
    let library = library("cancels")?;
    let program = built("lets_work", &[])?;
    for mode in ["auto", "serial", "parallel"] {
        let recorder = Recorder::default().option("--threads").option(mode);
        let mut recording = recorder.record([program.as_path(), library.as_path()])?;
        let said = recording.run.stdout_text();
        if !said.starts_with("0000600d ") {
            return Err(recording.explain(format!("{mode}: not cancelled: {said}")));
        }
        expect_identical(&mut recording)?;
    }
    Ok(Verdict::Passed)
}

/// Nothing of ours keeps the thread from printing while the library waits for it.
fn a_library_joins_its_thread_at_the_end() -> Outcome {
    let words = [built("lets_work", &[])?, library("joins_at_end")?];
    for mode in ["auto", "serial", "parallel"] {
        let recorder = Recorder::default().option("--threads").option(mode);
        let mut recording = recorder.record(&words)?;
        let said = recording.run.stdout_text();
        if !said.ends_with("joined\n") {
            return Err(recording.explain(format!("{mode}: not joined")));
        }
        expect_identical(&mut recording)?;
    }
    Ok(Verdict::Passed)
}

fn a_divergence_names_the_library() -> Outcome {
    let library = library("own_futex")?;
    let mut recording = record("auto", &library)?;
    for _ in 0..ATTEMPTS {
        let replay = replay_check(&recording.trace)?;
        let Some(divergence) = replay.divergence() else {
            continue;
        };
        let text = |key: &str| divergence[key].as_str().unwrap_or("").to_owned();
        if !text("likely_cause").contains(&library.display().to_string())
            || !text("remedy").contains("--threads serial")
        {
            let message = format!("it does not name the library: {}", replay.summary());
            return Err(recording.explain(message));
        }
        return Ok(Verdict::Passed);
    }
    Err(recording.explain(format!("{ATTEMPTS} replays did not diverge")))
}
