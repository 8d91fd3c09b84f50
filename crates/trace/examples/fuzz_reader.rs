//! Feeds changed traces to the reader for a number of seconds, without any fuzzing machinery:
//! `cargo run --release -p wayfarer-trace --example fuzz_reader -- 60`.
//!
//! Prints `N passed, 0 failed`, or, for an input that makes the reader panic, the seed that repeats
//! it: `… --example fuzz_reader -- --seed SEED`.

use std::process::ExitCode;

use wayfarer_model::ProcessId;
use wayfarer_runtime_abi::layout::{object_flags, object_kind};
use wayfarer_test_kit::fuzz::{self, Random};
use wayfarer_trace::fuzz::{mend, read_everything, seal_in_memory};
use wayfarer_trace::synthetic::{Log, Number, SessionBuilder};
use wayfarer_trace::{Manifest, Sparse, Text};

/// The files of a trace as a fuzzer changes them.
#[derive(Clone)]
struct Files {
    manifest: Vec<u8>,
    events: Vec<u8>,
    session: Sparse,
}

fn random_log(random: &mut Random) -> Log {
    let mut log = Log::new();
    log.start("/usr/bin/program");
    for _ in 0..random.below(200) {
        let check = random.byte();
        match random.below(13) {
            0 => log.clock(
                random.below(16) as u8,
                random.number() as i64 >> random.below(64),
            ),
            1 => log.receive(Number::READ, check, random.number() >> random.below(64)),
            2 => log.send(Number::WRITE, check, 5),
            3 => log.turn(random.number() >> 40),
            4 => log.result(-11),
            5 => {
                let events = random.below(5);
                let payload: Vec<u8> = (0..12 * events).map(|_| random.byte()).collect();
                log.syscall(Number::EPOLL_WAIT, check, events as i64, Some(&payload));
            }
            6 => {
                let payload = vec![check; 4090 + random.below(20)];
                log.syscall(Number::READ, 1, payload.len() as i64, Some(&payload));
            }
            8 => log.acquire(
                random.below(4) as u64,
                random.number() >> random.below(64),
                random.number() >> random.below(64),
            ),
            9 => log.sync_object(
                random.below(4) as u64,
                check,
                random.number(),
                random.number(),
            ),
            10 => log.final_run(random.below(4) as u64, random.number() >> random.below(64)),
            11 => {
                log.threads(random.below(3) as u64, check, random.number() as i64);
                log.outcome(random.below(9) as u64, 16);
            }
            7 => log.wait4(100 + random.below(4) as u32, random.below(0x300) as i32),
            _ => log.syscall(
                Number::new(random.below(470)),
                check,
                0,
                Some(&random.bytes(40)),
            ),
        }
    }
    log.exit(Number::EXIT_GROUP, 0);
    log
}

fn fresh_files(random: &mut Random) -> Files {
    let mut builder = SessionBuilder::new();
    let mut parent = ProcessId(0);
    for pid in 100..100 + random.below(4) as u32 {
        let owner = builder.process(parent, pid, "program");
        parent = owner.0;
        builder.object(object_kind::PIPE, object_flags::BOTH, owner);
        builder.log(owner, &random_log(random), 1);
    }
    let manifest = Manifest::new(vec![Text::from("program")], Text::from("/"), Vec::new());
    let session = builder.build();
    let manifest = serde_json::to_vec(&manifest).unwrap_or_default();
    let events = seal_in_memory(&session).unwrap_or_default();
    Files {
        manifest,
        events,
        session,
    }
}

fn change_bytes(random: &mut Random, bytes: &mut Vec<u8>) {
    if bytes.is_empty() {
        return;
    }
    let place = random.below(bytes.len());
    match random.below(6) {
        0 => bytes.truncate(place),
        1 => drop(bytes.splice(place..place, random.bytes(16))),
        2 => {
            let end = (place + random.below(64)).min(bytes.len());
            bytes.drain(place..end);
        }
        3 => {
            let end = (place + random.below(256)).min(bytes.len());
            let copy = bytes[place..end].to_vec();
            let to = random.below(bytes.len());
            drop(bytes.splice(to..to, copy));
        }
        _ => {
            for _ in 0..1 + random.below(8) {
                let place = random.below(bytes.len());
                bytes[place] = random.byte();
            }
        }
    }
}

fn change_session(random: &mut Random, session: &mut Sparse) {
    let extents: Vec<(u64, usize)> = session
        .extents()
        .map(|(offset, bytes)| (offset, bytes.len()))
        .collect();
    // A session that was cut to nothing has no bytes to change.
    let Some((offset, length)) = extents.get(random.below(extents.len())).copied() else {
        return;
    };
    // Most fields that matter lie at the start of an extent.
    let near = if random.below(2) == 0 {
        length
    } else {
        length.min(256)
    };
    let place = offset + random.below(near) as u64;
    match random.below(8) {
        0 => session.truncate(place),
        _ => session.write(place, &random.bytes(8)),
    }
}

/// Runs the input of one seed.
fn run(seed: u64) {
    let mut random = Random::new(seed);
    let mut files = fresh_files(&mut random);
    for _ in 0..1 + random.below(3) {
        match random.below(8) {
            0 => change_bytes(&mut random, &mut files.manifest),
            1..=3 => change_session(&mut random, &mut files.session),
            _ => change_bytes(&mut random, &mut files.events),
        }
    }
    // Past the checksums in most inputs, or little after them would be tried.
    if random.below(4) != 0 {
        mend(&mut files.events);
    }
    read_everything(&files.manifest, &files.events, &files.session);
}

fn main() -> ExitCode {
    fuzz::main("fuzz_reader", run)
}
