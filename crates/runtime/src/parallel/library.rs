//! libc's own state as one object: a thread comes in, goes out, and lets others in while it waits.
//!
//! # Why they come in one order
//!
//! libc takes those locks inside, unseen. A thread of a replay that got one of them earlier than in
//! the recording, and then waits for its turn with the heap or a call, keeps out the thread whose
//! turn it is: eight threads that call `localtime`, `getaddrinfo`, `dlopen` or `popen` came to a
//! standstill in nearly every replay. So one thread at a time is in such a function, in a kept
//! order. The order of the locks is: threads, forks, libc's state, the heap.
//!
//! # Where others are let in
//!
//! That must not serialise what waits, and must not lock up. A thread that makes a call that may
//! wait, waits for a lock, or runs a handler lets others in meanwhile. Both runs know these places
//! for calls and handlers. A wait for a lock is a matter of time, so the recording notes that
//! another thread came in (`LET_IN`, after the `ACQUIRE` of coming back), and a replay lets others
//! in there whether it has to wait or not.

use super::guarded::Guarded;
use crate::log::end as log_end;
use crate::log::reader;
use crate::state::Thread;
use crate::state::order::REPLAY;
use wayfarer_runtime_abi::record::{note, sync};

static LIBRARY: Guarded = Guarded::new(sync::LIBRARY);

/// Whether the thread may come in: not with the heap, whose lock comes last. An allocator of the program's own may call
/// anything while it has it.
pub fn may_enter(thread: &Thread) -> bool {
    thread.library.heap_depth == 0 && thread.parallel.keeps == 0
}

/// No other thread of the process is in such a function until [`leave`]. May be nested.
pub fn enter(thread: &mut Thread) {
    if thread.library.depth == 0 {
        LIBRARY.enter(thread);
    }
    thread.library.depth += 1;
}

pub fn leave(thread: &mut Thread) {
    // Whoever was cancelled in a handler, or in a call that waits, is out already.
    if thread.library.depth == 0 {
        return;
    }
    if thread.library.depth == 1 {
        go_out(thread);
    }
    thread.library.depth -= 1;
}

/// The thread ends; it may have been cancelled in such a function.
pub fn leave_for_good(thread: &mut Thread) {
    if thread.library.depth > 0 {
        thread.library.depth = 1;
        leave(thread);
    }
}

#[inline]
fn go_out(thread: &mut Thread) {
    if thread.sync == REPLAY {
        // Where they were let in for a wait, but this time no thread had to wait.
        let_others_in(thread);
    }
    LIBRARY.leave(thread);
}

/// Lets others in, until [`resume`] with what this returns. Not while the thread has the heap.
#[inline]
pub fn suspend(thread: &mut Thread) -> u32 {
    let depth = thread.library.depth;
    if depth == 0 || !may_enter(thread) {
        return 0;
    }
    go_out(thread);
    thread.library.depth = 0;
    depth
}

#[inline]
pub fn resume(thread: &mut Thread, depth: u32) {
    if depth > 0 {
        LIBRARY.enter(thread);
        thread.library.depth = depth;
    }
}

/// A call that may wait begins: the same, kept by the thread until [`call_is_over`].
#[inline]
pub fn call_may_wait(thread: &mut Thread) {
    thread.library.waits = suspend(thread);
}

#[inline]
pub fn call_is_over(thread: &mut Thread) {
    let depth = core::mem::take(&mut thread.library.waits);
    resume(thread, depth);
}

/// Recording: before a wait for a lock; the same.
pub fn suspend_for_lock(thread: &mut Thread) -> u32 {
    let depth = suspend(thread);
    if depth > 0 {
        thread.note(note::WAITS_INSIDE, 0, &[]);
    }
    depth
}

/// Replay, before a wait for a lock: the recorded one may have lasted to the end of the process. The lock must not be
/// this thread's then, and others may come in.
pub fn stay_if_it_ended_so(thread: &mut Thread) {
    if reader::peek(thread).is_none()
        && core::ptr::eq(thread.replay.waited_inside, thread.replay.end)
    {
        suspend(thread);
        log_end::reached(thread);
    }
}

/// Recording: after a wait for a lock in which others were let in. If they came, a replay lets them in, too, whether it
/// has to wait for the lock or not.
pub fn resume_from_lock(thread: &mut Thread, depth: u32) {
    if depth > 0 {
        if LIBRARY.enter_again(thread) {
            thread.note(note::LET_IN, 0, &[]);
        }
        thread.library.depth = depth;
    }
}

/// Replay: lets others in, if they were let in here; whether they were.
#[inline(always)]
pub fn let_others_in(thread: &mut Thread) -> bool {
    thread.library.depth > 0 && let_in_as_recorded(thread)
}

#[cold]
#[inline(never)]
fn let_in_as_recorded(thread: &mut Thread) -> bool {
    let come = LIBRARY.comes_again(thread, note::LET_IN);
    if come {
        LIBRARY.leave(thread);
        LIBRARY.enter(thread);
    }
    come
}

/// The child of a fork: the thread that was in such a function is not there.
pub fn reset(thread: &mut Thread) {
    thread.library.depth = 0;
    thread.library.waits = 0;
    thread.library.loads = false;
    thread.library.loader_lock = 0;
    LIBRARY.reset();
}
