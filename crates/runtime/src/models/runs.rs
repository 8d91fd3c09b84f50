//! Replay in parallel: accesses come in the order that was recorded, and nobody sleeps for good.

use super::world::{
    Follow, Lock, Owned, Run, World, accesses_of, acquire, new_state, object, runs_of,
};
use crate::parallel::order;
use crate::parallel::runs;
use crate::state::order::State;
use std::sync::{Arc, Mutex};
use wayfarer_interleave::{Explorer, Model};
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::record::sync;

/// Objects by number (from 1), and the accesses to them: thread and object.
type Accesses = Vec<(u32, usize)>;

/// The runs of each object, from the order of the accesses.
fn runs_in(accesses: &Accesses, objects: usize) -> Vec<Vec<Run>> {
    let mut runs = vec![Vec::<Run>::new(); objects];
    for &(thread, object) in accesses {
        match runs[object].last_mut() {
            Some(last) if last.thread == thread => last.length += 1,
            _ => runs[object].push(Run {
                thread,
                reads: false,
                length: 1,
            }),
        }
    }
    runs
}

/// The log of one thread: an `ACQUIRE` where one of its runs begins.
fn log_of(thread: u32, accesses: &Accesses, runs: &[Vec<Run>]) -> Vec<u8> {
    let (mut log, mut begun, mut left) = (Vec::new(), vec![0; runs.len()], vec![0; runs.len()]);
    for &(who, object) in accesses {
        if left[object] == 0 {
            let run = runs[object][begun[object]];
            (begun[object], left[object]) = (begun[object] + 1, run.length);
            if who == thread {
                let number = object as u64 + 1;
                log.extend(acquire(number, begun[object] as u64, run.length as u8));
            }
        }
        left[object] -= 1;
    }
    log
}

/// Each object's accesses come in the order that was recorded.
fn replay<const N: usize>(explorer: Explorer, kind: u8, objects: usize, recorded: &Accesses) {
    let world = World::take();
    let runs = runs_in(recorded, objects);
    explorer.run(|| {
        let threads = world.threads::<N>(Follow::ReplayParallel);
        let states: Vec<&'static State> = (0..objects).map(|_| new_state()).collect();
        let locks: Vec<Arc<Lock>> = (0..objects).map(|_| Arc::default()).collect();
        let made = Arc::new(Mutex::new(Accesses::new()));
        let (end, recorded_runs) = (Arc::clone(&made), runs.clone());
        let mut model = Model::new(move || {
            assert_eq!(runs_in(&end.lock().unwrap(), objects), recorded_runs);
        });
        for thread in threads {
            let number = thread.get().number;
            thread.reads(log_of(number, recorded, &runs));
            let own: Vec<usize> = recorded
                .iter()
                .filter(|(who, _)| *who == number)
                .map(|(_, object)| *object)
                .collect();
            let (states, locks, made) = (states.clone(), locks.clone(), Arc::clone(&made));
            model = model.thread(move || {
                for object in own {
                    let note = || made.lock().unwrap().push((number, object));
                    access(thread, states[object], &locks[object], kind, &note);
                }
                crate::parallel::runs::announce_unlocked(thread.get());
            });
        }
        model
    });
}

/// One access, as the hooks make it.
fn access(thread: Owned, state: &State, lock: &Lock, kind: u8, note: &dyn Fn()) {
    let mut object = object(kind, false);
    object.address = lock.word();
    runs::before(thread.get(), state.order(), object);
    if kind == sync::MUTEX {
        lock.lock();
        note();
        runs::after_lock(thread.get(), state.order());
        lock.unlock();
        crate::parallel::runs::announce_unlocked(thread.get());
    } else {
        note();
        runs::after(thread.get(), state.order());
    }
}

#[test]
fn two_threads_by_turns() {
    let recorded = vec![(1, 0), (2, 0), (2, 0), (1, 0), (2, 0)];
    replay::<2>(Explorer::every(2), sync::USER, 1, &recorded);
}

#[test]
fn a_mutex() {
    let recorded = vec![(1, 0), (2, 0), (1, 0)];
    replay::<2>(Explorer::every(2), sync::MUTEX, 1, &recorded);
}

#[test]
fn those_who_sleep_on_the_word_itself() {
    let recorded = vec![(3, 0), (1, 0), (2, 0), (1, 0)];
    replay::<3>(Explorer::every(1), sync::EVENTS, 1, &recorded);
}

#[test]
fn three_threads_and_two_objects() {
    let recorded = vec![
        (1, 0),
        (2, 1),
        (3, 0),
        (3, 1),
        (1, 1),
        (2, 0),
        (2, 0),
        (1, 0),
        (3, 1),
    ];
    for kind in [sync::USER, sync::MUTEX] {
        let explorer = Explorer::random(2000).late_stores(2);
        replay::<3>(explorer, kind, 2, &recorded);
    }
}

/// What three threads record comes out the same in replays of it, whatever happens meanwhile.
#[test]
fn what_was_recorded_is_replayed() {
    let recorded: Arc<Mutex<Vec<Accesses>>> = Arc::default();
    let world = World::take();
    Explorer::random(40).run(|| {
        let threads = world.threads::<3>(Follow::RecordParallel);
        let state = new_state();
        let recorded = Arc::clone(&recorded);
        let mut model = Model::new(move || {
            let word = state.order().word.load(Ordering::SeqCst);
            let who = accesses_of(&runs_of(&threads, 1, word));
            assert_eq!(who.len(), 9);
            let accesses = who.into_iter().map(|who| (who, 0)).collect();
            recorded.lock().unwrap().push(accesses);
        });
        for thread in threads {
            model = model.thread(move || {
                for _ in 0..3 {
                    order::note_shared(thread.get(), state.order(), object(sync::USER, false));
                }
            });
        }
        model
    });
    drop(world);
    for accesses in recorded.lock().unwrap().iter() {
        replay::<3>(Explorer::random(40), sync::USER, 1, accesses);
    }
}
