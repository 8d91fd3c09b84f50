//! Taking running processes, and letting them go.

use crate::{Answer, Process, Targets};

/// Takes running processes with all their threads; they are left stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachRequest {
    /// Their numbers in the kernel.
    pub pids: Vec<i32>,
}

/// What became of each.
#[derive(Clone, Debug, PartialEq)]
pub struct AttachReply {
    /// In the order of the request.
    pub results: Vec<AttachResult>,
    /// From the first to the last thread that stopped.
    pub first_to_last_ns: u64,
}

/// What became of one.
#[derive(Clone, Debug, PartialEq)]
pub struct AttachResult {
    /// Its number in the kernel.
    pub pid: i32,
    /// It, or why not.
    pub outcome: Answer<Process>,
}

/// Lets processes go as if we had never been there. Threads are not detached alone.
pub type DetachRequest = Targets;

/// Ends processes.
pub type KillRequest = Targets;
