//! Inside the set order only, data at the edge; or everything, so that one process replays alone.

use std::ffi::OsString;
use wayfarer_test_kit::debuggee::Debuggee;
use wayfarer_test_kit::failure::Failure;
use wayfarer_test_kit::harness::{self, Outcome, Verdict};
use wayfarer_test_kit::recording::{Recorder, Recording, record};
use wayfarer_test_kit::replay::{Replay, expect_identical, replay_with};
use wayfarer_test_kit::{ensure, tests};

fn main() {
    harness::run(tests![
        inside_bytes_are_not_logged,
        all_bytes_are_logged,
        outside_bytes_are_logged,
        each_process_replays_alone,
        alone_needs_all_contents,
        unknown_name,
    ]);
}

const TRANSFER: u64 = 8 << 20;

fn record_all(name: &'static str) -> Result<Recording, Failure> {
    Recorder::default()
        .option("--contents")
        .option("all")
        .record(Debuggee::c(name).words()?)
}

fn inside_bytes_are_not_logged() -> Outcome {
    let mut recording = record(Debuggee::c("streams/bulk_transfer").words()?)?;
    let size = recording.trace_bytes()?;
    ensure!(
        size < 100_000,
        "{TRANSFER} bytes between recorded processes make a trace of {size}"
    );
    expect_identical(&mut recording)?;
    Ok(Verdict::Passed)
}

fn all_bytes_are_logged() -> Outcome {
    let mut recording = record_all("streams/bulk_transfer")?;
    let size = recording.trace_bytes()?;
    ensure!(
        size > TRANSFER,
        "with all contents the trace has {size} bytes only"
    );
    expect_identical(&mut recording)?;
    Ok(Verdict::Passed)
}

fn outside_bytes_are_logged() -> Outcome {
    let mut recording = record(["/bin/sh", "-c", "head -c 1000000 /dev/urandom | cksum"])?;
    let size = recording.trace_bytes()?;
    ensure!(
        (1_000_000..1_400_000).contains(&size),
        "a million random bytes from outside make a trace of {size}"
    );
    expect_identical(&mut recording)?;
    Ok(Verdict::Passed)
}

fn names(recording: &Recording) -> Result<Vec<String>, Failure> {
    let info = recording.info()?;
    let processes = info["processes"]
        .as_array()
        .ok_or_else(|| Failure(format!("no processes in {info}")))?;
    Ok(processes
        .iter()
        .filter_map(|process| process["name"].as_str().map(str::to_owned))
        .collect())
}

fn replay_only(recording: &Recording, name: &str) -> Result<Replay, Failure> {
    replay_with(
        &recording.trace,
        &[OsString::from("--only"), OsString::from(name)],
        |_| (),
    )
}

fn each_process_replays_alone() -> Outcome {
    let mut recording = record_all("sockets/tcp_prefork")?;
    let names = names(&recording)?;
    ensure!(
        names.len() == 6 && names[0] == "tcp_prefork" && names[1] == "tcp_prefork.2",
        "the names are {names:?}"
    );
    for name in &names {
        let replay = replay_only(&recording, name)?;
        if replay.run.hung || replay.run.status != 0 || !replay.identical() {
            return Err(recording.explain(format!("--only {name}: {}", replay.summary())));
        }
        // Its output is a part of the whole: every line of it was said in the recording.
        let whole = recording.run.stdout_text();
        let said = String::from_utf8_lossy(&replay.stdout).into_owned();
        ensure!(
            said.lines().all(|line| whole.contains(line)),
            "--only {name} said {said:?}, recorded was {whole:?}"
        );
    }
    Ok(Verdict::Passed)
}

/// Without the contents one process cannot go alone; that is said, not waited for.
fn alone_needs_all_contents() -> Outcome {
    let recording = record(Debuggee::c("streams/bulk_transfer").words()?)?;
    let name = names(&recording)?.remove(0);
    let replay = replay_only(&recording, &name)?;
    ensure!(
        !replay.run.hung
            && replay.run.status == 2
            && replay.run.stderr_text().contains("--contents all"),
        "--only without contents: {}",
        replay.summary()
    );
    Ok(Verdict::Passed)
}

fn unknown_name() -> Outcome {
    let recording = record_all("sockets/socketpair_ping_pong")?;
    let replay = replay_only(&recording, "nobody")?;
    ensure!(
        replay.run.status == 2 && replay.run.stderr_text().contains("nobody"),
        "{}",
        replay.summary()
    );
    Ok(Verdict::Passed)
}
