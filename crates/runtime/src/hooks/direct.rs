//! Functions of libc that only make a system call: `read`, `sendmsg`, `epoll_wait` and their like.
//!
//! They are calls like any other, and the patched sites in libc would bring them to us. Busy
//! programs spend their calls here, and the way by name is shorter: vector registers and flags need
//! not be kept, and libc's own switching of cancellation, two atomic operations, falls away. A call
//! that may wait stands in the code that makes it and not in a function of its own: the processor
//! does not predict a return across the kernel, so each one costs a wrong guess. (A table tells a
//! signal handler where these places are.) A call of a program with several threads (send, wait,
//! receive on one TCP connection, best of 400 runs) cost 92 ns more than plain at a patched site
//! and 45 ns by name; with the first-level cache emptied in between, 120 and 60 ns.
//!
//! It is not done where any module asks for `pthread_cancel`, because libc cancels within its own
//! functions. If a library that asks for it is loaded later, the recording changes over and says so
//! to the replay, because a cancelled thread shows whose code it waits in.

use super::real::{Real, address, call};
use crate::program::resolve;
use wayfarer_entrance::call as entrance;
use wayfarer_entrance::tls;

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
