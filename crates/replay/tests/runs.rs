//! Lengths of runs, against a model that plays every access.

use proptest::prelude::*;
use wayfarer_replay::RunLengths;
use wayfarer_runtime_abi::record::{self, sync};
use wayfarer_trace::synthetic::Log;

const THREADS: usize = 4;

/// What a recording of these accesses (thread, object, how often) leaves, and the length of every run
/// of every object.
struct Recorded {
    logs: Vec<Log>,
    /// By object: owner and length of each run.
    runs: Vec<Vec<(usize, u64)>>,
}

/// Threads with odd numbers read.
fn reads(thread: usize) -> bool {
    thread % 2 == 1
}

fn record(accesses: &[(usize, usize, u64)], objects: usize, finals: bool) -> Recorded {
    let mut logs = vec![Log::new(); THREADS];
    let mut runs: Vec<Vec<(usize, u64)>> = vec![Vec::new(); objects];
    for (thread, object, times) in accesses {
        let history = &mut runs[*object];
        match history.last_mut() {
            Some((owner, length)) if owner == thread => *length += times,
            last => {
                let before = last.map_or(0, |(_, length)| *length);
                let (log, run) = (&mut logs[*thread], history.len() as u64 + 1);
                match reads(*thread) {
                    true => log.acquire_read(*object as u64 + 1, run, before),
                    false => log.acquire(*object as u64 + 1, run, before),
                }
                log.wait(*object as u64 + 1, 20_000 * times);
                history.push((*thread, *times));
            }
        }
        logs[*thread].clock(1, 5);
    }
    if finals {
        for (object, history) in runs.iter().enumerate() {
            if let Some((_, length)) = history.last() {
                logs[0].final_run(object as u64 + 1, *length);
            }
        }
    }
    Recorded { logs, runs }
}

fn lengths_of(logs: &[Log]) -> RunLengths {
    let mut lengths = RunLengths::default();
    for log in logs {
        let bytes = log.bytes();
        let mut rest = bytes.as_slice();
        while let Ok(next) = record::read(rest) {
            lengths.add(&next);
            rest = &rest[next.length..];
        }
    }
    lengths.settle();
    lengths
}

proptest! {
    #[test]
    fn every_acquire_gets_the_length_of_its_own_run(
        accesses in prop::collection::vec((0..THREADS, 0usize..5, prop_oneof![9 => 1u64..4, 1 => 200u64..100_000, 1 => Just(1 << 40)]), 0..300),
        finals in any::<bool>(),
    ) {
        let Recorded { logs, runs } = record(&accesses, 5, finals);
        let lengths = lengths_of(&logs);
        for (thread, log) in logs.iter().enumerate() {
            let raw = log.bytes();
            let mut written = Vec::new();
            prop_assert_eq!(lengths.rewrite(&raw, &mut written), raw.len());
            let mut rest = written.as_slice();
            let mut before = raw.as_slice();
            while let Ok(next) = record::read(rest) {
                let old = record::read(before).expect("as many as before");
                prop_assert_eq!((old.tag, old.number, old.value), (next.tag, next.number, next.value));
                if next.is_acquire() {
                    prop_assert_eq!(next.tag == record::ACQUIRE_READ, reads(thread));
                    let history = &runs[next.number as usize - 1];
                    let (owner, length) = history[next.value as usize - 1];
                    prop_assert_eq!(owner, thread);
                    let last = next.value as usize == history.len();
                    let told = if last && !finals { 0 } else { length };
                    prop_assert_eq!(next.run_length(), told);
                    prop_assert_eq!(next.check == sync::LONG, told >= 255);
                } else {
                    prop_assert_eq!(&rest[..next.length], &before[..old.length]);
                }
                rest = &rest[next.length..];
                before = &before[old.length..];
            }
            prop_assert!(rest.is_empty() && before.is_empty());
        }
    }

    #[test]
    fn any_bytes_are_copied_as_far_as_they_are_records(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let lengths = RunLengths::default();
        let mut written = Vec::new();
        let copied = lengths.rewrite(&bytes, &mut written);
        prop_assert!(copied <= bytes.len());
    }

    #[test]
    fn wild_numbers_take_little_memory(records in prop::collection::vec((any::<u64>(), any::<u64>(), any::<u64>()), 0..100)) {
        let mut log = Log::new();
        for (object, run, length) in &records {
            log.acquire(*object, *run, *length);
            log.final_run(*object, *length);
        }
        let lengths = lengths_of(&[log.clone()]);
        let mut written = Vec::new();
        lengths.rewrite(&log.bytes(), &mut written);
    }
}

#[test]
fn nobody_knows_the_length_of_a_run_without_end() {
    let mut log = Log::new();
    log.acquire(7, 1, 0);
    log.acquire(7, 9, 3);
    let lengths = lengths_of(&[log]);
    assert_eq!(
        [1, 8, 9, 10].map(|run| lengths.length(7, run)),
        [0, 3, 0, 0]
    );
    assert_eq!(lengths.length(8, 1), 0);
    assert_eq!(lengths.highest_object(), 7);
}
