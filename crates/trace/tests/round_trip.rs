//! Sessions made by hand are sealed, opened in both forms, and compared.

mod common;

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use wayfarer_model::{ProcessEnd, ProcessId, ThreadId};
use wayfarer_trace::synthetic::{Log, Number, SessionBuilder};
use wayfarer_trace::verify::verify;
use wayfarer_trace::{
    EVENTS_FILE, End, Form, ReadError, RecordedEnd, SESSION_FILE, SealOptions, Trace, seal_with,
};

use common::{Sample, sample};

const QUICK: SealOptions = SealOptions { durable: false };

fn save(sample: &Sample, directory: &Path) {
    sample
        .manifest
        .write(directory, false)
        .expect("writes the manifest");
    sample
        .session
        .save(&directory.join(SESSION_FILE))
        .expect("writes the session");
}

fn check(trace: &Trace, sample: &Sample) {
    for (thread, log) in &sample.logs {
        assert_eq!(
            trace.log(*thread).expect("reads"),
            *log,
            "log of thread {thread}"
        );
        assert_eq!(
            trace.thread(*thread).expect("is there").log_length,
            log.len() as u64
        );
    }
    let names: Vec<&str> = trace
        .processes()
        .iter()
        .map(|row| row.name.as_str())
        .collect();
    assert_eq!(names, ["bash", "redis-server", "bash.2"]);
    assert_eq!(trace.end_of(ProcessId(1)), ProcessEnd::Exited(7));
    assert_eq!(trace.end_of(ProcessId(2)), ProcessEnd::Exited(3));
    assert_eq!(trace.end_of(ProcessId(3)), ProcessEnd::Killed(9));
    assert_eq!(trace.end_of(ProcessId(99)), ProcessEnd::Cut);
    assert_eq!(trace.objects().len(), 2);
    assert!(matches!(
        trace.log(ThreadId(99)),
        Err(ReadError::NoSuchThread(_))
    ));
    let verification = verify(trace);
    assert!(verification.is_good(), "{:?}", verification.problems);
    let summary = trace.summary();
    assert_eq!(summary.events, verification.events);
    assert_eq!(summary.calls["epoll_wait"].count, 12_000);
    assert_eq!(summary.kinds["turn"].count, 12_001);
    assert_eq!(summary.clocks["CLOCK_MONOTONIC"].count, 12_000);
    assert_eq!((summary.notes.len(), summary.notes[0].count), (1, 2));
    assert_eq!(summary.processes[1].threads, 2);
    assert!(summary.problems.is_empty());
}

#[test]
fn both_forms_tell_the_same() {
    let directory = tempfile::tempdir().expect("makes a directory");
    let sample = sample();
    save(&sample, directory.path());

    let raw = Trace::open(directory.path()).expect("opens raw");
    assert_eq!(raw.form(), Form::Unsealed);
    check(&raw, &sample);

    let report = seal_with(directory.path(), SealOptions { durable: true }).expect("seals");
    assert!(!directory.path().join(SESSION_FILE).exists());
    let length = fs::metadata(directory.path().join(EVENTS_FILE))
        .expect("is there")
        .len();
    assert_eq!(report.sealed_bytes, length);
    assert!(report.damage.is_empty());

    let sealed = Trace::open(directory.path()).expect("opens sealed");
    assert_eq!(sealed.form(), Form::Sealed);
    check(&sealed, &sample);
    assert!(sealed.bytes_on_disk() < raw.bytes_on_disk() / 10);

    // Sealing again changes nothing.
    let again = seal_with(directory.path(), QUICK).expect("is sealed");
    assert_eq!(again.sealed_bytes, length);
}

#[test]
fn records_are_numbered_by_events() {
    let directory = tempfile::tempdir().expect("makes a directory");
    save(&sample(), directory.path());
    let trace = Trace::open(directory.path()).expect("opens");
    let records = trace.records(ThreadId(4)).expect("reads");
    let events: Vec<u64> = records
        .iter()
        .map(|entry| entry.expect("is a record").event.0)
        .collect();
    // A turn, the only event, and its result.
    assert_eq!(events, [0, 0, 1]);
}

#[test]
fn equal_payloads_are_stored_once() {
    let seal_size = |seeds: [u8; 8]| {
        let directory = tempfile::tempdir().expect("makes a directory");
        let mut builder = SessionBuilder::new();
        for seed in seeds {
            let owner = builder.process(ProcessId(0), 100, "cc1");
            let mut state = u32::from(seed) + 1;
            let payload: Vec<u8> = std::iter::repeat_with(|| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8
            })
            .take(100_000)
            .collect();
            let mut log = Log::new();
            log.syscall(Number::READ, 0, 100_000, Some(&payload));
            builder.log(owner, &log, 1);
        }
        let sample = Sample {
            session: builder.build(),
            logs: Vec::new(),
            manifest: common::manifest(),
        };
        save(&sample, directory.path());
        seal_with(directory.path(), QUICK)
            .expect("seals")
            .sealed_bytes
    };
    let same = seal_size([1; 8]);
    let different = seal_size([1, 2, 3, 4, 5, 6, 7, 8]);
    assert!(same < 105_000, "{same}");
    assert!(different > 780_000, "{different}");
}

#[test]
fn the_recorder_knows_ends_that_no_log_tells() {
    let mut builder = SessionBuilder::new();
    let first = builder.process(ProcessId(0), 50, "server");
    let second = builder.process(first.0, 51, "server");
    let third = builder.process(first.0, 52, "server");
    for owner in [first, second, third] {
        let mut log = Log::new();
        log.start("/bin/server");
        builder.log(owner, &log, 1);
    }
    builder.state(
        third.0,
        wayfarer_runtime_abi::layout::process_state::OPAQUE,
        0,
    );
    let mut manifest = common::manifest();
    manifest.end = Some(End {
        wait_status: 15,
        realtime_ns: 1,
    });
    manifest.process_ends = vec![RecordedEnd {
        pid: 51,
        wait_status: 0x0200,
    }];
    let json = serde_json::to_vec(&manifest).expect("serialises");
    let trace = Trace::open_bytes(&json, None, Some(Box::new(builder.build()))).expect("opens");
    assert_eq!(trace.end_of(first.0), ProcessEnd::Killed(15));
    assert_eq!(trace.end_of(second.0), ProcessEnd::Exited(2));
    assert_eq!(trace.end_of(third.0), ProcessEnd::Opaque);
}

#[test]
fn chunks_may_lie_in_any_order() {
    let mut builder = SessionBuilder::new();
    let owner = builder.process(ProcessId(0), 50, "server");
    let mut logs = Vec::new();
    for value in 0..3 {
        let mut log = Log::new();
        log.result(value);
        logs.push(log.bytes());
    }
    for sequence in [2u32, 0, 1] {
        builder.chunk(owner, sequence, 1, &logs[sequence as usize]);
    }
    let manifest = serde_json::to_vec(&common::manifest()).expect("serialises");
    let trace = Trace::open_bytes(&manifest, None, Some(Box::new(builder.build()))).expect("opens");
    assert_eq!(trace.log(owner.1).expect("reads"), logs.concat());
    assert!(trace.damage().is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_logs_survive_sealing(
        logs in prop::collection::vec(prop::collection::vec((0u64..400, any::<u8>(), any::<i64>(), prop::collection::vec(any::<u8>(), 0..200), 0usize..2), 0..60), 1..6),
        units in 1u64..3,
    ) {
        let directory = tempfile::tempdir().expect("makes a directory");
        let mut builder = SessionBuilder::new();
        let mut expected = Vec::new();
        for calls in logs {
            let owner = builder.process(ProcessId(0), 9, "any");
            let mut log = Log::new();
            for (number, check, result, payload, big) in calls {
                let payload = payload.repeat(1 + big * 60);
                log.syscall(Number::from(number), check, result, Some(&payload));
            }
            builder.log(owner, &log, units);
            expected.push((owner.1, log.bytes()));
        }
        let sample = Sample { session: builder.build(), logs: expected, manifest: common::manifest() };
        save(&sample, directory.path());
        seal_with(directory.path(), QUICK).expect("seals");
        let trace = Trace::open(directory.path()).expect("opens");
        for (thread, log) in &sample.logs {
            prop_assert_eq!(&trace.log(*thread).expect("reads"), log);
        }
        prop_assert!(verify(&trace).is_good());
    }
}

#[test]
fn programs_are_named_as_they_were_called() {
    let mut builder = SessionBuilder::new();
    let mut owners = Vec::new();
    let mut logs = Vec::new();
    for pid in 1..6 {
        owners.push(builder.process(ProcessId(0), pid, ""));
        logs.push(Log::new());
    }
    logs[0].start_as("/usr/bin/redis-check-rdb", "/usr/bin/redis-server");
    logs[1].start_as("/usr/bin/dash", "/dev/fd/5");
    logs[2].start("/usr/bin/env");
    logs[2].start("/usr/bin/python3");
    logs[2].child(Number::FORK, 4, owners[3].0, owners[3].1);
    logs[2].start("/usr/bin/make");
    logs[4].start("/bin/sh");
    logs[4].opaque_exec("/usr/bin/tried");
    logs[4].turn(3);
    logs[4].result(-13);
    logs[4].opaque_exec("/usr/bin/static");
    for (owner, log) in owners.iter().zip(&logs) {
        builder.log(*owner, log, 1);
    }
    let manifest = serde_json::to_vec(&common::manifest()).expect("serialises");
    let trace = Trace::open_bytes(&manifest, None, Some(Box::new(builder.build()))).expect("opens");
    let names: Vec<&str> = trace
        .processes()
        .iter()
        .map(|row| row.name.as_str())
        .collect();
    assert_eq!(names, ["redis-server", "dash", "make", "python3", "static"]);
}

#[test]
fn histories_come_from_the_logs_of_all_threads() {
    use wayfarer_runtime_abi::record::{sync, threads};
    use wayfarer_trace::{History, Manifest, Run, Side, Text, ThreadsMode, Wait};
    let mut session = SessionBuilder::new();
    let main = session.process(ProcessId(0), 100, "server");
    let second = session.thread(main.0, 101);
    let mut log = Log::new();
    log.start("/bin/server");
    log.threads(threads::PARALLEL, threads::ALL_VISIBLE, 0);
    log.sync_object(1, sync::MUTEX, 0x6000, 0x5000);
    log.acquire(1, 1, 0);
    log.acquire(1, 3, 400);
    log.final_run(1, 5);
    log.exit(Number::EXIT_GROUP, 0);
    session.log(main, &log, 1);
    let mut log = Log::new();
    log.acquire_read(1, 2, 3);
    log.wait(1, 200_000_000);
    log.outcome(2, 16);
    session.log((main.0, second), &log, 1);
    let manifest = Manifest::new(vec![Text::from("server")], Text::from("/"), Vec::new());
    let manifest = serde_json::to_vec(&manifest).expect("JSON");
    let trace = Trace::open_bytes(&manifest, None, Some(Box::new(session.build()))).expect("opens");

    let history = History::of(&trace);
    let object = history.object(1).expect("it is there");
    let run = |number, thread, side, length| Run {
        number,
        thread,
        side,
        length,
        posts: 0,
    };
    assert_eq!(
        object.runs,
        [
            run(1, main.1, Side::Writer, 3),
            run(2, second, Side::Reader, 400),
            run(3, main.1, Side::Writer, 5)
        ]
    );
    let wait = Wait {
        run: 2,
        thread: second,
        nanoseconds: 200_015_872,
        began_in: 0,
    };
    assert_eq!(object.waits, [wait]);
    assert_eq!(object.waited_for(&wait), Some(main.1));
    assert_eq!(object.waited_ns(), wait.nanoseconds);
    assert_eq!((object.address, object.place), (0x6000, 0x5000));
    assert_eq!((object.accesses(), object.hand_overs()), (408, 2));
    assert_eq!(object.longest_run().map(|run| run.length), Some(400));
    assert!(history.object(2).is_none());
    assert!(
        History::of_some(&trace, &mut |id| id == 2)
            .objects
            .is_empty()
    );

    let summary = trace.summary();
    assert_eq!(summary.sync.objects[&sync::MUTEX], 1);
    assert_eq!(
        (
            summary.sync.runs,
            summary.sync.accesses,
            summary.sync.outcomes
        ),
        (3, 408, 1)
    );
    let choice = summary.processes[0].choices[0];
    assert_eq!(
        (choice.mode, choice.reason),
        (ThreadsMode::Parallel, threads::ALL_VISIBLE)
    );
    assert_eq!(summary.kinds["acquire"].count, 2);
    assert_eq!(summary.kinds["acquire-read"].count, 1);
    assert_eq!(summary.kinds["wait"].count, 1);
    let events: u64 = summary.processes.iter().map(|process| process.events).sum();
    assert_eq!(events, 1, "the exit alone");
}

#[test]
fn posts_rounds_and_holders_are_told() {
    use wayfarer_runtime_abi::record::sync;
    use wayfarer_trace::{History, Manifest, Text};
    let mut session = SessionBuilder::new();
    let main = session.process(ProcessId(0), 100, "server");
    let second = session.thread(main.0, 101);
    let third = session.thread(main.0, 102);
    // A semaphore: main takes and posts, the second posts, the third takes, having waited.
    let mut first_log = Log::new();
    first_log.start("/bin/server");
    first_log.sync_object(1, sync::SEMAPHORE, 0x6000, 0x5000);
    first_log.acquire(1, 1, 0);
    // A mutex: main, second, third; the third's wait began while main had it.
    first_log.sync_object(2, sync::MUTEX, 0x7000, 0x5000);
    first_log.acquire(2, 1, 0);
    // A barrier of two: main and third, then second and main.
    first_log.barrier(3, 2);
    first_log.acquire(3, 1, 0);
    first_log.acquire(3, 4, 1);
    let mut second_log = Log::new();
    second_log.posts(1, 2);
    second_log.acquire(1, 2, 5);
    second_log.acquire(2, 2, 1);
    second_log.acquire(3, 3, 1);
    second_log.wait(3, 40_000);
    let mut third_log = Log::new();
    third_log.posts(1, 4);
    third_log.acquire(1, 3, 4);
    third_log.wait(1, 50_000);
    third_log.acquire(2, 3, 1);
    third_log.wait_behind(2, 60_000, 2);
    third_log.acquire(3, 2, 1);
    third_log.final_run(1, 6);
    third_log.final_run(2, 1);
    third_log.final_run(3, 1);
    session.log(main, &first_log, 1);
    session.log((main.0, second), &second_log, 1);
    session.log((main.0, third), &third_log, 1);
    let manifest = Manifest::new(vec![Text::from("server")], Text::from("/"), Vec::new());
    let manifest = serde_json::to_vec(&manifest).expect("JSON");
    let trace = Trace::open_bytes(&manifest, None, Some(Box::new(session.build()))).expect("opens");

    let history = History::of(&trace);
    let semaphore = history.object(1).expect("the semaphore");
    let counts: Vec<_> = semaphore
        .runs
        .iter()
        .map(|run| (run.posts, run.length))
        .collect();
    assert_eq!(counts, [(2, 5), (4, 4), (0, 6)]);
    assert_eq!(semaphore.posts(), Some(6));
    assert_eq!(semaphore.waited_for(&semaphore.waits[0]), Some(second));
    let mutex = history.object(2).expect("the mutex");
    assert_eq!(mutex.waits[0].began_in, 1);
    assert_eq!(mutex.waited_for(&mutex.waits[0]), Some(main.1));
    assert_eq!((mutex.posts(), mutex.rounds()), (None, None));
    let barrier = history.object(3).expect("the barrier");
    assert_eq!((barrier.members, barrier.rounds()), (2, Some(2)));
    assert_eq!(barrier.waited_for(&barrier.waits[0]), Some(main.1));
}
