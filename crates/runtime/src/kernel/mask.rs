//! The mask of blocked signals of this thread, for our own purposes.

use crate::kernel::action::UNBLOCKABLE;
use wayfarer_calls::Number;
use wayfarer_entrance::raw;
use wayfarer_entrance::signal_frame::bit;

/// Blocks all signals but those that must get through; gives the mask from before.
pub fn block_signals() -> u64 {
    block(!UNBLOCKABLE)
}

/// Blocks all signals, also our own timers and kicks: for a thread that will run no code but ours.
pub fn block_all_signals() {
    block(!0);
}

fn block(all: u64) -> u64 {
    let mut before = 0u64;
    // SAFETY: masks on this stack.
    unsafe {
        raw::syscall6(
            Number::RT_SIGPROCMASK,
            2,
            (&raw const all) as usize,
            (&raw mut before) as usize,
            8,
            0,
            0,
        );
    }
    before
}

pub fn restore_signals(mask: u64) {
    // SAFETY: as above.
    unsafe {
        raw::syscall6(
            Number::RT_SIGPROCMASK,
            2,
            (&raw const mask) as usize,
            0,
            8,
            0,
            0,
        )
    };
}

/// Does something that may write to a pipe without a reader, without being told so by a signal.
pub fn without_broken_pipes(action: impl FnOnce()) {
    const SIGPIPE: i32 = 13;
    let before = block_signals();
    action();
    let (broken_pipe, at_once) = (bit(SIGPIPE), [0u64; 2]);
    // SAFETY: a mask and a time on this stack; only the kernel sends a replay this signal.
    unsafe {
        raw::syscall6(
            Number::RT_SIGTIMEDWAIT,
            (&raw const broken_pipe) as usize,
            0,
            (&raw const at_once) as usize,
            8,
            0,
            0,
        );
    }
    restore_signals(before);
}
