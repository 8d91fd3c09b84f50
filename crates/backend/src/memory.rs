//! Memory as the program wrote it: breakpoints of ours are not seen, and survive writes over them.

use crate::{Failure, ProcessId};

/// Some bytes of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryRange {
    /// Whose.
    pub process: ProcessId,
    /// The first.
    pub address: u64,
    /// How many.
    pub length: u64,
}

/// Reads each of these.
pub type ReadMemoryRequest = Vec<MemoryRange>;

/// One answer for each range, in order.
pub type ReadMemoryReply = Vec<MemoryContents>;

/// What was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryContents {
    /// Shorter than asked if the rest is not readable.
    pub data: Vec<u8>,
    /// Then this says where it ends.
    pub end: Option<Failure>,
}

/// Bytes to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryWrite {
    /// Whose memory.
    pub process: ProcessId,
    /// Where the first of them goes.
    pub address: u64,
    /// They.
    pub data: Vec<u8>,
}

/// Writes each of these; one result for each, in order.
pub type WriteMemoryRequest = Vec<MemoryWrite>;
