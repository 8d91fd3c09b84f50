//! The heap: addresses that `malloc` gives must be the same in a replay, whatever the threads do
//! with them. So all calls of a process that has several threads come in one order: the heap is one
//! object.

use super::real::{Real, call};
use crate::parallel::guarded::Guarded;
use crate::serial::crossings;
use crate::state::order::OFF;
use crate::state::{Thread, current};
use wayfarer_runtime_abi::record::sync;

static HEAP: Guarded = Guarded::new(sync::HEAP);

/// Nothing else of the process uses the heap until [`leave`]. May be nested.
#[inline(always)]
pub fn enter(thread: &mut Thread) {
    if thread.sync != OFF {
        if thread.library.heap_depth == 0 {
            HEAP.enter(thread);
        }
        thread.library.heap_depth += 1;
    }
}

#[inline(always)]
pub fn leave(thread: &mut Thread) {
    // A process that became parallel in between never entered.
    if thread.library.heap_depth > 0 {
        thread.library.heap_depth -= 1;
        if thread.library.heap_depth == 0 {
            HEAP.leave(thread);
        }
    }
}

/// The thread ends; it may have kept the heap to itself for what libc gives back then.
pub fn leave_for_good(thread: &mut Thread) {
    if thread.library.heap_depth > 0 {
        thread.library.heap_depth = 0;
        HEAP.leave(thread);
    }
}

pub fn reset(thread: &mut Thread) {
    thread.library.heap_depth = 0;
    HEAP.reset();
}

/// Serial mode: the thread's turn ends before it uses the heap.
///
/// # Safety
/// As the function that is called.
#[cold]
#[inline(never)]
unsafe fn use_in_next_turn(thread: &mut Thread, which: Real, a: [usize; 6]) -> usize {
    crossings::end_turn(thread);
    // SAFETY: as the caller says.
    unsafe { call(which, a) }
}

/// Any function of the allocator.
///
/// # Safety
/// As the function itself.
#[inline(always)]
pub unsafe fn use_heap(which: Real, a: [usize; 6]) -> usize {
    let thread = current();
    // SAFETY: as the caller says; the thread is this one.
    unsafe {
        if thread.is_null() {
            return call(which, a);
        }
        if (*thread).sync == OFF {
            if crossings::pass(&mut *thread) {
                return call(which, a);
            }
            return use_in_next_turn(&mut *thread, which, a);
        }
        enter(&mut *thread);
        let result = call(which, a);
        leave(&mut *thread);
        result
    }
}
