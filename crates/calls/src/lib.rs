//! The system calls of Linux: their names, their numbers, and what each one is like.
//!
//! [`list`] has one row for each call. Whoever makes a call, answers one or finds one in a trace
//! names it by a constant of [`Number`]; a bare number stands nowhere else. What calls are asked to
//! do by a number (an `ioctl` request, an option of a socket) has a name in the module of its
//! family.
//!
//! A row says what is true of a call on any machine. Who records and who replays a call is the
//! runtime's matter.
#![no_std]

pub mod call;
pub mod control;
pub mod error;
pub mod file;
pub mod futex;
pub mod ioctl;
pub mod list;
pub mod memory;
pub mod number;
pub mod process;
pub mod semaphore;
pub mod signal;
pub mod size;
pub mod socket;

pub use call::{Call, Kind, Out, Piece};
pub use number::Number;
