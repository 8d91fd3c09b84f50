//! Things that happen once: the trace says who did them, the others wait. Who finds them done already
//! leaves no mark, because that is a matter of time alone.

use super::followed;
use super::real::{Real, call};
use crate::futex;
use crate::order::{self, RECORD};
use crate::state::{Thread, current};
use core::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use wayfarer_runtime_abi::layout::waiting;

const DONE: u32 = 2;

/// pthread_once
///
/// # Safety
/// As the function itself.
pub unsafe fn once(control: usize, routine: usize) -> i32 {
    // SAFETY: as the caller says.
    unsafe {
        let word = &*(control as *const AtomicU32);
        if word.load(Ordering::Acquire) & DONE != 0 {
            return 0;
        }
        let Some(thread) = followed() else {
            return call(Real::once, [control, routine, 0, 0, 0, 0]) as i32;
        };
        if thread.sync == RECORD {
            return record(thread, control, routine);
        }
        if order::is_once(thread, control) {
            return call(Real::once, [control, routine, 0, 0, 0, 0]) as i32;
        }
        wait_for(thread, control, word, || {
            word.load(Ordering::Acquire) & DONE != 0
        });
        0
    }
}

fn wait_for(thread: &mut Thread, address: usize, word: &AtomicU32, done: impl Fn() -> bool) {
    futex::wait_until(thread, waiting::FUTEX, address as u64, word, done);
}

unsafe fn record(thread: &mut Thread, control: usize, routine: usize) -> i32 {
    let outer = (thread.once_routine, thread.once_control);
    (thread.once_routine, thread.once_control) = (routine, control);
    let ours = run_routine as *const () as usize;
    // SAFETY: as the caller says.
    let result = unsafe { call(Real::once, [control, ours, 0, 0, 0, 0]) as i32 };
    (thread.once_routine, thread.once_control) = outer;
    result
}

/// Stands in for the program's routine, to know that it was this thread that ran it.
unsafe extern "C" fn run_routine() {
    // SAFETY: only called within `record` of this thread.
    unsafe {
        let thread = &mut *current();
        order::note_once(thread, thread.once_control);
        let routine: unsafe extern "C" fn() = core::mem::transmute(thread.once_routine);
        routine();
    }
}

/// `__cxa_guard_acquire`: 1 when the caller has to make the object.
///
/// # Safety
/// As the function itself.
pub unsafe fn guard_acquire(guard: usize) -> i32 {
    // SAFETY: as the caller says.
    unsafe {
        let Some(thread) = followed() else {
            return call(Real::guard_acquire, [guard, 0, 0, 0, 0, 0]) as i32;
        };
        let made = &*(guard as *const AtomicU8);
        if thread.sync != RECORD && !order::is_once(thread, guard) {
            let word = &*(guard as *const AtomicU32);
            wait_for(thread, guard, word, || made.load(Ordering::Acquire) != 0);
            return 0;
        }
        let result = call(Real::guard_acquire, [guard, 0, 0, 0, 0, 0]) as i32;
        if thread.sync == RECORD && result != 0 {
            order::note_once(thread, guard);
        }
        result
    }
}
