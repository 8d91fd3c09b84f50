//! `fork`, for which libc keeps a list of handlers under a lock of its own, through all of them. Which of several threads
//! gets it first is nothing that anybody sees, so they come one after the other, in a kept order.
//!
//! Around the system call itself libc keeps the locks of its heap. A thread that waited for its turn with them in hand
//! would keep everybody from `malloc`, so the fork is a use of the heap, too: by handlers of our own, the first ones
//! that are registered, which libc calls behind all others before the fork and ahead of them after it. No code of the
//! program runs in between.

use super::guarded::Guarded;
use super::real::{Real, call};
use super::{followed, heap, library};
use crate::state::current;
use wayfarer_runtime_abi::record::sync;

static FORKS: Guarded = Guarded::new(sync::FORKS);

/// The program starts in a session, in both modes.
pub fn start() {
    let (before, after) = (before_fork as *const (), after_fork as *const ());
    // SAFETY: libc keeps the handlers, which obey the house rules, in memory of its own.
    unsafe {
        call(
            Real::register_atfork,
            [before as usize, after as usize, 0, 0, 0, 0],
        )
    };
}

unsafe extern "C" fn before_fork() {
    // SAFETY: the pointer of this very thread.
    if let Some(thread) = unsafe { current().as_mut() } {
        heap::enter(thread);
    }
}

unsafe extern "C" fn after_fork() {
    // SAFETY: as above.
    if let Some(thread) = unsafe { current().as_mut() } {
        heap::leave(thread);
    }
}

/// # Safety
/// As the function itself.
pub unsafe fn fork() -> i32 {
    // SAFETY: as the caller says.
    unsafe {
        let Some(thread) = followed() else {
            return call(Real::fork, [0; 6]) as i32;
        };
        let depth = library::suspend(thread);
        FORKS.enter(thread);
        let result = call(Real::fork, [0; 6]) as i32;
        // Nothing to leave in the child, which is followed no more.
        FORKS.leave(thread);
        library::resume(thread, depth);
        result
    }
}

pub fn reset() {
    FORKS.reset();
}
