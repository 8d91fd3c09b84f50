//! Functions of libc that only make a system call: `read`, `sendmsg`, `epoll_wait` and their like.
//!
//! They are calls like any other, and the patched sites in libc would bring them to us. Standing in front of them is a
//! shorter way there for what busy programs do most. It is not taken where threads may be cancelled: libc does that
//! within its own functions.

use super::real::{Real, address, call};
use crate::program::resolve;
use wayfarer_entrance::call as entrance;
use wayfarer_entrance::tls;
use wayfarer_runtime_abi::atomic::Ordering;

pub use wayfarer_entrance::call::{ARE_DIRECT, wayfarer_call};

/// The program starts in a session; runs alike in a recording and its replay, which must leave the same on the
/// program's stack.
pub fn start() {
    if address(Real::errno_location) == 0 || resolve::anybody_imports(c"pthread_cancel") {
        return;
    }
    // SAFETY: the function has no arguments and gives the address of a thread's own word.
    let errno = unsafe { call(Real::errno_location, [0; 6]) };
    entrance::switch_on(errno.wrapping_sub(tls::fs_base()));
}

pub fn is_on() -> bool {
    ARE_DIRECT.load(Ordering::Relaxed)
}

/// Threads may be cancelled from now on.
pub fn stop() {
    entrance::switch_off();
}
