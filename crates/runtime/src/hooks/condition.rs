//! Condition variables: a wait is the order of its mutex.
//!
//! In a replay nobody waits on the condition itself: the thread gives the mutex away and takes it again
//! at its turn, which comes after whatever made it go on while it was recorded.

use super::followed;
use super::mutex::{Mutex, unlock_really, wait_ended};
use super::real::{Real, call};
use crate::order::{self, REPLAY};
use crate::outcome;
use crate::state::Thread;

/// pthread_cond_wait
///
/// # Safety
/// As the function itself.
pub unsafe fn wait(condition: usize, mutex: usize, place: usize) -> i32 {
    // SAFETY: as the caller says.
    unsafe { follow(Real::cond_wait, [condition, mutex, 0, 0, 0, 0], place) }
}

/// # Safety
/// As pthread_cond_timedwait.
pub unsafe fn timedwait(condition: usize, mutex: usize, time: usize, place: usize) -> i32 {
    // SAFETY: as the caller says.
    unsafe {
        follow(
            Real::cond_timedwait,
            [condition, mutex, time, 0, 0, 0],
            place,
        )
    }
}

/// # Safety
/// As pthread_cond_clockwait.
pub unsafe fn clockwait(
    condition: usize,
    mutex: usize,
    clock: usize,
    time: usize,
    place: usize,
) -> i32 {
    // SAFETY: as the caller says.
    unsafe {
        follow(
            Real::cond_clockwait,
            [condition, mutex, clock, time, 0, 0],
            place,
        )
    }
}

unsafe fn follow(which: Real, a: [usize; 6], place: usize) -> i32 {
    // SAFETY: as the callers say.
    unsafe {
        let Some(thread) = followed() else {
            return call(which, a) as i32;
        };
        let mutex = Mutex::at(a[1], place);
        if thread.sync == REPLAY {
            return replay(thread, which, a, &mutex);
        }
        let result = call(which, a) as i32;
        outcome::report(thread, result);
        if wait_ended(result) {
            mutex.note(thread);
        }
        result
    }
}

unsafe fn replay(thread: &mut Thread, which: Real, a: [usize; 6], mutex: &Mutex<'_>) -> i32 {
    // SAFETY: as the callers say.
    unsafe {
        if order::is_unending(thread, mutex.order) {
            // Nobody knows how its history went on: the real thing decides.
            return call(which, a) as i32;
        }
        let promised = outcome::foretell(thread).unwrap_or(0);
        if wait_ended(promised) {
            unlock_really(a[1]);
            mutex.acquire(thread);
        }
        promised
    }
}
