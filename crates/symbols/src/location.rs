//! Where a value lives: the result of a DWARF location description, and the bytes found there.
//!
//! * `memory`: how the crate asks for the debuggee's memory,
//! * `evaluate`: runs one DWARF expression, asking its [`Surroundings`] for what it needs,
//! * `fetch`: turns a [`Place`] into bytes, piece by piece, remembering which bits are missing,
//! * `thread_local`: the address of a thread-local variable through the debuggee's own tables.

mod absence;
mod evaluate;
mod fetch;
mod memory;
mod place;
mod thread_local;

pub use absence::Absence;
pub use evaluate::{Surroundings, evaluate, evaluate_to_value};
pub(crate) use evaluate::{bytes_of, retyped};
pub use fetch::{Fetched, fetch};
pub use memory::{Memory, NoMemory, Unreadable};
pub use place::{Piece, Place};
pub use thread_local::{ThreadLocalError, link_maps, thread_local_address};
