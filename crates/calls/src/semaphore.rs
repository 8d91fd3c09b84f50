//! Commands of the System V calls, and what they write.

use crate::call::Out;
use crate::size;

pub const IPC_STAT: usize = 2;
pub const IPC_INFO: usize = 3;
pub const GETALL: usize = 13;
pub const SEM_STAT: usize = 18;
pub const SEM_INFO: usize = 19;
pub const SEM_STAT_ANY: usize = 20;

/// What a command of `semctl` writes; `values`: the bytes of all values of the set.
pub const fn output(command: usize, values: u16) -> Out {
    match command {
        IPC_STAT | SEM_STAT | SEM_STAT_ANY => Out::Fixed(3, size::SEMAPHORES),
        IPC_INFO | SEM_INFO => Out::Fixed(3, size::SEMAPHORE_LIMITS),
        GETALL => Out::Fixed(3, values),
        _ => Out::None,
    }
}
