//! Runs a few threads in every order that the processor allows, one step at a time.
//!
//! A *model* is two or three threads that call the functions under test, and a check of what came out. An
//! [`Explorer`] runs it again and again, each time with other decisions: which thread goes on at an access to an
//! atomic word, when a store leaves the store buffer of its processor, which sleeper of a futex is woken. All
//! decisions of a run are a list of numbers, so each run can be repeated, and the lists can be gone through one after
//! the other ([`Explorer::every`]) or drawn ([`Explorer::random`]).
//!
//! Code under test uses [`atomic`] in the place of core's atomics, and makes its futex calls through
//! [`kernel::call`]. Outside of an exploration both do what core and the kernel do.
//!
//! # Why neither loom nor shuttle
//!
//! The words of our protocols lie in shared memory with a fixed layout and in spare bytes of the program's own
//! objects; the atomics of loom and shuttle are larger than words and know the object that they are. And one protocol
//! depends on what neither of them has: store buffers (shuttle), and `membarrier` (both).
//!
//! # What the model leaves out
//!
//! It is x86-64's: stores may be late, nothing else is out of order. What a compiler may do to relaxed accesses is not
//! explored, nor are spurious wake-ups. Accesses that are not atomic are not seen.

pub mod atomic;
mod choices;
mod explore;
pub mod kernel;
mod machine;
mod state;
mod word;

pub use explore::{Explored, Explorer, Model};
