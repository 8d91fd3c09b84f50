//! Recording in parallel mode: a lock that goes to the first thread that comes, and is handed over
//! to one that has waited for long.
//!
//! In order from the start, each use would cost a switch of threads: the next one would have to be
//! woken first, while others could have had the lock ten times. Without any order, one thread
//! waited a second and more for 32 others that made threads without pause. So one of those that
//! have waited for 20 ms becomes the *heir*, and gets the lock from its owner directly.
//!
//! The heir of the threads' lock also inherits the heap's, since others wait for that one after it.
//! A thread that ends gives away all that it holds before it wakes anything, so that a thread that
//! joins it is not put to sleep again.

use crate::session::clocks;
use crate::session::futex;
use wayfarer_runtime_abi::atomic::{AtomicU32, Ordering, spin_loop};

pub struct Lock {
    /// One of the states below.
    word: AtomicU32,
    /// Not 0: there is an heir.
    heir: AtomicU32,
}

const FREE: u32 = 0;
const HELD: u32 = 1;
/// Held, and a thread may sleep.
const WANTED: u32 = 2;
/// The heir's from now on.
const HANDED_OVER: u32 = 3;

/// How often a thread looks before it sleeps.
const LOOKS: u32 = 100;
/// How long a thread sleeps at most before it looks again.
const SLEEP_US: u32 = 100_000;
/// How long it sleeps at least, if there is an heir already.
const SHORTEST_US: u32 = 100;
/// On which bits the threads sleep that have to be told apart.
const ANYBODY: u32 = 1;
const HEIR: u32 = 2;

impl Lock {
    pub const fn new() -> Lock {
        Lock {
            word: AtomicU32::new(FREE),
            heir: AtomicU32::new(0),
        }
    }

    /// For how many microseconds others may be luckier is asked only if a thread has the lock.
    #[inline(always)]
    pub fn take(&self, patience_us: impl Fn() -> u32) {
        if !self.is_taken_at_once(HELD) {
            self.wait(patience_us());
        }
    }

    #[inline(always)]
    pub fn give(&self) {
        if self.heir.load(Ordering::Relaxed) != 0 {
            self.hand_over();
        } else if self.word.swap(FREE, Ordering::Release) == WANTED {
            futex::wake(&self.word, 1);
        }
    }

    /// What a thread that cannot call [`Lock::give`] has to store instead, and where, before it wakes all that sleep there.
    pub fn last_give(&self) -> (usize, u32) {
        let value = match self.heir.load(Ordering::Relaxed) {
            0 => FREE,
            _ => HANDED_OVER,
        };
        ((&raw const self.word) as usize, value)
    }

    /// The threads that held it or waited for it are not there any more.
    pub fn reset(&self) {
        self.heir.store(0, Ordering::Relaxed);
        self.word.store(FREE, Ordering::Relaxed);
    }

    #[inline(always)]
    fn is_taken_at_once(&self, state: u32) -> bool {
        self.word
            .compare_exchange(FREE, state, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
    }

    #[cold]
    #[inline(never)]
    fn hand_over(&self) {
        self.word.store(HANDED_OVER, Ordering::Release);
        futex::wake_bits(&self.word, HEIR);
    }

    #[cold]
    #[inline(never)]
    fn wait(&self, patience_us: u32) {
        let mut looks = 0;
        while looks < LOOKS {
            if self.word.load(Ordering::Relaxed) == FREE && self.is_taken_at_once(HELD) {
                return;
            }
            spin_loop();
            looks += 1;
        }
        let deadline = clocks::time().wrapping_add(u64::from(patience_us) * 1000);
        let mut is_heir = false;
        loop {
            let word = self.word.load(Ordering::Relaxed);
            match word {
                // Who has slept cannot know whether others still do.
                FREE if self.is_taken_at_once(WANTED) => break,
                HANDED_OVER if is_heir => {
                    // Orders what the last one did before what this one will do.
                    self.word.swap(WANTED, Ordering::Acquire);
                    break;
                }
                FREE => {}
                HELD => {
                    let (now, then) = (Ordering::Relaxed, Ordering::Relaxed);
                    let _ = self.word.compare_exchange(HELD, WANTED, now, then);
                }
                _ if is_heir => futex::wait_bits(&self.word, word, HEIR, SLEEP_US),
                _ if clocks::time() < deadline => {
                    futex::wait_bits(&self.word, word, ANYBODY, patience_us.max(SHORTEST_US));
                }
                _ => {
                    is_heir = self.heir.swap(1, Ordering::AcqRel) == 0;
                    if !is_heir {
                        futex::wait_bits(&self.word, word, ANYBODY, patience_us.max(SHORTEST_US));
                    }
                }
            }
        }
        if is_heir {
            self.heir.store(0, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::UnsafeCell;

    struct Shared {
        lock: Lock,
        count: UnsafeCell<u64>,
    }

    // SAFETY: the count is only looked at with the lock held.
    unsafe impl Sync for Shared {}

    impl Shared {
        fn new() -> Shared {
            Shared {
                lock: Lock::new(),
                count: UnsafeCell::new(0),
            }
        }

        /// Not atomic: two at once would lose some.
        fn add(&self) -> u64 {
            // SAFETY: the lock is held.
            unsafe {
                *self.count.get() += 1;
                *self.count.get()
            }
        }

        /// Every third one leaves as a thread that ends does.
        fn count_up(&self, patience_us: u32, turn: u64) {
            self.lock.take(|| patience_us);
            self.add();
            if turn.is_multiple_of(3) {
                let (_, value) = self.lock.last_give();
                self.lock.word.store(value, Ordering::Release);
                futex::wake(&self.lock.word, u32::MAX >> 1);
            } else {
                self.lock.give();
            }
        }
    }

    #[test]
    fn one_at_a_time_however_impatient_they_are() {
        const TURNS: u64 = 20_000;
        for patience_us in [0, 1, 50, 1000] {
            let shared = Shared::new();
            std::thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| (0..TURNS).for_each(|turn| shared.count_up(patience_us, turn)));
                }
            });
            assert_eq!(shared.count.into_inner(), 8 * TURNS);
            assert_eq!(shared.lock.heir.into_inner(), 0);
        }
    }

    #[test]
    fn the_lock_goes_to_whoever_has_waited_for_long() {
        let shared = Shared::new();
        shared.lock.take(|| u32::MAX);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                shared.lock.take(|| 1000);
                assert_eq!(shared.add(), 1);
                shared.lock.give();
            });
            while shared.lock.heir.load(Ordering::Relaxed) == 0 {
                std::thread::yield_now();
            }
            shared.lock.give();
            // However fast this one is, it comes second.
            shared.lock.take(|| u32::MAX);
            assert_eq!(shared.add(), 2);
            shared.lock.give();
        });
    }
}
