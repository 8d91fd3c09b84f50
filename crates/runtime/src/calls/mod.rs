//! System calls: what each is like, how it is recorded and how it is answered in a replay.

pub mod bytes;
pub mod check;
pub mod clock;
pub mod connections;
pub mod counter;
pub mod descriptors;
pub mod disarm;
pub mod draft;
pub mod exec;
pub mod exit;
pub mod filter;
pub mod memory;
pub mod outputs;
pub mod process;
pub mod record;
pub mod replay;
pub mod special;
pub mod streams;
pub mod table;
pub mod vfork;
pub mod writethrough;
