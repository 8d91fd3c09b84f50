//! Things that happen once: the trace says which thread did them, the others wait. A thread that
//! finds them done already leaves no record, because that is a matter of time alone.
//!
//! The thread that does them may be cancelled or throw on the way: then another one begins anew.
//! Each beginning says how many were given up before it at this address, and in a replay waits for
//! as many. A personality routine on the frame of our stub notes such a way out.

use super::followed;
use super::library::{CLEANUP_PHASE, CONTINUE};
use super::real::{Real, call};
use crate::parallel::insides::{self, given_up};
use crate::parallel::order;
use crate::parallel::settle;
use crate::session::futex;
use crate::session::wait;
use crate::state::order::{RECORD, REPLAY};
use crate::state::thread::Attempt;
use crate::state::{Thread, current};
use wayfarer_runtime_abi::atomic::{AtomicU8, AtomicU32, Ordering};
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
            if let Some(thread) = followed()
                && thread.sync == REPLAY
            {
                settle::before_once(thread, control);
            }
            return 0;
        }
        let Some(thread) = followed() else {
            return call(Real::once, [control, routine, 0, 0, 0, 0]) as i32;
        };
        if thread.sync != RECORD {
            let Some(before) = settle::is_once(thread, control) else {
                wait_for(thread, control, || word.load(Ordering::Acquire) & DONE != 0);
                return 0;
            };
            wait_for_others(thread, control, before);
        }
        let attempt = Attempt {
            control,
            routine,
            outer: thread.library.once,
        };
        thread.library.once = &raw const attempt;
        thread.library.awaits_once = control;
        let ours = wayfarer_run_once as *const () as usize;
        let result = call(Real::once, [control, ours, 0, 0, 0, 0]) as i32;
        thread.library.once = attempt.outer;
        thread.library.awaits_once = 0;
        tell(thread);
        result
    }
}

/// Replay: how often something was done or given up, for waiting threads to sleep on.
static CHANGES: AtomicU32 = AtomicU32::new(0);

fn wait_for(thread: &mut Thread, address: usize, done: impl Fn() -> bool) {
    wait::until(thread, waiting::FUTEX, address as u64, &CHANGES, done);
}

fn tell(thread: &Thread) {
    if thread.sync == REPLAY {
        CHANGES.fetch_add(1, Ordering::AcqRel);
        futex::wake(&CHANGES, u32::MAX >> 1);
    }
}

/// Waits until so many have given it up. The last of them may still be about to say so: that is libc's own wait.
fn wait_for_others(thread: &mut Thread, address: usize, before: u32) {
    if before != 0 {
        wait_for(thread, address, || given_up(address) >= before);
    }
}

unsafe extern "C" {
    /// Stands in for the program's routine, to know that it was this thread that ran it, and whether it came to its end.
    fn wayfarer_run_once();
}

// An unwinder that comes through this frame, for an exception or a cancellation, asks `unwound` what is to be done here.
core::arch::global_asm!(
    ".pushsection .text.wayfarer_run_once,\"ax\",@progbits",
    ".globl wayfarer_run_once",
    ".hidden wayfarer_run_once",
    ".type wayfarer_run_once,@function",
    "wayfarer_run_once:",
    ".cfi_startproc",
    // The address is relative, in four bytes.
    ".cfi_personality 0x1b, {unwound}",
    "sub rsp, 8",
    ".cfi_adjust_cfa_offset 8",
    "call {begin}",
    "call rax",
    "add rsp, 8",
    ".cfi_adjust_cfa_offset -8",
    "ret",
    ".cfi_endproc",
    ".size wayfarer_run_once, . - wayfarer_run_once",
    ".popsection",
    begin = sym begin,
    unwound = sym unwound,
);

/// The routine to run.
///
/// # Safety
/// Called by the stub within `once` of this thread.
unsafe extern "C" fn begin() -> usize {
    // SAFETY: only called within `once` of this thread, whose attempt is still there.
    unsafe {
        let thread = &mut *current();
        let attempt = &*thread.library.once;
        thread.library.awaits_once = 0;
        if thread.sync == RECORD {
            order::note_once(thread, attempt.control);
        }
        attempt.routine
    }
}

/// The routine is left by an exception or a cancellation (a personality routine of the unwinder's).
///
/// # Safety
/// Called by the unwinder for the frame of the stub, in the thread whose stack it is.
unsafe extern "C" fn unwound(_version: i32, actions: i32) -> i32 {
    if actions & CLEANUP_PHASE != 0 {
        // SAFETY: as in `begin`; attempts within this one were left before.
        unsafe {
            let thread = &mut *current();
            let attempt = &*thread.library.once;
            thread.library.once = attempt.outer;
            give_up(thread, attempt.control);
        }
    }
    CONTINUE
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
        if thread.sync != RECORD {
            let made = &*(guard as *const AtomicU8);
            let Some(before) = settle::is_once(thread, guard) else {
                wait_for(thread, guard, || made.load(Ordering::Acquire) != 0);
                return 0;
            };
            wait_for_others(thread, guard, before);
        }
        thread.library.awaits_once = guard;
        let result = call(Real::guard_acquire, [guard, 0, 0, 0, 0, 0]) as i32;
        thread.library.awaits_once = 0;
        if thread.sync == RECORD && result != 0 {
            order::note_once(thread, guard);
        }
        result
    }
}

/// `__cxa_guard_abort`: the object could not be made.
///
/// # Safety
/// As the function itself.
pub unsafe fn guard_abort(guard: usize) {
    let thread = followed();
    if let Some(thread) = &thread {
        give_up(thread, guard);
    }
    // SAFETY: as the caller says.
    unsafe { call(Real::guard_abort, [guard, 0, 0, 0, 0, 0]) };
    if let Some(thread) = thread {
        tell(thread);
    }
}

/// `__cxa_guard_release`: the object is made.
///
/// # Safety
/// As the function itself.
pub unsafe fn guard_release(guard: usize) {
    // SAFETY: as the caller says.
    unsafe { call(Real::guard_release, [guard, 0, 0, 0, 0, 0]) };
    if let Some(thread) = followed() {
        tell(thread);
    }
}

fn give_up(thread: &Thread, address: usize) {
    if insides::give_up(address) {
        tell(thread);
    }
}
