//! A trace laid out for a replay: tables as recorded, logs where the slots say.

use std::os::unix::fs::FileExt;

use wayfarer_agent::replay_session::build;
use wayfarer_model::ProcessId;
use wayfarer_runtime_abi::layout::{
    ARENA_OFFSET, MODE_REPLAY, object_flags, object_kind, process_state,
};
use wayfarer_runtime_abi::{UNIT, record};
use wayfarer_trace::synthetic::{Log, SessionBuilder};
use wayfarer_trace::{Manifest, Text, Trace};

fn start(log: &mut Log) {
    let mut bytes = vec![record::START | record::PAYLOAD, record::start::FIELDS as u8];
    bytes.extend_from_slice(&[0; record::start::FIELDS]);
    log.raw(&bytes);
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
    first.child(57, 101, child.0, child.1);
    first.exit(231, 2);
    recorded.log(parent, &first, 1);
    let mut second = Log::new();
    for number in 0..9000 {
        second.syscall(number % 300, 0, number as i64, Some(b"0123456789"));
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
        assert_eq!(slot.log_length, log.len() as u64);
        assert_eq!(slot.log_offset % 8, 0);
        let mut found = vec![1; log.len() + 16];
        session
            .file()
            .read_exact_at(&mut found, slot.log_offset)
            .unwrap();
        assert_eq!(found[..log.len()], log);
        assert_eq!(found[log.len()..], [0; 16]);
        end = slot.log_offset + log.len() as u64 + 16;
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
        (*root.state.get_mut(), root.pid, root.main_thread),
        (process_state::RUNNING, 100, 1)
    );
    assert_eq!(root.end_status, 1 << 31 | 2 << 8);
    let child = session.process_mut(2).unwrap();
    assert_eq!(
        (*child.state.get_mut(), child.parent, child.end_status),
        (process_state::FREE, 1, 0)
    );
    let pipe = session.object_mut(2).unwrap();
    assert_eq!((pipe.kind, pipe.process), (object_kind::PIPE, 2));
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
