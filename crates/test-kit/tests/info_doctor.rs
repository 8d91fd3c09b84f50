//! What `info` and `doctor` tell, in words and in JSON.

use serde_json::Value;
use wayfarer_test_kit::debuggee::Debuggee;
use wayfarer_test_kit::failure::Failure;
use wayfarer_test_kit::harness::{self, Outcome, Verdict};
use wayfarer_test_kit::process::{self, Finished, patience};
use wayfarer_test_kit::recording::record;
use wayfarer_test_kit::replay::{expect_identical, replay_check};
use wayfarer_test_kit::{ensure, tests, wayfarer};

fn main() {
    harness::run(tests![
        info_has_its_keys,
        info_in_words,
        check_has_its_keys,
        status_of_the_program_passes_through,
        doctor_tells_what_there_is,
        small_program_small_trace,
        help_and_version,
    ]);
}

fn wayfarer_run(words: &[&str]) -> Result<Finished, Failure> {
    let mut command = wayfarer::command()?;
    command.args(words);
    process::run(&mut command, b"", patience())
}

fn expect_keys(object: &Value, keys: &[&str]) -> Result<(), Failure> {
    for key in keys {
        ensure!(object.get(key).is_some(), "no key {key:?} in {object}");
    }
    Ok(())
}

fn info_has_its_keys() -> Outcome {
    let recording = record(Debuggee::c("sockets/tcp_racing_clients").words()?)?;
    let info = recording.info()?;
    expect_keys(
        &info,
        &[
            "processes",
            "threads",
            "events",
            "kinds",
            "log_bytes",
            "trace_bytes",
            "objects",
            "warnings",
        ],
    )?;
    let processes = info["processes"].as_array().cloned().unwrap_or_default();
    ensure!(processes.len() == 5, "five processes were recorded: {info}");
    for process in &processes {
        expect_keys(process, &["name", "pid", "events", "kinds", "status"])?;
    }
    let kinds = info["kinds"].as_object().cloned().unwrap_or_default();
    ensure!(!kinds.is_empty(), "no events by kind: {info}");
    for kind in kinds.values() {
        expect_keys(kind, &["count", "bytes"])?;
    }
    ensure!(
        processes[0]["name"] == "tcp_racing_clients",
        "the first process is {}",
        processes[0]
    );
    ensure!(
        processes[4]["name"] == "tcp_racing_clients.5",
        "the last process is {}",
        processes[4]
    );
    Ok(Verdict::Passed)
}

fn info_in_words() -> Outcome {
    let recording = record(Debuggee::c("sockets/tcp_racing_clients").words()?)?;
    let run = wayfarer_run(&["info", &recording.trace.display().to_string()])?;
    let said = run.stdout_text();
    ensure!(
        run.status == 0,
        "exit {}: {}",
        run.status,
        run.stderr_text()
    );
    for word in [
        "tcp_racing_clients",
        "tcp_racing_clients.5",
        "events",
        "bytes",
    ] {
        ensure!(said.contains(word), "nothing about {word:?} in:\n{said}");
    }
    Ok(Verdict::Passed)
}

fn check_has_its_keys() -> Outcome {
    let recording = record(Debuggee::c("processes/racing_output").words()?)?;
    let replay = replay_check(&recording.trace)?;
    let object = replay
        .json
        .clone()
        .ok_or_else(|| Failure(format!("no JSON object: {}", replay.summary())))?;
    expect_keys(
        &object,
        &[
            "identical",
            "status",
            "processes",
            "threads",
            "events",
            "trace_bytes",
            "divergence",
        ],
    )?;
    ensure!(
        object["processes"] == 5 && object["threads"] == 5,
        "five processes with one thread each: {object}"
    );
    ensure!(object["divergence"].is_null(), "no divergence: {object}");
    ensure!(
        object["events"].as_u64() > Some(100),
        "more than a hundred events: {object}"
    );
    Ok(Verdict::Passed)
}

fn status_of_the_program_passes_through() -> Outcome {
    for (script, status) in [
        ("exit 0", 0),
        ("exit 1", 1),
        ("exit 3", 3),
        ("exit 42", 42),
        ("kill -TERM $$", 143),
        ("kill -9 $$", 137),
    ] {
        let mut recording = record(["/bin/sh", "-c", script])?;
        ensure!(
            recording.run.status == status,
            "{script}: {}",
            recording.run.status
        );
        expect_identical(&mut recording)?;
    }
    Ok(Verdict::Passed)
}

fn doctor_tells_what_there_is() -> Outcome {
    let run = wayfarer_run(&["doctor", "--json"])?;
    ensure!(
        matches!(run.status, 0 | 1),
        "exit {}: {}",
        run.status,
        run.stderr_text()
    );
    let object: Value = serde_json::from_slice(&run.stdout)?;
    let findings = object["findings"].as_array().cloned().unwrap_or_default();
    for key in ["dispatch", "libc", "ptrace", "addresses"] {
        let finding = findings.iter().find(|finding| finding["key"] == key);
        let finding =
            finding.ok_or_else(|| Failure(format!("nothing about {key:?} in {object}")))?;
        expect_keys(finding, &["good", "needed", "what", "means"])?;
    }
    let words = wayfarer_run(&["doctor"])?.stdout_text();
    ensure!(!words.trim().is_empty(), "doctor says nothing");
    Ok(Verdict::Passed)
}

fn small_program_small_trace() -> Outcome {
    let mut recording = record(["/bin/true"])?;
    let size = recording.trace_bytes()?;
    ensure!(size <= 100_000, "the trace of `true` has {size} bytes");
    expect_identical(&mut recording)?;
    Ok(Verdict::Passed)
}

fn help_and_version() -> Outcome {
    for words in [
        &["--help"][..],
        &["--version"],
        &["record", "--help"],
        &["replay", "--help"],
        &["info", "--help"],
    ] {
        let run = wayfarer_run(words)?;
        ensure!(
            run.status == 0 && !run.stdout.is_empty(),
            "{words:?} gives {}",
            run.status
        );
    }
    let run = wayfarer_run(&["no-such-command"])?;
    ensure!(
        run.status == 2 && !run.stderr.is_empty(),
        "an unknown command gives {}",
        run.status
    );
    Ok(Verdict::Passed)
}
