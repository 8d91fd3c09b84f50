//! Signals that we have a use for ourselves, and what the kernel does when one arrives.

use wayfarer_calls::Number;
use wayfarer_entrance::signal_frame::{SA_RESTORER, SIGSTKFLT, SigAction, bit};
use wayfarer_entrance::{dispatch, raw};

pub const SIGBUS: u32 = 7;
pub const SIGSEGV: u32 = 11;
pub const SIGSYS: u32 = 31;

/// Stops a thread in the middle of the program's code (`signals/force.rs`).
pub const OWN: u32 = SIGSTKFLT as u32;

/// Signals that must always get through: dispatched calls, our own, and faults of our own guarded reads.
pub const UNBLOCKABLE: u64 =
    bit(SIGSYS as i32) | bit(SIGSTKFLT) | bit(SIGBUS as i32) | bit(SIGSEGV as i32);

/// Signals that the program never gets by waiting for them.
pub const NEVER_TAKEN: u64 = bit(SIGSYS as i32) | bit(SIGSTKFLT);

/// Signals that an instruction raises: SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV.
pub const fn is_fault(signal: u32) -> bool {
    matches!(signal, 4 | 5 | 7 | 8 | 11)
}

/// Faults whose handler is ours in any case, because our own accesses may raise them.
pub const fn is_guarded(signal: u32) -> bool {
    matches!(signal, SIGBUS | SIGSEGV)
}

/// # Safety
/// A handler in the action must obey the house rules.
pub unsafe fn set_kernel_action(signal: u32, action: &SigAction) -> isize {
    // SAFETY: the action lives on the caller's stack.
    unsafe {
        raw::syscall6(
            Number::RT_SIGACTION,
            signal as usize,
            core::ptr::from_ref(action) as usize,
            0,
            8,
            0,
            0,
        )
    }
}

/// Sets the default action of a signal.
pub fn die_of(signal: u32) {
    let default = SigAction {
        handler: 0,
        flags: SA_RESTORER,
        restorer: dispatch::restorer(),
        mask: 0,
    };
    // SAFETY: default action.
    unsafe { set_kernel_action(signal, &default) };
}
