//! Serial mode: a turn that is taken from a thread between two of its events ends at the same crossing in a replay.

use super::world::{Follow, Line, Owned, World};
use crate::calls::replay;
use crate::log::reader;
use crate::serial::ahead;
use crate::serial::{crossings, token, watch};
use crate::session::domain;
use crate::state::Thread;
use std::sync::{Arc, Mutex};
use wayfarer_calls::Number;
use wayfarer_interleave::{Explorer, Model};
use wayfarer_runtime_abi::record::{self, Head};

/// What a thread does: events and crossings.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Event,
    Crossing,
}

use Step::{Crossing, Event};

const PROGRAM: [Step; 7] = [
    Event, Crossing, Crossing, Event, Crossing, Crossing, Crossing,
];
const THREADS: usize = 2;

/// Who did which of its steps, in order.
type History = Vec<(u32, usize)>;

/// One step of a recording.
fn record_step(thread: &mut Thread, step: Step, note: &dyn Fn()) {
    match step {
        Event => {
            thread.emit_call(Number::GETPID, 0, 0);
            note();
            token::yield_if_asked(thread);
        }
        Crossing => {
            crossings::cross(thread);
            note();
        }
    }
}

/// The same in a replay.
fn replay_step(thread: &mut Thread, step: Step, note: &dyn Fn()) {
    match step {
        Event => {
            replay::settle(thread, None);
            let next = reader::peek(thread).expect("an event is in the log");
            assert_eq!(next.tag, record::SYSCALL);
            reader::advance(thread, next.length);
            thread.count_event();
            note();
            ahead::after(thread);
        }
        Crossing => {
            crossings::cross(thread);
            note();
        }
    }
}

/// Plays the program in all threads; gives what the check gets.
fn play(
    explorer: Explorer,
    world: &World,
    follow: Follow,
    logs: &[Vec<u8>],
    step: fn(&mut Thread, Step, &dyn Fn()),
    check: impl Fn(History, &[Owned]) + Clone + 'static,
) {
    explorer.run(|| {
        let threads = world.threads::<THREADS>(follow);
        let history = Arc::new(Mutex::new(History::new()));
        let (end, check) = (Arc::clone(&history), check.clone());
        let mut model = Model::new(move || check(end.lock().unwrap().clone(), &threads));
        let is_replay = follow == Follow::ReplaySerial;
        if is_replay {
            // Whoever starts the threads has turn 0, and is gone.
            let token = domain::of(threads[0].get().process());
            token
                .turn
                .store(1, wayfarer_runtime_abi::atomic::Ordering::SeqCst);
        }
        for (index, thread) in threads.into_iter().enumerate() {
            if let Some(log) = logs.get(index) {
                thread.reads(log.clone());
            }
            let history = Arc::clone(&history);
            model = model.thread(move || {
                let number = thread.get().number;
                if is_replay {
                    replay::settle(thread.get(), None);
                } else {
                    token::take(thread.get());
                }
                for (index, kind) in PROGRAM.into_iter().enumerate() {
                    let note = || history.lock().unwrap().push((number, index));
                    step(thread.get(), kind, &note);
                }
                token::leave(thread.get());
            });
        }
        if !is_replay {
            // Somebody asks both for their turns, at any moment.
            model = model.thread(|| {
                for asked in 0..8 {
                    watch::ask(asked % 2 + 1);
                }
            });
        }
        model
    });
}

/// The bytes of a log for a replay.
fn bytes_of(lines: &[Line]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in lines {
        let mut head = match line.tag {
            record::TURN => Head::turn(line.number),
            tag => Head::new(tag, line.number, line.check, line.value),
        };
        if !line.payload.is_empty() {
            head = head.with_payload(line.payload.len());
        }
        bytes.extend_from_slice(&head.encode());
        bytes.extend_from_slice(&line.payload);
    }
    bytes
}

#[test]
fn turns_end_at_the_same_crossing() {
    let world = World::take();
    type Recorded = Arc<Mutex<Vec<(History, Vec<Vec<u8>>)>>>;
    let recorded = Recorded::default();
    let kept = Arc::clone(&recorded);
    play(
        Explorer::random(60).with_time_outs(),
        &world,
        Follow::RecordSerial,
        &[],
        record_step,
        move |history, threads| {
            assert_eq!(history.len(), THREADS * PROGRAM.len());
            let logs = threads.iter().map(|thread| bytes_of(&thread.log()));
            kept.lock().unwrap().push((history, logs.collect()));
        },
    );
    let recorded = recorded.lock().unwrap();
    let mut between = 0;
    for (history, logs) in recorded.iter() {
        between += logs
            .iter()
            .filter(|log| log.contains(&(record::YIELD | record::PAYLOAD)))
            .count();
        let expected = history.clone();
        play(
            Explorer::random(30).late_stores(1),
            &world,
            Follow::ReplaySerial,
            logs,
            replay_step,
            move |history, _| assert_eq!(history, expected),
        );
    }
    assert!(between > 0, "some turn ended between two events");
}
