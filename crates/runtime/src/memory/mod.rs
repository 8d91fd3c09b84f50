//! The program's memory: reading and writing what may not be there, and checksums of it.

pub mod hash;
pub mod user;
