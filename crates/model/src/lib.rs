//! The words of Wayfarer as plain types. No I/O, no dependencies.
//!
//! Ids are distinct types, so that a thread number never passes for a process number. The tables
//! give the kernel's numbers (calls, signals, errors, clocks) the names that people read.

pub mod clocks;
pub mod end;
pub mod errnos;
pub mod ids;
pub mod names;
pub mod signals;

pub use end::{ProcessEnd, WaitStatus};
pub use ids::{EventNumber, ObjectId, ProcessId, ThreadId};
