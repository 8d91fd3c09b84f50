//! A replay that cannot be identical says so: exit 3 with an explanation, never a hang, never silence.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use wayfarer_test_kit::compile::compile_c;
use wayfarer_test_kit::debuggee::{Debuggee, debuggees_directory};
use wayfarer_test_kit::failure::Failure;
use wayfarer_test_kit::harness::{self, Outcome, Verdict};
use wayfarer_test_kit::recording::{Recorder, Recording, record};
use wayfarer_test_kit::replay::{Replay, replay_check};
use wayfarer_test_kit::{ensure, fail, tests, wayfarer};

fn main() {
    harness::run(tests![
        another_call,
        other_arguments,
        other_bytes,
        another_number_of_calls,
        a_message_that_never_comes,
        a_new_fault,
        no_room_for_memory,
        changed_program,
        missing_program,
        changed_library,
        explanation_is_complete,
    ]);
}

/// By the time-stamp counter, a replay is equal now and then; this many in a row are not.
const ATTEMPTS: usize = 20;

fn record_unrecorded(name: &'static str) -> Result<Recording, Failure> {
    record(Debuggee::c(name).words()?)
}

/// Replays until it diverges; every replay must end by itself with 0 or 3.
fn replay_until_divergence(recording: &mut Recording) -> Result<Replay, Failure> {
    for _ in 0..ATTEMPTS {
        let replay = replay_check(&recording.trace)?;
        match (replay.run.hung, replay.run.status) {
            (false, 0) if replay.identical() && replay.divergence().is_none() => {}
            (false, 3) if !replay.identical() && replay.divergence().is_some() => {
                return Ok(replay);
            }
            _ => {
                return Err(recording.explain(format!(
                    "neither identical nor diverged: {}",
                    replay.summary()
                )));
            }
        }
    }
    Err(recording.explain(format!(
        "{ATTEMPTS} replays were called identical and cannot have been"
    )))
}

fn kind_of(replay: &Replay) -> &str {
    replay
        .divergence()
        .and_then(|value| value.get("kind"))
        .and_then(|kind| kind.as_str())
        .unwrap_or("")
}

fn expect_kind(name: &'static str, kinds: &[&str]) -> Outcome {
    let mut recording = record_unrecorded(name)?;
    let replay = replay_until_divergence(&mut recording)?;
    let kind = kind_of(&replay);
    if !kinds.contains(&kind) {
        return Err(recording.explain(format!(
            "kind {kind:?}, expected one of {kinds:?}: {}",
            replay.summary()
        )));
    }
    Ok(Verdict::Passed)
}

fn another_call() -> Outcome {
    expect_kind("unrecorded/time_stamp_counter", &["other-call"])
}

fn other_arguments() -> Outcome {
    expect_kind("unrecorded/other_arguments", &["other-arguments"])
}

fn other_bytes() -> Outcome {
    expect_kind(
        "unrecorded/other_bytes",
        &["other-output", "other-arguments"],
    )
}

fn another_number_of_calls() -> Outcome {
    expect_kind("unrecorded/after_the_end", &["other-call"])
}

fn a_message_that_never_comes() -> Outcome {
    let kinds = ["other-call", "standstill", "ended-early", "other-arguments"];
    expect_kind("unrecorded/missing_sender", &kinds)
}

fn a_new_fault() -> Outcome {
    for _ in 0..ATTEMPTS {
        let mut recording = record_unrecorded("unrecorded/wild_pointer")?;
        if recording.run.status != 0 {
            continue;
        }
        let replay = replay_until_divergence(&mut recording)?;
        let kind = kind_of(&replay);
        if !["fault", "ended-early", "other-end"].contains(&kind) {
            return Err(recording.explain(format!("kind {kind:?}: {}", replay.summary())));
        }
        return Ok(Verdict::Passed);
    }
    fail!("no run without a fault")
}

/// Two builds of one program that differ in their build id only.
/// Less address space than the recording had: a mapping cannot be placed again.
fn no_room_for_memory() -> Outcome {
    let mut recording = record(Debuggee::c("unrecorded/much_memory").words()?)?;
    let replay = Command::new("sh")
        .arg("-c")
        .arg("ulimit -v 600000 && exec \"$0\" replay --check --json \"$1\"")
        .arg(wayfarer::binary()?)
        .arg(&recording.trace)
        .output()
        .map_err(|error| Failure(format!("sh: {error}")))?;
    let said = String::from_utf8_lossy(&replay.stdout);
    let kind = said.contains("\"kind\":\"other-memory\"");
    if replay.status.code() != Some(3) || !kind {
        return Err(recording.explain(format!("{}: {said}", replay.status)));
    }
    Ok(Verdict::Passed)
}

fn two_builds() -> Result<(PathBuf, PathBuf), Failure> {
    let source = debuggees_directory().join("sockets/socketpair_ping_pong.c");
    Ok((
        compile_c(&source, &["-Wl,--build-id=0x1111111111"])?,
        compile_c(&source, &["-Wl,--build-id=0x2222222222"])?,
    ))
}

fn expect_refusal(recording: &mut Recording, named: &str) -> Outcome {
    let replay = replay_check(&recording.trace)?;
    let said = replay.run.stderr_text();
    if replay.run.hung || replay.run.status != 2 || !said.contains(named) {
        return Err(recording.explain(format!(
            "expected exit 2 and a message about {named}: {}",
            replay.summary()
        )));
    }
    Ok(Verdict::Passed)
}

fn changed_program() -> Outcome {
    let (first, second) = two_builds()?;
    let home = tempfile::tempdir()?;
    let program = home.path().join("changing-program");
    fs::copy(first, &program)?;
    let mut recording = record([&program])?;
    // Replaced, not overwritten: as an installation does it.
    fs::remove_file(&program)?;
    fs::copy(second, &program)?;
    expect_refusal(&mut recording, "changing-program")
}

fn missing_program() -> Outcome {
    let home = tempfile::tempdir()?;
    let program = home.path().join("vanishing-program");
    fs::copy(two_builds()?.0, &program)?;
    let mut recording = record([&program])?;
    fs::remove_file(&program)?;
    expect_refusal(&mut recording, "vanishing-program")
}

/// A library that is another one than recorded is found out, at the start or as a divergence.
fn changed_library() -> Outcome {
    let home = tempfile::tempdir()?;
    let library = home.path().join("libanswer.so");
    let build = |answer: &str, to: &PathBuf| -> Result<(), Failure> {
        let source = home.path().join("answer.c");
        fs::write(
            &source,
            format!("int answer(void) {{ return {answer}; }}\n"),
        )?;
        let built = compile_c(
            &source,
            &[
                "-shared",
                "-fPIC",
                "-Wl,--build-id",
                "-Wl,-soname,libanswer.so",
            ],
        )?;
        let _ = fs::remove_file(to);
        fs::copy(built, to)?;
        Ok(())
    };
    build("41", &library)?;
    let source = home.path().join("asks.c");
    fs::write(
        &source,
        "#include <stdio.h>\n#include <unistd.h>\nint answer(void);\nint main(void) { printf(\"%d %d\\n\", answer(), getpid()); }\n",
    )?;
    let folder = home.path().display().to_string();
    // The library comes after the source only with an explicit position: --no-as-needed keeps it.
    let program = compile_c(
        &source,
        &[
            "-Wl,--no-as-needed",
            "-L",
            &folder,
            "-lanswer",
            "-Wl,--as-needed",
        ],
    )?;
    let mut recording = Recorder::default()
        .variable("LD_LIBRARY_PATH", home.path())
        .record([&program])?;
    ensure!(
        recording.run.status == 0,
        "the program fails: {}",
        recording.run.stderr_text()
    );
    build("42", &library)?;
    let replay = replay_check(&recording.trace)?;
    let noticed = !replay.run.hung && matches!(replay.run.status, 2 | 3);
    if !noticed || !replay.run.stderr_text().contains("libanswer.so") {
        return Err(recording.explain(format!(
            "a changed library was not noticed: {}",
            replay.summary()
        )));
    }
    Ok(Verdict::Passed)
}

/// Everything that the contract promises about a divergence is there, in JSON and in words.
fn explanation_is_complete() -> Outcome {
    let mut recording = record_unrecorded("unrecorded/time_stamp_counter")?;
    let replay = replay_until_divergence(&mut recording)?;
    let explanation = replay
        .divergence()
        .and_then(|value| value.as_object())
        .ok_or_else(|| Failure("no object".into()))?;
    let found: BTreeSet<&str> = explanation.keys().map(String::as_str).collect();
    for key in [
        "kind",
        "process",
        "thread",
        "event",
        "promised",
        "came",
        "before",
        "likely_cause",
    ] {
        ensure!(
            found.contains(key),
            "the explanation has no {key:?}: {}",
            replay.summary()
        );
    }
    let said = replay.run.stderr_text();
    for key in ["promised", "came", "likely_cause"] {
        let text = explanation[key].as_str().unwrap_or("");
        ensure!(
            !text.is_empty() && said.contains(text),
            "{key} {text:?} is not in the words on stderr:\n{said}"
        );
    }
    ensure!(
        explanation["process"] == "time_stamp_counter",
        "the process has another name: {}",
        replay.summary()
    );
    Ok(Verdict::Passed)
}
