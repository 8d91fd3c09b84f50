//! The program's code: its libraries, functions and instructions, and what follows from them for how it is recorded.

pub mod counter_sites;
pub mod disarm;
pub mod functions;
pub mod instruction;
pub mod late;
pub mod path;
pub mod resolve;
pub mod survey;
