//! The domain of a process: the processes that share a token, and the token itself, which lies in the session file.

use crate::session::futex;
use crate::state::{Process, Thread};
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::layout::Token;

/// The token of the domain of a process.
pub fn of(process: &Process) -> &'static Token {
    // SAFETY: points into the session mapping since the process was set up.
    unsafe { &*process.token.get() }
}

/// Replay: the thread's turn is over; the next one may run.
pub fn pass(thread: &mut Thread) {
    if !thread.serial.holds_token {
        return;
    }
    thread.serial.holds_token = false;
    let (token, next) = (of(thread.process()), thread.serial.turn.wrapping_add(1));
    token.turn.store(next, Ordering::Release);
    futex::wake_for_turn(&token.turn, next);
}

/// Both modes: the domain of a process that starts afresh after fork.
pub fn own_domain(process: &Process) {
    if !process.threads.shared_domain.get() {
        process.threads.serial.set(false);
        process.threads.decided.set(false);
        process
            .threads
            .has_foreign_locks
            .set(process.threads.has_foreign_locks.get() | process.threads.parallel.get());
        process.threads.parallel.set(false);
        process.threads.told_late.set(0);
        process.solid.ring_length.set(0);
        process.token.set(&raw const process.slot().token);
    }
}
