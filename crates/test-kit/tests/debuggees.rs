//! Every debuggee is recorded five times and each recording is replayed twice; output and status of
//! every replay are those of its recording.

use std::collections::BTreeSet;
use wayfarer_test_kit::debuggee::{Debuggee, Unavailable, Varies, debuggees_directory};
use wayfarer_test_kit::failure::{Failure, shorten};
use wayfarer_test_kit::harness::{self, Outcome, Test, Verdict};
use wayfarer_test_kit::recording::{Recorder, run_plain};
use wayfarer_test_kit::replay::expect_identical;
use wayfarer_test_kit::table::DEBUGGEES;
use wayfarer_test_kit::{ensure, fail, tests};

const RECORDINGS: usize = 5;
/// So many more are made of a debuggee whose recordings were all the same, before it is called deterministic.
const MORE_RECORDINGS: usize = 20;
const REPLAYS: usize = 2;

fn main() {
    let mut all = tests![
        every_debuggee_is_listed,
        plain_runs_differ,
        our_variables_are_hidden
    ];
    all.extend(
        DEBUGGEES
            .iter()
            .map(|debuggee| Test::new(debuggee.name, move || record_and_replay(debuggee))),
    );
    harness::run(all);
}

/// `WAYFARER_RECORDINGS` makes it quicker for a first look, or longer for a soak.
fn recordings() -> usize {
    std::env::var("WAYFARER_RECORDINGS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(RECORDINGS)
}

fn record_and_replay(debuggee: &Debuggee) -> Outcome {
    let words = match debuggee.command_words() {
        Ok(words) => words,
        Err(Unavailable::Missing(reason)) => return Ok(Verdict::Skipped(reason)),
        Err(Unavailable::Broken(failure)) => return Err(failure),
    };
    let mut outcomes = BTreeSet::new();
    for _ in 0..recordings() {
        let mut recording = Recorder::default().stdin(debuggee.stdin).record(&words)?;
        let status = recording.run.status;
        // 98 and 99 are the debuggee's own complaint that something does not work at all.
        if matches!(status, 98 | 99) || (status == 125 && recording.run.stdout.is_empty()) {
            let message = format!(
                "it fails while recorded, with {status}:\n{}",
                shorten(&recording.run.stderr)
            );
            return Err(recording.explain(message));
        }
        for _ in 0..REPLAYS {
            expect_identical(&mut recording)?;
        }
        outcomes.insert((recording.run.stdout, status));
    }
    let must_vary = debuggee.varies != Varies::Often && recordings() >= RECORDINGS;
    let mut more = 0;
    // A busy machine may run the threads one after the other for a while.
    while must_vary && outcomes.len() < 2 && more < MORE_RECORDINGS {
        let recording = Recorder::default().stdin(debuggee.stdin).record(&words)?;
        outcomes.insert((recording.run.stdout.clone(), recording.run.status));
        more += 1;
    }
    ensure!(
        !must_vary || outcomes.len() > 1,
        "{} recordings gave the same output: the debuggee, or what it asked, was deterministic",
        RECORDINGS + more
    );
    Ok(Verdict::Passed)
}

/// Without us the debuggees are as nondeterministic as they claim.
fn plain_runs_differ() -> Outcome {
    let mut same = Vec::new();
    for debuggee in DEBUGGEES {
        let Ok(words) = debuggee.command_words() else {
            continue;
        };
        let mut outcomes = BTreeSet::new();
        for _ in 0..RECORDINGS {
            let run = run_plain(&words, debuggee.stdin.as_bytes())?;
            ensure!(!run.hung, "{} hangs without us", debuggee.name);
            outcomes.insert((run.stdout, run.status));
        }
        if outcomes.len() == 1 {
            same.push(debuggee.name);
        }
    }
    println!(
        "{} of {} debuggees differ between runs; not: {same:?}",
        DEBUGGEES.len() - same.len(),
        DEBUGGEES.len()
    );
    ensure!(
        same.len() * 20 <= DEBUGGEES.len(),
        "too many debuggees give the same output in every run: {same:?}"
    );
    Ok(Verdict::Passed)
}

/// The table and the folder agree.
fn every_debuggee_is_listed() -> Outcome {
    let listed: BTreeSet<_> = DEBUGGEES.iter().map(Debuggee::source).collect();
    ensure!(
        listed.len() == DEBUGGEES.len(),
        "a debuggee is listed twice"
    );
    for folder in std::fs::read_dir(debuggees_directory())? {
        let folder = folder?.path();
        // These are not made to replay identically, or have a list of their own; other tests use them.
        let elsewhere = ["unrecorded", "endless", "sync", "bugs", "live", "late"];
        if !folder.is_dir() || elsewhere.iter().any(|name| folder.ends_with(name)) {
            continue;
        }
        for file in std::fs::read_dir(folder)? {
            let file = file?.path();
            ensure!(
                listed.contains(&file),
                "{} is not in the table of debuggees",
                file.display()
            );
        }
    }
    match listed.iter().find(|source| !source.exists()) {
        Some(missing) => fail!(
            "{} is in the table of debuggees but not there",
            missing.display()
        ),
        None => Ok(Verdict::Passed),
    }
}

/// A recorded program sees the same environment as a plain one.
fn our_variables_are_hidden() -> Outcome {
    let debuggee = Debuggee::c("processes/environment");
    let names = |output: &[u8]| -> BTreeSet<String> {
        let text = String::from_utf8_lossy(output).into_owned();
        text.lines()
            .filter_map(|line| line.split_once('='))
            .map(|(name, _)| name.to_owned())
            .collect()
    };
    let words = debuggee.words()?;
    let plain = run_plain(&words, b"")?;
    let recorded = Recorder::default().record(&words)?;
    let (plain, recorded) = (names(&plain.stdout), names(&recorded.run.stdout));
    if plain != recorded {
        return Err(Failure(format!("plain: {plain:?}\nrecorded: {recorded:?}")));
    }
    Ok(Verdict::Passed)
}
