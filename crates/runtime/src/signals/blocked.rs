//! Signals that the program blocked after they had come into our queue.
//!
//! A signal may arrive between our look at the queue and the call that blocks it, or a second time before
//! the handler of the first has begun. The kernel would let neither run; so both go back to the kernel,
//! which keeps them until they are unblocked, shows them to `sigpending` and gives them to `sigwait`.

use crate::kernel::action::UNBLOCKABLE;
use crate::state::Thread;
use crate::state::thread::Waiting;
use wayfarer_calls::Number;
use wayfarer_entrance::raw;
use wayfarer_entrance::signal_frame::bit;

const SIGKILL: i32 = 9;
const SIGSTOP: i32 = 19;

/// The program's mask of this thread, outside of any handler of the kernel's.
pub fn mask_now(thread: &Thread) -> u64 {
    let mut mask = 0u64;
    // SAFETY: the mask lives on this stack; nothing is changed.
    unsafe {
        raw::syscall6(
            Number::RT_SIGPROCMASK,
            0,
            0,
            (&raw mut mask) as usize,
            size_of::<u64>(),
            0,
            0,
        );
    }
    behind_hold(thread, mask)
}

/// The program's mask, where the kernel's may be one that only holds signals back while our queue is full.
pub fn behind_hold(thread: &Thread, kernels: u64) -> u64 {
    const NEVER_BLOCKED: u64 = UNBLOCKABLE | bit(SIGKILL) | bit(SIGSTOP);
    if thread.signals.holds_signals && kernels | NEVER_BLOCKED == u64::MAX {
        thread.signals.held_mask
    } else {
        kernels
    }
}

/// What a call that waits with a mask of its own lets in, taken by the first delivery after it.
pub fn take_let_in(thread: &mut Thread) -> u64 {
    core::mem::replace(&mut thread.signals.let_in, 0)
}

/// Whether the signal has to wait under `mask` and went back to the kernel for it. False as well when the
/// kernel takes no more: a handler too early is better than none.
pub fn went_back(waiting: &Waiting, mask: u64) -> bool {
    if mask & bit(waiting.number as i32) == 0 {
        return false;
    }
    // SAFETY: asks who we are, and sends this thread what the kernel once sent it, from a copy that is a
    // whole siginfo.
    unsafe {
        let process = raw::syscall6(Number::GETPID, 0, 0, 0, 0, 0, 0);
        let thread = raw::syscall6(Number::GETTID, 0, 0, 0, 0, 0, 0);
        raw::syscall6(
            Number::RT_TGSIGQUEUEINFO,
            process as usize,
            thread as usize,
            waiting.number as usize,
            waiting.information.as_ptr() as usize,
            0,
            0,
        ) == 0
    }
}
