//! `fork` and `popen`, for which libc keeps lists under locks of its own: handlers to be called, children to be closed.
//! Which of several threads gets such a lock first is nothing that anybody sees, so they come one after the other, in a
//! kept order.
//!
//! Around the system call itself libc keeps the locks of its heap. A thread that waited for its turn with them in hand
//! would keep everybody from `malloc`, so the fork is a use of the heap, too: by handlers of our own, the first ones
//! that are registered, which libc calls behind all others before the fork and ahead of them after it. No code of the
//! program runs in between.

use super::guarded::Guarded;
use super::real::{Real, call};
use super::{followed, heap};
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
pub unsafe fn in_order(which: Real, a: [usize; 6]) -> usize {
    // SAFETY: as the caller says.
    unsafe {
        let Some(thread) = followed() else {
            return call(which, a);
        };
        FORKS.enter(thread);
        let result = call(which, a);
        // Nothing to leave in the child, which is followed no more.
        FORKS.leave(thread);
        result
    }
}

pub fn reset() {
    FORKS.reset();
}
