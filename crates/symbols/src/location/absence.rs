//! The reasons why a value cannot be shown.

use super::Unreadable;
use super::thread_local::ThreadLocalError;
use crate::registers::Register;

/// Why a value, or a part of it, is not there. The message is what a user reads in its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Absence {
    /// The compiler says that the value exists nowhere at this point of the program.
    #[error("optimized out")]
    OptimisedOut,
    /// The value was in a register that the called function has overwritten.
    #[error("not saved")]
    NotSaved(Register),
    /// The value at the function's entry is needed, and the caller does not describe it.
    #[error("optimized out")]
    EntryValueUnknown,
    /// The memory that holds the value cannot be read.
    #[error("{0}")]
    Unreadable(#[from] Unreadable),
    /// A local variable was asked for without a frame.
    #[error("no frame selected")]
    NoFrame,
    /// The thread-local block cannot be found.
    #[error("{0}")]
    ThreadLocal(#[from] ThreadLocalError),
    /// The description itself is damaged.
    #[error("damaged debug information: {0}")]
    Damaged(#[from] gimli::Error),
    /// The description uses something that this debugger does not know.
    #[error("unsupported location: {0}")]
    Unsupported(&'static str),
    /// Location descriptions refer to each other without end.
    #[error("damaged debug information: a location description refers to itself")]
    Circular,
}
