//! The program as it lies in memory: reading it without trusting it, its functions, its instructions.

pub mod counter_sites;
pub mod functions;
pub mod instruction;
pub mod resolve;
pub mod survey;
