//! Flags of calls on processes, threads and their limits.

// clone.
pub const CLONE_VM: usize = 0x100;
pub const CLONE_PIDFD: usize = 0x1000;
pub const CLONE_VFORK: usize = 0x4000;
pub const CLONE_THREAD: usize = 0x1_0000;
pub const CLONE_NEWNS: usize = 0x2_0000;
pub const CLONE_PARENT_SETTID: usize = 0x10_0000;
pub const CLONE_CHILD_CLEARTID: usize = 0x20_0000;
pub const CLONE_CHILD_SETTID: usize = 0x100_0000;
/// `clone3` only.
pub const CLONE_CLEAR_SIGHAND: usize = 1 << 32;

// wait4.
pub const WNOHANG: usize = 1;
pub const WALL: usize = 0x4000_0000;

/// The limit on the stack.
pub const RLIMIT_STACK: usize = 3;

pub const CLOCK_MONOTONIC: i32 = 1;
/// `clock_nanosleep`: until then, not for so long.
pub const TIMER_ABSTIME: usize = 1;
