//! What the end-to-end tests are made of: build a debuggee, record it, replay it, compare, and print
//! the one command that repeats a failure.
//!
//! A test is a function that returns a [`harness::Outcome`]; the files below `tests/` list them for
//! [`harness::run`]. Everything is started with a watchdog, so that a hang is a failure.

pub mod build_once;
pub mod compile;
pub mod debuggee;
pub mod failure;
pub mod fuzz;
pub mod harness;
pub mod process;
pub mod recording;
pub mod replay;
pub mod sync_library;
pub mod table;
pub mod tree;
pub mod wayfarer;
