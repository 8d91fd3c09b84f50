//! A back end without processes: what a debugger makes of stops is tested on it, without a kernel
//! and without waiting.
//!
//! A [`Fake`] holds an invented [`World`] of processes, threads, registers and memory, and answers
//! all requests by the rules that an agent keeps: what a stop takes along, what is held, who hits a
//! breakpoint. Nothing runs. What happens is said by the test:
//!
//! - [`Fake::act`] makes something happen now, as if by itself.
//! - [`Fake::then`] says what happens the next time that a request of some kind has been carried
//!   out; several are a queue. A script of a step is a line for each `resume`.
//! - [`Fake::refuse`] makes the next request of a kind fail, [`Fake::lose_at`] makes the back end
//!   go in the midst of it.
//! - [`Fake::requests`] are all that were made.
//!
//! A thread of the world reaches an address ([`World::reach`]) and hits the breakpoints there, gets
//! a signal, forks, ends: all are one line, and each tells the events that an agent would tell.

#![forbid(unsafe_code)]

mod answers;
mod breakpoints;
mod fake;
mod lives;
mod memory;
mod request;
mod resuming;
mod stops;
mod world;

pub use fake::Fake;
pub use request::{Call, Request};
pub use world::World;
