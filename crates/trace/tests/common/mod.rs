//! A small session with everything in it: two programs, a fork, threads, big payloads, notes.
#![allow(dead_code, reason = "each test file uses a part of it")]

use wayfarer_model::{ProcessId, ThreadId};
use wayfarer_runtime_abi::layout::{object_flags, object_kind, process_state};
use wayfarer_trace::synthetic::{Log, Number, SessionBuilder};
use wayfarer_trace::{Manifest, Sparse, Text};

/// A session and the logs that lie in it.
pub struct Sample {
    pub session: Sparse,
    pub logs: Vec<(ThreadId, Vec<u8>)>,
    pub manifest: Manifest,
}

pub fn manifest() -> Manifest {
    let mut manifest = Manifest::new(
        vec![Text::from("bash"), Text::from("-c")],
        Text::from("/tmp"),
        Vec::new(),
    );
    manifest.host = "host".to_owned();
    manifest
}

/// Contents of a file that two processes read.
pub fn big_payload() -> Vec<u8> {
    (0u32..6000)
        .map(|index| (index.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect()
}

pub fn sample() -> Sample {
    let mut builder = SessionBuilder::new();
    let bash = builder.process(ProcessId(0), 100, "bash");
    let server = builder.process(bash.0, 101, "bash");
    let subshell = builder.process(bash.0, 102, "bash");
    let worker = (server.0, builder.thread(server.0, 103));
    builder.object(object_kind::OUTPUT, 0, bash);
    builder.object(object_kind::TCP, object_flags::BOTH, worker);
    builder.state(server.0, process_state::EXITED, 3);

    let big = big_payload();
    let mut shell = Log::new();
    shell.start("/usr/bin/bash");
    shell.child(Number::FORK, 101, server.0, server.1);
    shell.child(Number::FORK, 102, subshell.0, subshell.1);
    shell.syscall(Number::READ, 5, 6000, Some(&big));
    shell.wait4(102, 9);
    shell.wait4(101, 0x0300);
    shell.note(2, 0, "/usr/bin/static-program");
    shell.note(2, 0, "/usr/bin/static-program");
    shell.exit(Number::EXIT_GROUP, 7);

    let mut serving = Log::new();
    serving.start("/usr/bin/redis-server");
    serving.child(Number::CLONE, 103, server.0, worker.1);
    serving.syscall(Number::READ, 5, 6000, Some(&big));
    for round in 0..12_000u64 {
        let mut events = Vec::new();
        for place in 0..round % 4 {
            events.extend_from_slice(&1u32.to_le_bytes());
            events.extend_from_slice(&((round * 7 + place) % 50).to_le_bytes());
        }
        serving.clock(1, (round * 37 % 900) as i64 + 200);
        serving.syscall(Number::EPOLL_WAIT, 4, (round % 4) as i64, Some(&events));
        for place in 0..round % 4 {
            serving.receive(Number::READ, ((round * 7 + place) % 50) as u8, 40);
            serving.clock(0, (round * 13 % 70) as i64);
            serving.send(
                Number::WRITE,
                (round.wrapping_mul(0x9e37_79b9) >> 9) as u8,
                5,
            );
        }
        serving.turn(round * 2);
    }
    serving.exit(Number::EXIT_GROUP, 3);

    let mut working = Log::new();
    working.turn(1);
    working.syscall(Number::FUTEX, 3, -11, None);
    working.result(-4);

    let logs = [(bash, shell), (server, serving), (worker, working)];
    for (owner, log) in &logs {
        builder.log(*owner, log, 1);
    }
    builder.skip_units(2);
    let mut killed = Log::new();
    killed.syscall(Number::GETPID, 1, 102, None);
    builder.log(subshell, &killed, 4);

    let mut logs: Vec<_> = logs
        .iter()
        .map(|(owner, log)| (owner.1, log.bytes()))
        .collect();
    logs.push((subshell.1, killed.bytes()));
    logs.sort();
    Sample {
        session: builder.build(),
        logs,
        manifest: manifest(),
    }
}
