//! Serial mode: one thread at a time, and turns that are neither lost nor doubled, in both modes.

use super::world::{Follow, Owned, World};
use crate::serial::turns;
use crate::serial::{token, watch};
use crate::session::domain;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use wayfarer_interleave::{Explorer, Model};
use wayfarer_runtime_abi::record;

/// Who had which turn, in order.
type Turns = Vec<(u32, u32)>;

/// In the turn of a thread: nobody else is.
fn alone(inside: &AtomicU32) {
    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "two at a time");
}

fn not_any_more(inside: &AtomicU32) {
    inside.fetch_sub(1, Ordering::SeqCst);
}

/// Notes a turn unless it goes on.
fn note(turns: &Mutex<Turns>, thread: Owned) {
    let mut turns = turns.lock().unwrap();
    let had = (thread.get().number, thread.get().serial.turn);
    if turns.last() != Some(&had) {
        turns.push(had);
    }
}

/// The turns that the logs tell.
fn turns_told(threads: &[Owned]) -> Turns {
    let mut told = Turns::new();
    for thread in threads {
        let lines = thread.log().into_iter();
        let turns = lines.filter(|line| line.tag == record::TURN);
        told.extend(turns.map(|line| (thread.get().number, line.number as u32)));
    }
    told.sort_by_key(|(_, turn)| *turn);
    told
}

/// Records threads that take the token and let it go, so many times each; gives what they recorded.
fn record<const N: usize>(explorer: Explorer, times: u32, yields: bool) -> Vec<Turns> {
    let world = World::take();
    let recorded: Arc<Mutex<Vec<Turns>>> = Arc::default();
    explorer.with_time_outs().run(|| {
        let threads = world.threads::<N>(Follow::RecordSerial);
        let (inside, turns) = (Arc::new(AtomicU32::new(0)), Arc::new(Mutex::default()));
        let (end, recorded) = (Arc::clone(&turns), Arc::clone(&recorded));
        let mut model = Model::new(move || {
            let told = turns_told(&threads);
            for (index, (_, turn)) in told.iter().enumerate() {
                assert_eq!(*turn, index as u32 + 1, "turns are counted: {told:?}");
            }
            assert_eq!(told, *end.lock().unwrap(), "as they were");
            recorded.lock().unwrap().push(told);
        });
        for thread in threads {
            let (inside, turns) = (Arc::clone(&inside), Arc::clone(&turns));
            model = model.thread(move || {
                let other = thread.get().number % N as u32 + 1;
                for _ in 0..times {
                    token::take(thread.get());
                    note(&turns, thread);
                    alone(&inside);
                    if yields {
                        watch::ask(other);
                        not_any_more(&inside);
                        token::yield_if_asked(thread.get());
                        note(&turns, thread);
                        alone(&inside);
                    }
                    not_any_more(&inside);
                    token::let_go(thread.get());
                }
            });
        }
        model
    });
    Arc::into_inner(recorded)
        .expect("all runs are over")
        .into_inner()
        .unwrap()
}

/// Replays threads that have these turns.
fn replay<const N: usize>(explorer: Explorer, recorded: &Turns) {
    let world = World::take();
    explorer.run(|| {
        let threads = world.threads::<N>(Follow::ReplaySerial);
        let (inside, turns) = (Arc::new(AtomicU32::new(0)), Arc::new(Mutex::default()));
        let (end, expected) = (Arc::clone(&turns), recorded.clone());
        let mut model = Model::new(move || assert_eq!(*end.lock().unwrap(), expected));
        // Whoever starts the threads has turn 0, and is gone.
        let first = domain::of(threads[0].get().process());
        first
            .turn
            .store(1, wayfarer_runtime_abi::atomic::Ordering::SeqCst);
        for thread in threads {
            let number = thread.get().number;
            let own: Vec<u32> = recorded
                .iter()
                .filter(|(who, _)| *who == number)
                .map(|(_, turn)| *turn)
                .collect();
            let (inside, turns) = (Arc::clone(&inside), Arc::clone(&turns));
            model = model.thread(move || {
                for turn in own {
                    turns::await_turn(thread.get(), turn);
                    alone(&inside);
                    note(&turns, thread);
                    not_any_more(&inside);
                }
                domain::pass(thread.get());
            });
        }
        model
    });
}

#[test]
fn two_threads_take_turns() {
    record::<2>(Explorer::every(3), 2, false);
}

#[test]
fn three_threads_take_turns() {
    record::<3>(Explorer::random(2000).late_stores(2), 3, false);
}

#[test]
fn threads_that_are_asked_for_their_turn() {
    record::<2>(Explorer::every(1), 2, true);
    record::<3>(Explorer::random(1000).late_stores(2), 2, true);
}

#[test]
fn turns_are_counted_through() {
    let recorded = vec![(2, 1), (1, 2), (2, 3), (1, 4)];
    replay::<2>(Explorer::every(3), &recorded);
}

#[test]
fn what_was_recorded_is_replayed() {
    for recorded in record::<3>(Explorer::random(30), 2, true) {
        replay::<3>(Explorer::random(30).late_stores(1), &recorded);
    }
}
