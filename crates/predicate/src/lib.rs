//! Small programs over registers and memory that an agent evaluates at a breakpoint.
//!
//! A condition such as `count > 10 && list->head` is compiled by the debugger, which knows symbols,
//! into a [`Program`] of stack instructions over DWARF register numbers, addresses and constants.
//! The agent, which knows no symbols, evaluates it where the thread stopped, so that a false
//! condition costs no round trip.
//!
//! Three properties hold for every [`Program`], however it was made, because there is no other way
//! to get one than through the verifier: its length and its stack are bounded, every jump goes
//! forward (so it ends after at most as many steps as it has instructions), and no instruction finds
//! the stack too short. Evaluation therefore fails only for reasons of the program under test: see
//! [`Fault`].

#![forbid(unsafe_code)]

mod assemble;
mod encode;
mod evaluate;
mod instruction;
mod program;

pub use assemble::{Assembler, Label};
pub use encode::{DecodeError, FORMAT_VERSION};
pub use evaluate::{Fault, Target, evaluate, holds};
pub use instruction::{Binary, Instruction, Unary, Width};
pub use program::{MAXIMUM_LENGTH, MAXIMUM_STACK, Program, VerifyError};
