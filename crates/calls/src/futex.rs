//! Operations of `futex`, and what they write.

use crate::call::Out;
use crate::size;

pub const WAIT: usize = 0;
pub const WAKE: usize = 1;
pub const WAKE_OP: usize = 5;
pub const LOCK_PI: usize = 6;
pub const UNLOCK_PI: usize = 7;
pub const TRYLOCK_PI: usize = 8;
pub const WAIT_BITSET: usize = 9;
pub const WAKE_BITSET: usize = 10;
pub const WAIT_REQUEUE_PI: usize = 11;
pub const LOCK_PI2: usize = 13;
/// Only threads of this process wait there.
pub const PRIVATE: usize = 128;
pub const CLOCK_REALTIME: usize = 256;
/// The operation without its flags.
pub const COMMAND: usize = 0x7f;
/// `WAIT_BITSET`, `WAKE_BITSET`: all bits.
pub const MATCH_ANY: usize = 0xffff_ffff;

/// Words that the kernel changes on the program's behalf.
pub const fn output(operation: usize) -> Out {
    match operation & COMMAND {
        WAKE_OP => Out::Fixed(4, size::INT),
        LOCK_PI | UNLOCK_PI | TRYLOCK_PI | LOCK_PI2 => Out::Fixed(0, size::INT),
        _ => Out::None,
    }
}

/// Whether an operation may wait.
pub const fn blocks(operation: usize) -> bool {
    matches!(
        operation & COMMAND,
        WAIT | LOCK_PI | WAIT_BITSET | WAIT_REQUEUE_PI | LOCK_PI2
    )
}
