//! A trace laid out for a replay: tables as recorded, logs where the slots say.

use std::os::unix::fs::FileExt;

use wayfarer_model::ProcessId;
use wayfarer_recorder::replay::build::build;
use wayfarer_runtime_abi::layout::{
    ARENA_OFFSET, MODE_REPLAY, object_flags, object_kind, process_state,
};
use wayfarer_runtime_abi::{UNIT, record};
use wayfarer_trace::synthetic::{Log, Number, SessionBuilder};
use wayfarer_trace::{Manifest, Text, Trace};

fn start(log: &mut Log) {
    log.start_with(&[0; record::start::FIELDS]);
}

#[test]
fn the_session_holds_what_the_trace_holds() {
    let mut recorded = SessionBuilder::new();
    let parent = recorded.process(ProcessId(0), 100, "parent");
    let child = recorded.process(parent.0, 101, "child");
    recorded.object(object_kind::OUTPUT, 0, parent);
    recorded.object(
        object_kind::PIPE,
        object_flags::BOTH | object_flags::CONTENTS_0,
        child,
    );
    let mut first = Log::new();
    start(&mut first);
    first.child(Number::FORK, 101, child.0, child.1);
    first.exit(Number::EXIT_GROUP, 2);
    recorded.log(parent, &first, 1);
    let mut second = Log::new();
    for number in 0..9000 {
        second.syscall(
            Number::from(number % 300),
            0,
            number as i64,
            Some(b"0123456789"),
        );
    }
    recorded.log(child, &second, 1);
    recorded.state(parent.0, process_state::EXITED, 2);
    let manifest =
        serde_json::to_vec(&Manifest::new(Vec::new(), Text::from("/"), Vec::new())).unwrap();
    let trace = Trace::open_bytes(&manifest, None, Some(Box::new(recorded.build()))).unwrap();

    let (mut session, plan) = build(&trace, None).unwrap();
    assert!(plan.cut, "the child's log has no end");
    assert_eq!(session.header().mode, MODE_REPLAY);
    let mut end = 0;
    for (id, log) in [(1, first.bytes()), (2, second.bytes())] {
        let slot = session.thread(id).unwrap();
        assert_eq!(slot.log_length.get(), log.len() as u64);
        assert_eq!(slot.log_offset.get() % 8, 0);
        let mut found = vec![1; log.len() + 16];
        session
            .file()
            .read_exact_at(&mut found, slot.log_offset.get())
            .unwrap();
        assert_eq!(found[..log.len()], log);
        assert_eq!(found[log.len()..], [0; 16]);
        end = slot.log_offset.get() + log.len() as u64 + 16;
    }
    let header = session.header_mut();
    assert!(ARENA_OFFSET + *header.arena_next.get_mut() * UNIT >= end);
    assert_eq!(
        (
            *header.next_process.get_mut(),
            *header.next_thread.get_mut(),
            *header.next_object.get_mut()
        ),
        (3, 3, 3)
    );
    let root = session.process_mut(1).unwrap();
    assert_eq!(
        (
            *root.state.get_mut(),
            root.pid.get(),
            root.main_thread.get()
        ),
        (process_state::RUNNING, 100, 1)
    );
    assert_eq!(root.end_status.get(), 1 << 31 | 2 << 8);
    let child = session.process_mut(2).unwrap();
    assert_eq!(
        (
            *child.state.get_mut(),
            child.parent.get(),
            child.end_status.get()
        ),
        (process_state::FREE, 1, 0)
    );
    let pipe = session.object_mut(2).unwrap();
    assert_eq!(
        (pipe.kind.get(), pipe.process.get()),
        (object_kind::PIPE, 2)
    );
}

#[test]
fn an_empty_trace_is_refused() {
    let manifest =
        serde_json::to_vec(&Manifest::new(Vec::new(), Text::from("/"), Vec::new())).unwrap();
    let trace = Trace::open_bytes(
        &manifest,
        None,
        Some(Box::new(SessionBuilder::new().build())),
    )
    .unwrap();
    let error = build(&trace, None).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("no process"), "{error}");
}

#[test]
fn runs_are_told_with_their_own_lengths() {
    let mut recorded = SessionBuilder::new();
    let main = recorded.process(ProcessId(0), 100, "threads");
    let second = recorded.thread(main.0, 101);
    let big = vec![7; 3 << 20];
    let mut logs = [Log::new(), Log::new()];
    let mut expected = [Log::new(), Log::new()];
    for log in [&mut logs[0], &mut expected[0]] {
        start(log);
        // Longer than what is written anew at a time.
        log.syscall(Number::READ, 0, 3 << 20, Some(&big));
    }
    // Run n has n % 400 accesses (never 0 but for the last, which has no end).
    let length = |run: u64| 1 + run % 400;
    const RUNS: u64 = 200_000;
    for run in 1..=RUNS {
        let owner = usize::from(run % 2 == 0);
        let before = if run == 1 { 0 } else { length(run - 1) };
        logs[owner].acquire(5, run, before);
        let own = if run == RUNS { 0 } else { length(run) };
        expected[owner].acquire(5, run, own);
    }
    recorded.log(main, &logs[0], 1);
    recorded.log((main.0, second), &logs[1], 1);
    let manifest =
        serde_json::to_vec(&Manifest::new(Vec::new(), Text::from("/"), Vec::new())).unwrap();
    let trace = Trace::open_bytes(&manifest, None, Some(Box::new(recorded.build()))).unwrap();

    let (mut session, _) = build(&trace, None).unwrap();
    let mut places = Vec::new();
    for (id, log) in (1..).zip(&expected) {
        let log = log.bytes();
        let slot = session.thread(id).unwrap();
        assert_eq!(slot.log_length.get(), log.len() as u64);
        let mut found = vec![1; log.len() + 16];
        session
            .file()
            .read_exact_at(&mut found, slot.log_offset.get())
            .unwrap();
        assert!(found[..log.len()] == log, "the log of thread {id}");
        assert_eq!(found[log.len()..], [0; 16]);
        let start = slot.log_offset.get();
        places.push((start, start + slot.log_length.get() + 16));
    }
    assert!(places[0].1 <= places[1].0 || places[1].1 <= places[0].0);
    let header = session.header_mut();
    assert_eq!(*header.next_sync.get_mut(), 6);
    let end = places.iter().map(|(_, end)| *end).max().unwrap();
    assert!(ARENA_OFFSET + *header.arena_next.get_mut() * UNIT >= end);
}
