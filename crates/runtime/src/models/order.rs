//! Recording in parallel: whoever accesses an object, and however, the runs that the logs tell are those that were made.

use super::world::{Follow, Lock, World, accesses_of, new_state, object, runs_of};
use crate::parallel::order;
use crate::state::Thread;
use crate::state::order::{COUNT, LOCK, Object, Order, lock};
use std::sync::{Arc, Mutex};
use wayfarer_interleave::{Explorer, Model};
use wayfarer_runtime_abi::atomic::{AtomicU32, Ordering};
use wayfarer_runtime_abi::record::sync;

/// An access that excludes others, whose order a list tells.
type Access = fn(&mut Thread, Order<'_>, Object, &Lock, &dyn Fn());

/// Two threads with as many accesses: what the logs tell is the order of the list.
fn exclusive(explorer: Explorer, accesses: [usize; 2], access: Access) {
    let world = World::take();
    explorer.run(|| {
        let threads = world.threads::<2>(Follow::RecordParallel);
        let (state, lock) = (new_state(), Arc::new(Lock::default()));
        let made = Arc::new(Mutex::new(Vec::new()));
        let expected = Arc::clone(&made);
        let mut model = Model::new(move || {
            let word = state.order().word.load(Ordering::SeqCst);
            let told = accesses_of(&runs_of(&threads, 1, word));
            assert_eq!(told, *expected.lock().unwrap());
        });
        for (thread, count) in threads.into_iter().zip(accesses) {
            let (lock, made) = (Arc::clone(&lock), Arc::clone(&made));
            model = model.thread(move || {
                let number = thread.get().number;
                for _ in 0..count {
                    let note = || made.lock().unwrap().push(number);
                    access(
                        thread.get(),
                        state.order(),
                        object(sync::USER, false),
                        &lock,
                        &note,
                    );
                }
            });
        }
        model
    });
}

#[test]
fn accesses_within_a_lock_of_the_program() {
    exclusive(
        Explorer::every(3),
        [2, 1],
        |thread, order, object, lock, note| {
            lock.lock();
            note();
            order::note_exclusive(thread, order, object);
            lock.unlock();
        },
    );
}

#[test]
fn accesses_within_the_lock_of_the_state() {
    exclusive(
        Explorer::every(3),
        [2, 1],
        |thread, order, object, _, note| {
            lock(order);
            note();
            order::unlock_noted(thread, order, object);
        },
    );
}

/// Accesses that do not exclude each other: none is lost, and each is in a run of whoever made it.
fn shared(
    explorer: Explorer,
    counts: [u64; 2],
    before: u64,
    access: fn(&mut Thread, Order<'_>, Object),
) -> u64 {
    let world = World::take();
    let explored = explorer.run(|| {
        let threads = world.threads::<2>(Follow::RecordParallel);
        let state = new_state();
        if before > 0 {
            // The first thread has come so often before.
            order::note_biased(threads[0].get(), state.order(), object(sync::RWLOCK, true));
            let word = state.order().word;
            let begun = word.load(Ordering::SeqCst) & !COUNT;
            word.store(begun | before, Ordering::SeqCst);
        }
        let mut model = Model::new(move || {
            let word = state.order().word.load(Ordering::SeqCst);
            assert_eq!(word & LOCK, 0, "nobody is left with the lock");
            let runs = runs_of(&threads, 1, word);
            for (index, count) in counts.into_iter().enumerate() {
                let own = runs.iter().filter(|run| run.thread == index as u32 + 1);
                let noted: u64 = own.map(|run| run.length).sum();
                let made = count + if index == 0 { before } else { 0 };
                assert_eq!(noted, made, "accesses of thread {}: {runs:?}", index + 1);
            }
        });
        for (thread, count) in threads.into_iter().zip(counts) {
            model = model.thread(move || {
                for _ in 0..count {
                    access(thread.get(), state.order(), object(sync::RWLOCK, true));
                }
            });
        }
        model
    });
    explored.runs
}

#[test]
fn readers_beside_each_other() {
    shared(Explorer::every(3), [2, 2], 0, order::note_shared);
}

/// One access more makes a run biased.
const NEARLY_BIASED: u64 = 8191;

#[test]
fn a_reader_that_counts_without_atomics_is_stopped() {
    shared(
        Explorer::every(3),
        [3, 1],
        NEARLY_BIASED,
        order::note_biased,
    );
    let explorer = Explorer::every(1).late_stores(1);
    shared(explorer, [3, 1], NEARLY_BIASED, order::note_biased);
}

#[test]
fn two_readers_of_whom_one_counts_without_atomics() {
    let explorer = Explorer::random(4000).late_stores(2);
    shared(explorer, [4, 3], NEARLY_BIASED, order::note_biased);
}

/// Posts of a semaphore are counted by run, also by who counts without atomics.
#[test]
fn posts_are_counted() {
    let world = World::take();
    Explorer::random(3000).late_stores(2).run(|| {
        let threads = world.threads::<2>(Follow::RecordParallel);
        let state = new_state();
        let semaphore: &'static [AtomicU32; 16] = Box::leak(Box::default());
        let mut object = object(sync::SEMAPHORE, false);
        object.address = semaphore.as_ptr() as usize;
        // SAFETY: the semaphore stays for good.
        let posts = unsafe { crate::parallel::insides::posts(object.address) };
        let post = move |thread: &mut Thread| {
            order::note_post(thread, state.order(), object, posts);
        };
        post(threads[0].get());
        let word = state.order().word;
        let begun = word.load(Ordering::SeqCst) & !COUNT;
        word.store(begun | NEARLY_BIASED, Ordering::SeqCst);
        posts.store(NEARLY_BIASED as u32, Ordering::SeqCst);
        Model::new(move || {
            let word = state.order().word.load(Ordering::SeqCst);
            let accesses: u64 = runs_of(&threads, 1, word)
                .iter()
                .map(|run| run.length)
                .sum();
            assert_eq!(accesses, NEARLY_BIASED + 5);
            let lines = threads.iter().flat_map(|thread| thread.log());
            let told = lines.filter(|line| line.tag == wayfarer_runtime_abi::record::POSTS);
            let told: i64 = told.map(|line| line.value).sum();
            let last = i64::from(posts.load(Ordering::SeqCst));
            assert_eq!((told + last) as u64, NEARLY_BIASED + 5, "all were posts");
        })
        .thread(move || {
            for _ in 0..3 {
                post(threads[0].get());
            }
        })
        .thread(move || {
            for _ in 0..2 {
                post(threads[1].get());
            }
        })
    });
}
