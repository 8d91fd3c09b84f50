//! Condition variables: a wait is the order of its mutex.
//!
//! In a replay no thread waits on the condition itself: the thread gives the mutex away and takes it again
//! at its turn, which comes after whatever made it go on while it was recorded.
//!
//! The condition variables of very old programs are pointers to those of today, which libc makes on first
//! use. It is told apart by who calls, and done here in the same way.

use super::cancel::{self, CANCELLED};
use super::mutex::{Mutex, lock_really, unlock_really, wait_ended};
use super::real::{Real, call};
use super::{followed, heap};
use crate::parallel::outcome;
use crate::parallel::runs;
use crate::program::resolve;
use crate::state::Thread;
use crate::state::order::REPLAY;
use wayfarer_runtime_abi::atomic::{AtomicU32, AtomicUsize, Ordering};

const UNKNOWN: u32 = 0;
const NONE: u32 = 1;
const POINTERS: u32 = 2;
/// Whether the program's conditions are pointers.
static OLD: AtomicU32 = AtomicU32::new(UNKNOWN);
/// Size of a condition variable.
const SIZE: usize = 48;

/// The condition variable that the program's pointer leads to.
///
/// # Safety
/// As the function itself.
#[inline(always)]
unsafe fn real(condition: usize, place: usize) -> usize {
    if OLD.load(Ordering::Relaxed) == NONE {
        return condition;
    }
    // SAFETY: as the caller says.
    unsafe { behind(condition, place) }
}

/// # Safety
/// As the function itself.
#[cold]
#[inline(never)]
unsafe fn behind(condition: usize, place: usize) -> usize {
    if OLD.load(Ordering::Relaxed) == UNKNOWN {
        let names = [c"pthread_cond_wait", c"pthread_cond_timedwait"];
        let old = names
            .iter()
            .any(|name| resolve::program_imports_first_version(name));
        OLD.store(if old { POINTERS } else { NONE }, Ordering::Relaxed);
    }
    if OLD.load(Ordering::Relaxed) == NONE || !resolve::is_in_program(place) {
        return condition;
    }
    // SAFETY: a condition of the first version is a pointer, at first 0.
    unsafe {
        let pointer = &*(condition as *const AtomicUsize);
        let found = pointer.load(Ordering::Acquire);
        if found != 0 {
            return found;
        }
        let made = heap::use_heap(Real::calloc, [SIZE, 1, 0, 0, 0, 0]);
        match pointer.compare_exchange(0, made, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => made,
            Err(other) => {
                heap::use_heap(Real::free, [made, 0, 0, 0, 0, 0]);
                other
            }
        }
    }
}

/// pthread_cond_wait
///
/// # Safety
/// As the function itself.
pub unsafe fn wait(condition: usize, mutex: usize, place: usize) -> i32 {
    // SAFETY: as the caller says.
    unsafe {
        let condition = real(condition, place);
        follow(Real::cond_wait, [condition, mutex, 0, 0, 0, 0], place)
    }
}

/// # Safety
/// As pthread_cond_timedwait.
pub unsafe fn timedwait(condition: usize, mutex: usize, time: usize, place: usize) -> i32 {
    // SAFETY: as the caller says.
    unsafe {
        let condition = real(condition, place);
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

/// # Safety
/// As the function itself; the mutex must be the caller's.
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
        let result = cancel::within(which, a, a[1], place) as i32;
        outcome::report(thread, result);
        if wait_ended(result) {
            mutex.note_taken(thread);
        }
        result
    }
}

/// # Safety
/// As the function itself; the mutex must be the caller's.
unsafe fn replay(thread: &mut Thread, which: Real, a: [usize; 6], mutex: &Mutex<'_>) -> i32 {
    // SAFETY: as the callers say.
    unsafe {
        if runs::is_unending(thread, mutex.order) {
            // It is not known how its history went on: the real thing decides.
            return call(which, a) as i32;
        }
        // Nothing is held while the thread waits, not even for a handler's turn.
        unlock_really(a[1]);
        let promised = outcome::foretell(thread).unwrap_or(0);
        if wait_ended(promised) || promised == CANCELLED {
            mutex.acquire(thread);
        } else {
            lock_really(thread, a[1]);
        }
        if promised == CANCELLED {
            cancel::act(thread);
        }
        promised
    }
}
