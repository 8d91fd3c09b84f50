//! Control of Linux processes as types: running, stopped, gone; memory and registers.
//!
//! Only a [`Stopped`] thread can be read or changed, and resuming it consumes it: what a thread does after that is
//! learnt from [`wait()`] alone, whose answer is either the thread stopped again or its end. A thread can vanish at
//! any moment (a SIGKILL), so every operation may answer [`Error::Gone`]; that is a value, not a failure.
//!
//! ptrace belongs to one thread of the tracer: the one that launches or attaches must make all later calls.
//!
//! Recording uses it for starting ([`start()`]) and reaping only, without ptrace.
//!
//! This is the only crate of the live debugger with `unsafe`: the kernel's interfaces in all its files, and in
//! `traces` and `loans` the pages that two processes share, and in `cushion_code` the one piece of code that a program may come to run.

mod aftermath;
pub mod attach;
pub mod cushion;
mod cushion_code;
pub mod debug_registers;
pub mod errand;
pub mod error;
pub mod guardian;
pub mod launch;
pub mod loans;
pub mod memory;
pub mod process_files;
pub mod registers;
pub mod signals;
pub mod stop;
pub mod thread;
pub mod traces;
pub mod vector;
pub mod wait;

pub use attach::{Attached, attach};
pub use cushion::Cushion;
pub use debug_registers::{Watch, WatchCondition};
pub use error::Error;
pub use launch::{Actions, Inheritance, Launch, launch, start};
pub use memory::Memory;
pub use registers::Registers;
pub use signals::SignalInfo;
pub use stop::{End, Report, Stop};
pub use thread::{Running, Stopped, Tid};
pub use vector::VectorState;
pub use wait::{Wake, Waker, wait};
