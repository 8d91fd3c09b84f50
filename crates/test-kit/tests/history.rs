//! What `wayfarer history` tells of recordings of programs whose locks are taken in a known order.

use serde_json::Value;
use std::path::PathBuf;
use wayfarer_test_kit::compile::{self, Compiled};
use wayfarer_test_kit::debuggee::{Debuggee, Language, debuggees_directory};
use wayfarer_test_kit::failure::Failure;
use wayfarer_test_kit::harness::{self, Outcome, Verdict};
use wayfarer_test_kit::process::{self, Finished, patience};
use wayfarer_test_kit::recording::{Recorder, Recording};
use wayfarer_test_kit::replay::expect_identical;
use wayfarer_test_kit::{ensure, sync_library, tests, wayfarer};

fn main() {
    harness::run(tests![
        readers_and_writers_are_told_apart,
        a_crowd_is_counted_by_side,
        a_wait_is_told_with_both_threads,
        waits_for_locks_of_our_crate_are_told,
        posts_and_takes_are_told_apart,
        barriers_have_rounds,
        a_wait_names_who_had_the_lock_when_it_began,
        serial_recordings_have_no_histories,
    ]);
}

fn recorded(name: &'static str, mode: &str) -> Result<Recording, Failure> {
    recorded_program(Debuggee::c(name).words()?, mode)
}

fn recorded_program(words: Vec<PathBuf>, mode: &str) -> Result<Recording, Failure> {
    let recorder = Recorder::default().option("--threads").option(mode);
    let mut recording = recorder.record(words)?;
    if recording.run.status != 0 {
        let message = format!("it fails while recorded, with {}", recording.run.status);
        return Err(recording.explain(message));
    }
    expect_identical(&mut recording)?;
    Ok(recording)
}

fn history(recording: &Recording, words: &[&str]) -> Result<Finished, Failure> {
    let mut command = wayfarer::command()?;
    command.arg("history").arg(&recording.trace).args(words);
    process::run(&mut command, b"", patience())
}

fn facts(recording: &Recording) -> Result<Value, Failure> {
    let finished = history(recording, &["--all", "--json"])?;
    ensure!(
        finished.status == 0,
        "history gives {}: {}",
        finished.status,
        finished.stderr_text()
    );
    Ok(serde_json::from_slice(&finished.stdout)?)
}

/// The object that is this variable.
fn object<'a>(facts: &'a Value, variable: &str) -> Result<&'a Value, Failure> {
    let objects = facts["objects"].as_array();
    objects
        .and_then(|objects| objects.iter().find(|object| object["variable"] == variable))
        .ok_or_else(|| Failure(format!("there is no object {variable} in {facts}")))
}

/// The line of an object in the text, without its name.
fn line(text: &str, object: &Value) -> String {
    let name = object["name"].as_str().unwrap_or("?");
    let mut lines = text.lines();
    let found = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    found.unwrap_or("").trim().to_owned()
}

fn readers_and_writers_are_told_apart() -> Outcome {
    let recording = recorded("threads/reads_and_writes", "parallel")?;
    let facts = facts(&recording)?;
    let text = history(&recording, &["--all"])?.stdout_text();
    for (variable, wanted) in [
        ("book", "0:2r×3 3:2w×2 5:2r 6:3w 7:3r×6 13:3w 14:1r"),
        (
            "busy",
            "0:2r×20000 20000:2w 20001:2r×20000 40001:3r×2 40003:1w",
        ),
    ] {
        let object = object(&facts, variable)?;
        let came = line(&text, object);
        ensure!(
            came == wanted,
            "{variable}: {came} instead of {wanted}\n{text}"
        );
        let made = &object["made"];
        ensure!(
            object["kind"] == "rwlock" && made["function"] == "reads" && made["line"].is_u64(),
            "{variable} is {object}"
        );
    }
    Ok(Verdict::Passed)
}

fn a_crowd_is_counted_by_side() -> Outcome {
    let recording = recorded("threads/reads_and_writes", "parallel")?;
    let facts = facts(&recording)?;
    let crowded = object(&facts, "crowded")?;
    let runs = crowded["runs"].as_array().cloned().unwrap_or_default();
    for thread in 4..8 {
        for (side, wanted) in [("r", 300), ("w", 100)] {
            let of_side = runs
                .iter()
                .filter(|run| run["thread"] == thread && run["side"] == side);
            let count: u64 = of_side.filter_map(|run| run["accesses"].as_u64()).sum();
            ensure!(
                count == wanted,
                "thread {thread} has {count} {side} instead of {wanted}"
            );
        }
    }
    Ok(Verdict::Passed)
}

fn a_wait_is_told_with_both_threads() -> Outcome {
    const AT_LEAST_NS: u64 = 150_000_000;
    let recording = recorded("threads/held_locks", "parallel")?;
    let facts = facts(&recording)?;
    let waits = facts["longest_waits"].as_array();
    let waits = waits.cloned().unwrap_or_default();
    for variable in ["table", "book"] {
        let object = object(&facts, variable)?;
        let name = &object["name"];
        let Some(wait) = waits.iter().find(|wait| &wait["object"] == name) else {
            return Err(Failure(format!("nobody waited for {variable}: {facts}")));
        };
        let long = wait["nanoseconds"].as_u64().unwrap_or(0) >= AT_LEAST_NS;
        ensure!(
            long && wait["thread"] == 3 && wait["holder_thread"] == 2 && wait["position"] == 1,
            "the wait for {variable} is {wait}"
        );
        ensure!(
            object["waited_ns"].as_u64().unwrap_or(0) >= AT_LEAST_NS,
            "{variable} is {object}"
        );
    }
    let idle = object(&facts, "idle_lock")?;
    ensure!(
        idle["waits"] == 0,
        "a wait on a condition counts as one for its mutex: {idle}"
    );
    let hottest = [&facts["hottest"][0], &facts["hottest"][1]];
    for variable in ["table", "book"] {
        let name = &object(&facts, variable)?["name"];
        ensure!(hottest.contains(&name), "{variable} is not hot: {facts}");
    }
    let routines = ["holder", "waiter"].map(Value::from);
    let named = [
        &facts["threads"][1]["routine"],
        &facts["threads"][2]["routine"],
    ];
    ensure!(
        named == [&routines[0], &routines[1]],
        "the threads are {}",
        facts["threads"]
    );
    let text = history(&recording, &[])?.stdout_text();
    ensure!(
        text.contains("held_locks, thread 3 (waiter) waited for held_locks, thread 2 (holder)"),
        "{text}"
    );
    Ok(Verdict::Passed)
}

/// The first thread has a mutex and writes under a read-write lock for a while, two others wait.
fn waits_for_locks_of_our_crate_are_told() -> Outcome {
    const AT_LEAST_NS: u64 = 150_000_000;
    let Some(library) = sync_library::build()? else {
        return Ok(Verdict::Skipped("rustc is not installed".into()));
    };
    let source = debuggees_directory().join("sync/wayfarer_waits.rs");
    let dependency = format!("wayfarer_sync={}", library.display());
    let Compiled::At(program) =
        compile::compile(&source, Language::Rust, &["--extern", &dependency])?
    else {
        return Ok(Verdict::Skipped("rustc is not installed".into()));
    };
    let recording = recorded_program(vec![program, PathBuf::from("3")], "parallel")?;
    let facts = facts(&recording)?;
    let objects = facts["objects"].as_array().cloned().unwrap_or_default();
    // Thread 2 is the crate's own, which has ended before `main`.
    for (kind, waiter, side) in [("mutex", 4, "w"), ("rwlock", 3, "r")] {
        let held = objects.iter().find(|object| {
            object["kind"] == kind
                && object["longest_wait_ns"]
                    .as_u64()
                    .is_some_and(|longest| longest >= AT_LEAST_NS)
        });
        let Some(held) = held else {
            return Err(Failure(format!("nobody waited for the {kind}: {facts}")));
        };
        let waits = facts["longest_waits"].as_array().cloned();
        let wait = waits.and_then(|waits| {
            let of_object = |wait: &&Value| wait["object"] == held["name"];
            waits.iter().find(of_object).cloned()
        });
        let wait = wait.unwrap_or_default();
        ensure!(
            wait["thread"] == waiter && wait["holder_thread"] == 1,
            "the wait for the {kind} is {wait}"
        );
        let runs = held["runs"].as_array().cloned().unwrap_or_default();
        let run = runs.iter().find(|run| run["run"] == wait["run"]);
        ensure!(
            run.is_some_and(|run| run["thread"] == waiter && run["side"] == side),
            "the run behind the wait for the {kind} is {run:?}"
        );
    }
    Ok(Verdict::Passed)
}

fn posts_and_takes_are_told_apart() -> Outcome {
    let recording = recorded("threads/rounds_and_posts", "parallel")?;
    let facts = facts(&recording)?;
    let items = object(&facts, "items")?;
    let text = history(&recording, &["--all"])?.stdout_text();
    let came = line(&text, items);
    ensure!(came == "0:2p×5 5:1p×2t×6", "items: {came}\n{text}");
    ensure!(
        items["posts"] == 7 && items["accesses"] == 13 && items["runs"][1]["posts"] == 2,
        "items is {items}"
    );
    ensure!(text.contains("7 posts and 6 takes in 2 runs"), "{text}");
    Ok(Verdict::Passed)
}

fn barriers_have_rounds() -> Outcome {
    let recording = recorded("threads/rounds_and_posts", "parallel")?;
    let facts = facts(&recording)?;
    let meeting = object(&facts, "meeting")?;
    ensure!(
        meeting["kind"] == "barrier"
            && meeting["members"] == 3
            && meeting["rounds"] == 4
            && meeting["accesses"] == 12,
        "meeting is {meeting}"
    );
    for thread in 3..6 {
        let runs = meeting["runs"].as_array().cloned().unwrap_or_default();
        let own = runs.iter().filter(|run| run["thread"] == thread);
        let arrivals: u64 = own.filter_map(|run| run["accesses"].as_u64()).sum();
        ensure!(arrivals == 4, "thread {thread} arrives {arrivals} times");
    }
    let text = history(&recording, &["--all"])?.stdout_text();
    ensure!(text.contains("12 arrivals and 4 rounds of 3"), "{text}");
    Ok(Verdict::Passed)
}

/// Of two that wait for the same mutex, the second one gets it from the first, but waited for another at first.
fn a_wait_names_who_had_the_lock_when_it_began() -> Outcome {
    const AT_LEAST_NS: u64 = 50_000_000;
    let recording = recorded("threads/rounds_and_posts", "parallel")?;
    let facts = facts(&recording)?;
    let name = &object(&facts, "table")?["name"];
    let waits = facts["longest_waits"].as_array().cloned();
    let waits = waits.unwrap_or_default();
    let of_table = waits.iter().filter(|wait| {
        wait["object"] == *name && wait["nanoseconds"].as_u64() >= Some(AT_LEAST_NS)
    });
    let holders: Vec<&Value> = of_table.map(|wait| &wait["holder_thread"]).collect();
    ensure!(
        holders.len() == 2 && holders.iter().all(|holder| **holder == 1),
        "the holders are {holders:?}: {facts}"
    );
    Ok(Verdict::Passed)
}

fn serial_recordings_have_no_histories() -> Outcome {
    let recording = recorded("threads/held_locks", "serial")?;
    let text = history(&recording, &[])?.stdout_text();
    ensure!(text.starts_with("no histories"), "{text}");
    let wrong = history(&recording, &["L1"])?;
    ensure!(
        wrong.status == 2 && wrong.stderr_text().contains("there is no L1"),
        "{}: {}",
        wrong.status,
        wrong.stderr_text()
    );
    Ok(Verdict::Passed)
}
