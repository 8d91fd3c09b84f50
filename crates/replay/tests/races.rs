//! Divergences of parallel recordings: told as data races, with the histories around the place.

use wayfarer_model::{ProcessId, ThreadId};
use wayfarer_replay::{Difference, Met, ThreadState, Wait, explain};
use wayfarer_runtime_abi::layout::divergence;
use wayfarer_runtime_abi::record::{self, sync, threads};
use wayfarer_trace::synthetic::{Log, Number, SessionBuilder};
use wayfarer_trace::{Manifest, Text, Trace};

/// Two threads that hand mutex 1 to each other ten times; the second also has mutex 2.
fn trace(mode: u64) -> Trace {
    trace_with(mode, |_| ())
}

/// The same with more at the end of the first log.
fn trace_with(mode: u64, more: impl FnOnce(&mut Log)) -> Trace {
    let mut session = SessionBuilder::new();
    let main = session.process(ProcessId(0), 100, "bank");
    let second = session.thread(main.0, 101);
    let mut logs = [Log::new(), Log::new()];
    logs[0].start("/bin/bank");
    logs[0].threads(mode, threads::ALL_VISIBLE, 0);
    logs[0].sync_object(1, sync::MUTEX, 0x6000, 0x5000);
    logs[1].sync_object(2, sync::MUTEX, 0x7000, 0x5000);
    logs[1].acquire(2, 1, 0);
    for run in 1..=10u64 {
        logs[usize::from(run % 2 == 0)].acquire(1, run, u64::from(run > 1));
    }
    logs[1].syscall(Number::READ, 0, 5, None);
    more(&mut logs[0]);
    session.log(main, &logs[0], 1);
    session.log((main.0, second), &logs[1], 1);
    let manifest = Manifest::new(vec![Text::from("bank")], Text::from("/"), Vec::new());
    let manifest = serde_json::to_vec(&manifest).unwrap();
    Trace::open_bytes(&manifest, None, Some(Box::new(session.build()))).unwrap()
}

fn met(kind: u32, detail: [u64; 4]) -> Difference {
    Difference::Met(Box::new(Met {
        kind,
        process: ProcessId(1),
        thread: ThreadId(2),
        event: 0,
        promised_tag: record::ACQUIRE,
        promised_check: 0,
        promised_number: 1,
        promised_result: 6,
        came_number: i64::from(sync::MUTEX),
        came_check: 0,
        came_arguments: [0; 6],
        detail,
        text: String::new(),
    }))
}

#[test]
fn another_access_is_told_with_both_histories() {
    let trace = trace(threads::PARALLEL);
    let difference = met(divergence::OTHER_SYNC, [2, 0x7000, 1, 6]);
    let explanation = explain(&trace, &difference, &[]);
    assert_eq!(explanation.kind, "other-sync");
    assert_eq!(
        (explanation.process.as_str(), explanation.thread),
        ("bank", 2)
    );
    assert_eq!(explanation.promised, "run 6 of L1 (mutex of bank)");
    assert_eq!(
        explanation.came,
        "an access to L2 (mutex of bank) at 0x7000"
    );
    assert_eq!(
        explanation.histories,
        [
            "L1 mutex of bank: … 2:1w 3:2w 4:1w [5:2w] 6:1w 7:2w 8:1w …",
            "L2 mutex of bank: [0:2w×?]"
        ]
    );
    assert!(explanation.likely_cause.starts_with("a data race"));
    for way in ["--retry", "solidify", "--threads serial"] {
        assert!(explanation.remedy.contains(way), "{}", explanation.remedy);
    }
    let text = explanation.to_string();
    assert!(text.contains("\n  history   L1 mutex"), "{text}");
}

#[test]
fn a_new_object_has_no_number() {
    let trace = trace(threads::PARALLEL);
    let difference = met(divergence::OTHER_SYNC, [0, 0x8000, 1, 2]);
    let explanation = explain(&trace, &difference, &[]);
    assert_eq!(
        explanation.came,
        "an access to a mutex at 0x8000 that has no number yet"
    );
}

#[test]
fn every_divergence_of_a_parallel_process_may_be_a_race() {
    let difference = met(divergence::OTHER_CALL, [0; 4]);
    let parallel = explain(&trace(threads::PARALLEL), &difference, &[]);
    assert!(parallel.likely_cause.starts_with("a data race"));
    assert!(parallel.remedy.contains("solidify"));
    let serial = explain(&trace(threads::SERIAL), &difference, &[]);
    assert!(!serial.remedy.contains("solidify"), "{}", serial.remedy);
    let early = Difference::EndedEarly {
        thread: ThreadId(2),
        event: 0,
        end: None,
    };
    let early = explain(&trace(threads::PARALLEL), &early, &[]);
    assert!(early.remedy.contains("solidify"));
    // Another file is another file, whatever the threads do.
    let file = explain(
        &trace(threads::PARALLEL),
        &met(divergence::OTHER_FILE, [0; 4]),
        &[],
    );
    assert!(!file.remedy.contains("solidify"), "{}", file.remedy);
}

#[test]
fn a_standstill_names_the_objects_that_are_waited_for() {
    let waits = |id, wait| ThreadState {
        id: ThreadId(id),
        process: ProcessId(1),
        live: true,
        events: 0,
        promised: 1,
        wait,
    };
    let threads = [
        waits(1, Wait::Futex(0x9000)),
        waits(2, Wait::Sync { object: 1, run: 4 }),
    ];
    let explanation = explain(&trace(threads::PARALLEL), &Difference::Standstill, &threads);
    assert_eq!((explanation.kind, explanation.thread), ("standstill", 2));
    assert!(
        explanation.came.contains("for run 4 of sync object 1"),
        "{}",
        explanation.came
    );
    assert!(
        explanation.others[0].contains("the program's own wait on 0x9000"),
        "{:?}",
        explanation.others
    );
    assert_eq!(
        explanation.histories,
        ["L1 mutex of bank: 0:1w 1:2w 2:1w [3:2w] 4:1w 5:2w 6:1w …"]
    );
    assert!(explanation.likely_cause.starts_with("a data race"));
}

#[test]
fn a_library_that_came_late_is_named() {
    let loads = |log: &mut Log| {
        log.syscall(Number::OPEN, 0, 3, None);
        log.syscall(Number::MMAP, 0, 0x1000, None);
        let reason = i64::from(threads::OWN_FUTEX);
        log.note(record::note::LATE_LIBRARY, reason, "/opt/plugin.so");
        log.syscall(Number::CLOSE, 0, 0, None);
    };
    let trace = trace_with(threads::PARALLEL, loads);
    let early = Difference::EndedEarly {
        thread: ThreadId(2),
        event: 0,
        end: None,
    };
    let other_call = met(divergence::OTHER_CALL, [0; 4]);
    for difference in [early, other_call, Difference::Standstill] {
        let waits = ThreadState {
            id: ThreadId(2),
            process: ProcessId(1),
            live: true,
            events: 0,
            promised: 1,
            wait: Wait::Futex(0x9000),
        };
        let explanation = explain(&trace, &difference, &[waits]);
        let cause = &explanation.likely_cause;
        assert!(
            cause.contains("/opt/plugin.so makes futex calls"),
            "{cause}"
        );
        assert!(cause.contains("at event 1 of thread 1"), "{cause}");
        assert!(explanation.remedy.contains("--threads serial"));
    }
    let shares = |log: &mut Log| {
        log.syscall(Number::MMAP, 0, 0x1000, None);
        let reason = i64::from(threads::SHARED_MEMORY);
        log.note(record::note::LATE_REASON, reason, "");
    };
    let sharing = trace_with(threads::PARALLEL, shares);
    let explanation = explain(&sharing, &met(divergence::OTHER_CALL, [0; 4]), &[]);
    let cause = &explanation.likely_cause;
    assert!(
        cause.contains("memory that other processes may share"),
        "{cause}"
    );
    assert!(explanation.remedy.contains("--threads serial"));
    // Another file is another file, whatever was loaded.
    let file = explain(&trace, &met(divergence::OTHER_FILE, [0; 4]), &[]);
    assert!(
        !file.likely_cause.contains("plugin"),
        "{}",
        file.likely_cause
    );
}
