//! Hooks: functions of libc that we intercept by name, because what they do makes no system call.
//!
//! Each hook has three faces: with nothing to follow it is the real function; while recording it is the
//! real function and a note of the access; in a replay it waits for its turn first. The exported names
//! are in the library around this crate.

pub mod barrier;
pub mod c11;
pub mod cancel;
pub mod condition;
pub mod direct;
pub mod fast;
mod flush;
pub mod fork;
pub mod heap;
pub mod library;
pub mod loader;
pub mod mutex;
pub mod once;
pub mod random;
pub mod real;
pub mod regex;
pub mod rwlock;
pub mod semaphore;
pub mod spin;
pub mod stream;
mod stream_lock;
pub mod thread;
pub mod user;

use crate::serial::crossings;
use crate::state::order::OFF;
use crate::state::{Thread, current};

pub use real::{all_found, resolve_all};

/// The thread, if its accesses are followed.
#[inline(always)]
pub(crate) fn followed<'a>() -> Option<&'a mut Thread> {
    let thread = current();
    if thread.is_null() {
        return None;
    }
    // SAFETY: the pointer of this very thread.
    let thread = unsafe { &mut *thread };
    if thread.sync == OFF {
        crossings::cross(thread);
        return None;
    }
    Some(thread)
}

/// Whether the thread, if it is one of ours, goes on with its turn in serial mode after this crossing.
///
/// # Safety
/// It must be this very thread, or null.
#[inline(always)]
pub(crate) unsafe fn in_serial_turn(thread: *mut Thread) -> bool {
    // SAFETY: as the caller says.
    unsafe {
        !thread.is_null()
            && (*thread).sync == OFF
            && (*thread).serial.holds_token
            && crossings::pass(&mut *thread)
    }
}
