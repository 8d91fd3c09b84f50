//! Whatever goes in comes out, byte for byte.

use proptest::prelude::*;

use super::*;
use crate::synthetic::{Log, Number};

fn whole(length: usize) -> Vec<Segment> {
    vec![Segment {
        thread: 1,
        part: 0,
        length: length as u64,
    }]
}

fn no_payloads(number: u64, _: &mut Vec<u8>) -> Result<(), String> {
    Err(format!("payload {number} was not stored"))
}

fn coded(tag: u8, number: u64, check: u8, value: u64) -> record::Head {
    record::Head::coded(tag, number, check, value, 0)
}

/// Arbitrary records of all kinds.
fn any_log() -> impl Strategy<Value = Log> {
    let number = prop_oneof![3 => 0u64..8, 1 => Just(232u64), 1 => any::<u64>()];
    let value = prop_oneof![3 => 0u64..100, 1 => any::<u64>()];
    let payload = prop::option::of(prop::collection::vec(any::<u8>(), 0..40));
    let record = (0u8..37, number, any::<u8>(), value, payload);
    prop::collection::vec(record, 0..120).prop_map(|records| {
        let mut log = Log::new();
        for (tag, number, check, value, payload) in records {
            match tag {
                0..=3 | 6 | 9 | 10 | 11 => {
                    let tag = [1, 2, 4, 1, 0, 0, 6, 0, 0, 9, 10, 11][usize::from(tag)];
                    log.record(coded(tag, number, check, value), payload.as_deref());
                }
                4 => log.turn(value),
                5 => log.result(value as i64),
                7 => log.start("/bin/true"),
                8 => log.raw(&[record::YIELD]),
                12 => {
                    let events = vec![check; 12 * (usize::from(check) % 5)];
                    log.syscall(Number::EPOLL_WAIT, check, 1, Some(&events));
                }
                13..=28 => log.clock(tag - 13, value as i64),
                29 => log.acquire(number % 5, value, u64::from(check) * 3),
                34 => log.acquire_read(number % 5, value, u64::from(check) * 3),
                35 => log.wait(number % 5, value),
                36 => log.record(
                    coded(record::WAIT, number, check, value),
                    payload.as_deref(),
                ),
                37 => log.posts(number % 5, value),
                sync => {
                    let tag = record::ACQUIRE + (sync - 29);
                    log.record(coded(tag, number, check, value), payload.as_deref());
                }
            }
        }
        log
    })
}

proptest! {
    #[test]
    fn records_round_trip(log in any_log(), cut in any::<prop::sample::Index>()) {
        let raw = log.bytes();
        // A cut anywhere makes a segment that ends within a record.
        let cut = if raw.is_empty() { 0 } else { cut.index(raw.len()) };
        let segments = [
            Segment { thread: 1, part: 0, length: cut as u64 },
            Segment { thread: 2, part: 0, length: (raw.len() - cut) as u64 },
        ];
        let (kind, packed) = pack(&raw, &segments, &[]);
        prop_assert_eq!(kind, packing::RECORDS);
        prop_assert_eq!(unpack(kind, &packed, &segments, &mut no_payloads), Ok(raw));
    }

    #[test]
    fn any_bytes_round_trip(raw in prop::collection::vec(any::<u8>(), 0..2000)) {
        let segments = whole(raw.len());
        let (kind, packed) = pack(&raw, &segments, &[]);
        prop_assert_eq!(unpack(kind, &packed, &segments, &mut no_payloads), Ok(raw));
    }

    #[test]
    fn bad_packed_bytes_are_refused_or_give_other_bytes(
        log in any_log(),
        place in any::<prop::sample::Index>(),
        flip in 1u8..,
    ) {
        let raw = log.bytes();
        let segments = whole(raw.len());
        let (kind, mut packed) = pack(&raw, &segments, &[]);
        let place = place.index(packed.len());
        packed[place] ^= flip;
        if let Ok(unpacked) = unpack(kind, &packed, &segments, &mut no_payloads) {
            prop_assert_eq!(unpacked.len(), raw.len());
        }
    }

    #[test]
    fn random_packed_bytes_never_panic(
        packed in prop::collection::vec(any::<u8>(), 0..300),
        length in 0usize..100_000,
    ) {
        let _ = unpack(packing::RECORDS, &packed, &whole(length), &mut no_payloads);
        let _ = unpack(packing::ZSTD, &packed, &whole(length), &mut no_payloads);
    }

    #[test]
    fn plain_storage_decompresses(bytes in prop::collection::vec(any::<u8>(), 0..300_000)) {
        prop_assert_eq!(decompress(&stored_frame(&bytes), bytes.len() as u64), Ok(bytes));
    }
}

/// Packed bytes of two threads that hand `objects` locks to each other; `length`: of each run.
fn packed_handovers(objects: u64, length: &mut dyn FnMut(u64) -> u64) -> usize {
    const RUNS: u64 = 100_000;
    let mut logs = [Log::new(), Log::new()];
    for run in 1..=RUNS {
        for object in 1..=objects {
            logs[(run % 2) as usize].acquire(object, run, length(run));
        }
    }
    let logs = logs.map(|log| log.bytes());
    let segments: Vec<Segment> = (1..)
        .zip(&logs)
        .map(|(thread, log)| Segment {
            thread,
            part: 0,
            length: log.len() as u64,
        })
        .collect();
    let raw = logs.concat();
    let (kind, packed) = pack(&raw, &segments, &[]);
    assert_eq!(kind, packing::RECORDS);
    assert_eq!(unpack(kind, &packed, &segments, &mut no_payloads), Ok(raw));
    packed.len()
}

#[test]
fn alternating_owners_cost_next_to_nothing() {
    let strict = packed_handovers(1, &mut |_| 1);
    assert!(strict < 100_000 / 100, "{strict}");
    let several = packed_handovers(3, &mut |_| 1);
    assert!(several < 300_000 / 100, "{several}");
}

#[test]
fn runs_of_any_length_cost_little() {
    let mut state = 7u64;
    let mut next = move |limit: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        1 + (state >> 33) % limit
    };
    let short = packed_handovers(1, &mut |_| next(4));
    assert!(short < 100_000, "{short}");
    let long = packed_handovers(1, &mut |_| 1_000_000 + next(1000));
    assert!(long < 100_000 * 4, "{long}");
}

#[test]
fn changes_of_side_cost_next_to_nothing() {
    let mut log = Log::new();
    for run in 1..=50_000 {
        log.acquire_read(7, 2 * run - 1, 1);
        log.acquire(7, 2 * run, 1);
    }
    let raw = log.bytes();
    let (_, packed) = pack(&raw, &whole(raw.len()), &[]);
    assert!(packed.len() < 100_000 / 100, "{}", packed.len());
}

/// The worst case: each of two owners waits for the other every time.
#[test]
fn a_wait_costs_about_a_byte() {
    let mut state = 7u64;
    let mut log = Log::new();
    for run in 1..=100_000 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        log.acquire(7, 2 * run, 1);
        log.wait(7, 10_000 + (state >> 33) % 90_000);
    }
    let raw = log.bytes();
    let (_, packed) = pack(&raw, &whole(raw.len()), &[]);
    assert!(packed.len() < 120_000, "{}", packed.len());
}

#[test]
fn many_objects_are_no_kinds_of_their_own() {
    let mut log = Log::new();
    for object in 1..=2000 {
        log.sync_object(object, record::sync::MUTEX, 0x1000 + 40 * object, 0x5555);
    }
    for object in 1..=2000 {
        log.acquire(object, 1, 0);
        log.outcome(object, 16);
    }
    let raw = log.bytes();
    let (_, packed) = pack(&raw, &whole(raw.len()), &[]);
    assert!(packed.len() < 9000, "{}", packed.len());
}

#[test]
fn references_take_the_place_of_payloads() {
    let big = vec![7u8; BIG_PAYLOAD];
    let mut log = Log::new();
    log.syscall(Number::READ, 1, BIG_PAYLOAD as i64, Some(&big));
    log.syscall(Number::READ, 1, 3, Some(b"abc"));
    log.syscall(Number::READ, 1, BIG_PAYLOAD as i64, Some(&big));
    let raw = log.bytes();
    let length = big.len();
    let last = raw.len() - length;
    let references = [
        Reference {
            position: 1 + 1 + 1 + 2 + 2,
            length,
            number: 9,
        },
        Reference {
            position: last,
            length,
            number: 9,
        },
    ];
    let (kind, packed) = pack(&raw, &whole(raw.len()), &references);
    assert_eq!(kind, packing::RECORDS);
    assert!(packed.len() < 100);
    let mut fetched = Vec::new();
    let unpacked = unpack(kind, &packed, &whole(raw.len()), &mut |number, into| {
        fetched.push(number);
        into.extend_from_slice(&big);
        Ok(())
    });
    assert_eq!(unpacked, Ok(raw.clone()));
    assert_eq!(fetched, [9, 9]);
    let missing = unpack(kind, &packed, &whole(raw.len()), &mut no_payloads);
    assert_eq!(missing, Err("payload 9 was not stored".to_owned()));
}
