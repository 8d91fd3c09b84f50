//! Signals that have arrived and wait for an event boundary, in a ring of the thread's.

use crate::kernel::action::UNBLOCKABLE;
use crate::serial::timers;
use crate::state::Thread;
use crate::state::thread::{QUEUE, Waiting};
use wayfarer_calls::Number;
use wayfarer_entrance::raw;
use wayfarer_entrance::signal_frame::{SA_RESTART, SIG_SETMASK, UContext};
use wayfarer_runtime_abi::atomic::{Ordering, compiler_fence};
use wayfarer_runtime_abi::layout::MODE_RECORD;

/// # Safety
/// `information` must point to a siginfo; the thread must be this one.
pub unsafe fn stash(thread: &mut Thread, signal: u32, information: *const u64) {
    let tail = thread.arrivals.tail.load(Ordering::Relaxed);
    if tail.wrapping_sub(thread.arrivals.head.load(Ordering::Relaxed)) < QUEUE as u32 {
        // SAFETY: the index is reduced; a siginfo has 128 bytes.
        unsafe {
            let place = thread
                .signals
                .queue
                .get_unchecked_mut(tail as usize & (QUEUE - 1));
            place.number = signal;
            core::ptr::copy_nonoverlapping(information, place.information.as_mut_ptr(), 16);
        }
        thread
            .arrivals
            .tail
            .store(tail.wrapping_add(1), Ordering::Release);
    }
    if !thread.signals.holds_handlers {
        thread.arrivals.pending.store(1, Ordering::Release);
    }
}

/// Recording: no handler runs in this thread until [`let_handlers_run`].
pub fn hold_handlers(thread: &mut Thread) {
    if thread.mode == MODE_RECORD {
        thread.signals.holds_handlers = true;
        compiler_fence(Ordering::SeqCst);
        thread.arrivals.pending.store(0, Ordering::Release);
    }
}

pub fn let_handlers_run(thread: &mut Thread) {
    if thread.mode != MODE_RECORD {
        return;
    }
    thread.signals.holds_handlers = false;
    compiler_fence(Ordering::SeqCst);
    let head = thread.arrivals.head.load(Ordering::Relaxed);
    if head != thread.arrivals.tail.load(Ordering::Acquire) {
        thread.arrivals.pending.store(1, Ordering::Release);
        timers::arm_force(thread);
    }
}

/// With the queue full, further signals wait in the kernel, which loses none: they stay blocked until
/// the first of ours is taken out.
pub fn hold_when_full(thread: &mut Thread, context: &mut UContext) {
    let tail = thread.arrivals.tail.load(Ordering::Relaxed);
    if tail.wrapping_sub(thread.arrivals.head.load(Ordering::Relaxed)) == QUEUE as u32 {
        thread.signals.held_mask = context.mask;
        thread.signals.holds_signals = true;
        context.mask |= !UNBLOCKABLE;
    }
}

/// The mask to go back to, when signals were held back in the kernel.
pub fn held_mask(thread: &mut Thread) -> Option<u64> {
    let held = core::mem::replace(&mut thread.signals.holds_signals, false);
    held.then_some(thread.signals.held_mask)
}

/// Takes the next signal out of the queue in the middle of a handler that interrupted `context`.
pub fn pop_inside(thread: &mut Thread, context: &mut UContext) -> Option<Waiting> {
    let waiting = pop(thread)?;
    if let Some(mask) = held_mask(thread) {
        context.mask = mask;
    }
    Some(waiting)
}

/// Takes the next signal out of the queue, outside of any handler of the kernel's.
pub fn pop_outside(thread: &mut Thread) -> Option<Waiting> {
    let waiting = pop(thread)?;
    if let Some(mask) = held_mask(thread) {
        // SAFETY: the mask lives on this stack; there is room in the queue for what comes now.
        unsafe {
            raw::syscall6(
                Number::RT_SIGPROCMASK,
                SIG_SETMASK,
                (&raw const mask) as usize,
                0,
                8,
                0,
                0,
            );
        }
    }
    Some(waiting)
}

fn pop(thread: &mut Thread) -> Option<Waiting> {
    let head = thread.arrivals.head.load(Ordering::Relaxed);
    if head == thread.arrivals.tail.load(Ordering::Acquire) {
        return None;
    }
    // SAFETY: the index is reduced.
    let waiting = unsafe {
        *thread
            .signals
            .queue
            .get_unchecked(head as usize & (QUEUE - 1))
    };
    thread
        .arrivals
        .head
        .store(head.wrapping_add(1), Ordering::Release);
    Some(waiting)
}

/// Whether every waiting signal's handler wants interrupted calls to go on.
pub fn all_restart(thread: &mut Thread) -> bool {
    let mut head = thread.arrivals.head.load(Ordering::Relaxed);
    let tail = thread.arrivals.tail.load(Ordering::Acquire);
    while head != tail {
        // SAFETY: indices are reduced or checked.
        unsafe {
            let number = thread
                .signals
                .queue
                .get_unchecked(head as usize & (QUEUE - 1))
                .number;
            let action = thread.process().signals.action(number & 63);
            if action.flags.get() & SA_RESTART == 0 && action.handler.get() > 1 {
                return false;
            }
        }
        head = head.wrapping_add(1);
    }
    true
}

/// Whether the program has a handler for a signal.
pub fn wanted(thread: &Thread, signal: u32) -> bool {
    thread.process().signals.action(signal).handler.get() > 1
}
