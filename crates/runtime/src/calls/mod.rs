//! System calls: what each is like, how it is recorded and how it is answered in a replay.

pub mod bytes;
pub mod check;
pub mod clock;
pub mod connections;
pub mod counter;
pub mod descriptors;
pub mod draft;
pub mod exec;
pub mod exit;
pub mod filter;
pub mod memory;
pub mod output;
pub mod outputs;
pub mod pairs;
pub mod process;
pub mod reads;
pub mod record;
pub mod replay;
pub mod shared_files;
pub mod spare;
pub mod special;
pub mod splice;
pub mod streams;
pub mod vfork;
pub mod writes;
pub mod writethrough;
