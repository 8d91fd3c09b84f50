//! `fork`, for which libc keeps a list of handlers under a lock of its own, during all of them. The
//! first of several threads to get it shows nowhere, so forks come one after the other, in a kept
//! order.
//!
//! Around the system call itself libc keeps the locks of its heap. A thread that waited for its
//! turn with them in hand would keep all others from `malloc`, so the fork is a use of the heap,
//! too. It begins and ends in handlers of our own, the first ones that are registered: libc calls
//! them last before the fork and first after it, so no code of the program runs in between.
//!
//! A child unlocks locks that it got with its memory. Whether that wakes a thread, which is not
//! there, depends on who waited when, so these wakes are made and not recorded.

use super::real::{Real, call};
use super::{followed, heap};
use crate::parallel::guarded::Guarded;
use crate::parallel::library;
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

/// # Safety
/// Called by libc within `fork`, in the thread that forks.
unsafe extern "C" fn before_fork() {
    // SAFETY: the pointer of this very thread.
    if let Some(thread) = unsafe { current().as_mut() } {
        heap::enter(thread);
    }
}

/// # Safety
/// Called by libc within `fork`, in the thread that forks.
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
