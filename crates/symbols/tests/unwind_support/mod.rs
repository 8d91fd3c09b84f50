//! What the unwinding tests share: programs built on the spot, gdb's view of them at a stop, and a
//! core file of the same stop read as an address space.

pub mod core_file;
pub mod gdb;
pub mod program;
