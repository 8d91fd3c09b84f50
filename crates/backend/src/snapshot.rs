//! Registers and top of stack of many stopped threads in one answer.

use crate::{Answer, GeneralRegisters, ProcessId, Target, Targets, ThreadId, VectorRegisters};

/// Asks for what a backtrace needs first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotRequest {
    /// Of whom.
    pub targets: Targets,
    /// Bytes of stack upwards from the page of the red zone (128 bytes below the stack pointer).
    pub stack_bytes: u32,
    /// With the vector registers.
    pub vector: bool,
}

/// One answer for each thread, and one for each target that is not there.
pub type SnapshotReply = Vec<TargetSnapshot>;

/// The answer about one target.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetSnapshot {
    /// Whom it is about: a thread, or a process that is not there.
    pub target: Target,
    /// What was asked for, or why not.
    pub outcome: Answer<ThreadSnapshot>,
}

/// What was asked of one thread.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadSnapshot {
    /// Whose thread.
    pub process: ProcessId,
    /// Which.
    pub thread: ThreadId,
    /// Its general registers.
    pub general: GeneralRegisters,
    /// Its vector registers, if they were asked for and could be read.
    pub vector: Option<Box<VectorRegisters>>,
    /// Where `stack` begins.
    pub stack_address: u64,
    /// Shorter than asked at the end of the stack's mapping.
    pub stack: Vec<u8>,
    /// In a replay: how many events of the recording it has made.
    pub events: Option<u64>,
}
