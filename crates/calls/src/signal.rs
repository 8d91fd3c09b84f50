//! Flags of calls on signals.

/// How `rt_sigprocmask` changes the mask.
pub const SIG_BLOCK: usize = 0;
pub const SIG_UNBLOCK: usize = 1;
pub const SIG_SETMASK: usize = 2;

/// `sigaltstack`: there is none.
pub const SS_DISABLE: usize = 2;
