//! Traces that are cut, changed, empty, foreign or newer: each gets its own answer, none a panic.

mod common;

use std::fs;

use proptest::prelude::*;
use wayfarer_model::{ProcessEnd, ProcessId, ThreadId};
use wayfarer_runtime_abi::layout;
use wayfarer_trace::fuzz::read_everything;
use wayfarer_trace::synthetic::{Log, Number, SessionBuilder};
use wayfarer_trace::verify::verify;
use wayfarer_trace::{
    EVENTS_FILE, MANIFEST_FILE, OpenError, SESSION_FILE, SealOptions, Sparse, Trace, seal_with,
};

/// Manifest and sealed file of a small session, and the session.
fn small() -> (Vec<u8>, Vec<u8>, Sparse) {
    let mut builder = SessionBuilder::new();
    let mut last = ProcessId(0);
    for pid in 20..23 {
        let owner = builder.process(last, pid, "small");
        last = owner.0;
        let mut log = Log::new();
        log.start("/bin/small");
        for round in 0..20 {
            log.clock(1, round * 100);
            log.syscall(Number::READ, 3, 5, Some(b"hello"));
            log.syscall(Number::EPOLL_WAIT, 3, 1, Some(&[round as u8; 12]));
        }
        log.syscall(Number::READ, 3, 4096, Some(&[pid as u8; 4096]));
        log.exit(Number::EXIT_GROUP, 0);
        builder.log(owner, &log, 1);
    }
    let session = builder.build();
    let directory = tempfile::tempdir().expect("makes a directory");
    common::manifest()
        .write(directory.path(), false)
        .expect("writes");
    session
        .save(&directory.path().join(SESSION_FILE))
        .expect("writes");
    seal_with(directory.path(), SealOptions { durable: false }).expect("seals");
    let read = |name| fs::read(directory.path().join(name)).expect("reads");
    (read(MANIFEST_FILE), read(EVENTS_FILE), session)
}

fn open(manifest: &[u8], events: &[u8]) -> Result<Trace, OpenError> {
    Trace::open_bytes(manifest, Some(Box::new(events.to_vec())), None)
}

#[test]
fn a_sealed_file_cut_anywhere_is_noticed() {
    let (manifest, events, _) = small();
    assert!(verify(&open(&manifest, &events).expect("opens")).is_good());
    for length in 0..events.len() {
        if let Ok(trace) = open(&manifest, &events[..length]) {
            let verification = verify(&trace);
            assert!(!verification.is_good(), "cut at {length} went unnoticed");
        }
    }
}

#[test]
fn every_changed_byte_of_a_sealed_file_is_noticed_or_harmless() {
    let (manifest, events, _) = small();
    let whole = open(&manifest, &events).expect("opens");
    let logs: Vec<_> = whole
        .threads()
        .iter()
        .map(|thread| whole.log(thread.id).expect("reads"))
        .collect();
    for place in 0..events.len() {
        let mut changed = events.clone();
        changed[place] ^= 0x10;
        let Ok(trace) = open(&manifest, &changed) else {
            continue;
        };
        for (thread, log) in whole.threads().iter().zip(&logs) {
            let (prefix, error) = trace.log_prefix(thread.id);
            assert!(
                log.starts_with(&prefix),
                "byte {place}: wrong log of thread {}",
                thread.id
            );
            if prefix.len() < log.len() {
                let known = error.is_some() || !trace.damage().is_empty();
                assert!(known, "byte {place}: a log got shorter without a word");
            }
        }
        // Without an index or names the trace is still whole.
        for process in whole.processes() {
            let found = trace.process(process.id).map(|row| row.name.clone());
            let lost = !verify(&trace).is_good();
            assert!(
                lost || found.as_ref() == Some(&process.name),
                "byte {place}"
            );
        }
    }
}

#[test]
fn a_session_cut_anywhere_opens_up_to_the_cut() {
    let (manifest, _, session) = small();
    let end = wayfarer_trace::Source::length(&session);
    let steps = (0..8192)
        .step_by(61)
        .map(|step| end - step * 24)
        .chain((0..end).step_by(1_000_003));
    for length in steps {
        let mut cut = session.clone();
        cut.truncate(length);
        read_everything(&manifest, &[], &cut);
    }
}

#[test]
fn each_kind_of_bad_trace_has_its_own_answer() {
    let (manifest, events, session) = small();
    let directory = tempfile::tempdir().expect("makes a directory");
    let path = directory.path();
    let message = || Trace::open(path).err().expect("is refused").to_string();

    assert!(message().contains("is not a trace"));
    fs::write(path.join(MANIFEST_FILE), b"").expect("writes");
    assert!(message().contains("it is empty"));
    fs::write(path.join(MANIFEST_FILE), b"{\"format_version\": 1").expect("writes");
    assert!(message().contains("damaged"));
    fs::write(
        path.join(MANIFEST_FILE),
        b"{\"format_version\": 99, \"abi_version\": 7}",
    )
    .expect("writes");
    let text = message();
    assert!(
        text.contains("trace format version 99") && text.contains("newer"),
        "{text}"
    );

    fs::write(path.join(MANIFEST_FILE), &manifest).expect("writes");
    assert!(message().contains("holds no events"));
    fs::write(path.join(EVENTS_FILE), b"").expect("writes");
    assert!(message().contains("it is empty"));
    fs::write(
        path.join(EVENTS_FILE),
        b"\x7fELF and a lot more bytes than a head",
    )
    .expect("writes");
    assert!(message().contains("does not begin as a sealed trace"));
    fs::write(path.join(EVENTS_FILE), &events[..10]).expect("writes");
    assert!(message().contains("too few for its head"));
    let mut newer = events.clone();
    newer[8] = 200;
    wayfarer_trace::fuzz::mend(&mut newer);
    fs::write(path.join(EVENTS_FILE), &newer).expect("writes");
    assert!(matches!(
        Trace::open(path),
        Err(OpenError::OtherVersion { found: 200, .. })
    ));

    fs::remove_file(path.join(EVENTS_FILE)).expect("removes");
    let mut foreign = session.clone();
    foreign.write(0, b"garbage!");
    foreign.save(&path.join(SESSION_FILE)).expect("writes");
    assert!(message().contains("does not begin as a session"));
    let mut other = session.clone();
    other.write(8, &77u32.to_le_bytes());
    other.save(&path.join(SESSION_FILE)).expect("writes");
    assert!(matches!(
        Trace::open(path),
        Err(OpenError::OtherVersion {
            what: "runtime ABI",
            ..
        })
    ));
    fs::write(path.join(SESSION_FILE), b"short").expect("writes");
    assert!(message().contains("too few for its head"));
}

#[test]
fn a_missing_chunk_cuts_its_thread_and_says_so() {
    let mut builder = SessionBuilder::new();
    let owner = builder.process(ProcessId(0), 50, "server");
    let mut log = Log::new();
    log.result(1);
    builder.chunk(owner, 0, 1, &log.bytes());
    builder.chunk(owner, 2, 1, &log.bytes());
    let manifest = serde_json::to_vec(&common::manifest()).expect("serialises");
    let trace = Trace::open_bytes(&manifest, None, Some(Box::new(builder.build()))).expect("opens");
    assert_eq!(trace.log(owner.1).expect("reads"), log.bytes());
    assert_eq!(trace.damage().len(), 1);
    assert_eq!(trace.damage()[0].thread, Some(owner.1));
    assert_eq!(trace.damage()[0].good_until, 2);
    assert_eq!(trace.end_of(owner.0), ProcessEnd::Cut);
}

#[test]
fn a_session_that_just_began_is_a_trace() {
    let builder = SessionBuilder::new();
    let manifest = serde_json::to_vec(&common::manifest()).expect("serialises");
    let trace = Trace::open_bytes(&manifest, None, Some(Box::new(builder.build()))).expect("opens");
    assert!(trace.processes().is_empty() && trace.threads().is_empty());
    assert!(verify(&trace).is_good());
    read_everything(&manifest, &[], &builder.build());
}

#[test]
fn a_committed_length_beyond_the_chunk_is_not_believed() {
    let (manifest, _, mut session) = small();
    session.write(layout::ARENA_OFFSET + 16, &u64::MAX.to_le_bytes());
    let trace = Trace::open_bytes(&manifest, None, Some(Box::new(session))).expect("opens");
    assert!(
        trace
            .damage()
            .iter()
            .any(|damage| damage.reason.contains("claims"))
    );
    assert_eq!(trace.log(ThreadId(1)).expect("is empty"), b"");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn changed_bytes_behind_good_checksums_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let (manifest, mut events, _) = small();
        for (place, byte) in changes {
            let place = place.index(events.len());
            events[place] = byte;
        }
        wayfarer_trace::fuzz::mend(&mut events);
        read_everything(&manifest, &events, &Sparse::new(0));
    }

    #[test]
    fn changed_sessions_never_panic(
        changes in prop::collection::vec((0usize..64, any::<prop::sample::Index>(), any::<u64>()), 1..5),
    ) {
        let (manifest, _, mut session) = small();
        for (extent, place, value) in changes {
            let extents: Vec<(u64, usize)> = session.extents().map(|(offset, bytes)| (offset, bytes.len())).collect();
            let (offset, length) = extents[extent % extents.len()];
            let place = offset + place.index(length.saturating_sub(8).max(1)) as u64;
            session.write(place, &value.to_le_bytes());
        }
        read_everything(&manifest, &[], &session);
    }
}

#[test]
fn a_block_that_unpacks_to_other_bytes_is_refused() {
    let (manifest, mut events, _) = small();
    // The checksum of the unpacked first block, with all other checksums right.
    let head = 24;
    events[head + 32] ^= 1;
    // Without the trailer the heads in the index, which are still right, do not count.
    events.pop();
    let crc = crc32fast::hash(&events[head..head + 36]);
    events[head + 36..head + 40].copy_from_slice(&crc.to_le_bytes());
    let message = open(&manifest, &events)
        .err()
        .expect("is refused")
        .to_string();
    assert!(message.contains("unpacks to other bytes"), "{message}");
}

#[test]
fn mended_changes_get_past_the_checksums() {
    let (manifest, events, _) = small();
    let reached = (24..events.len()).filter(|place| {
        let mut changed = events.clone();
        changed[*place] ^= 0x10;
        wayfarer_trace::fuzz::mend(&mut changed);
        let whole = open(&manifest, &events).expect("opens");
        open(&manifest, &changed).is_ok_and(|trace| {
            let problems = verify(&trace).problems;
            let stopped = problems
                .iter()
                .any(|problem| problem.to_string().contains("checksum"));
            let same = trace
                .threads()
                .iter()
                .all(|thread| trace.log(thread.id).ok() == whole.log(thread.id).ok());
            !stopped && (!same || trace.processes() != whole.processes())
        })
    });
    // Otherwise the fuzzer would only try the checksums.
    let reached = reached.count();
    assert!(
        reached > 100,
        "only {reached} of {} changes reached the reader",
        events.len()
    );
}
