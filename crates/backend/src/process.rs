//! Processes and threads as their back end describes them.

use crate::{ProcessId, StopReason, ThreadId};

/// A process.
#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    /// The back end's number.
    pub id: ProcessId,
    /// The kernel's.
    pub pid: i32,
    /// Who made it, if that is in the session.
    pub parent: Option<ProcessId>,
    /// What it is called, if the back end knows better than whoever asks: in a replay, its name in the trace.
    pub name: Option<String>,
    /// Path of the executable as the kernel gives it; empty if it is not known.
    pub executable: String,
    /// Its argument vector.
    pub arguments: Vec<String>,
    /// Started by us (killed with the session) instead of attached to (released with it). Children inherit it.
    pub launched: bool,
    /// Its threads, oldest first.
    pub threads: Vec<Thread>,
    /// Its memory belongs to its parent until it execs (vfork, posix_spawn).
    pub shares_memory: bool,
}

/// A thread.
#[derive(Clone, Debug, PartialEq)]
pub struct Thread {
    /// The back end's number.
    pub id: ThreadId,
    /// Whose it is.
    pub process: ProcessId,
    /// The kernel's number.
    pub tid: i32,
    /// 1, 2, … in the order of creation within its process.
    pub number: u32,
    /// The kernel's name (comm).
    pub name: String,
    /// Whether it runs.
    pub state: ThreadState,
    /// Why it stopped, unless it was only stopped along with others.
    pub reason: Option<StopReason>,
}

/// Whether a thread runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadState {
    /// It does.
    Running,
    /// It does not.
    Stopped,
    /// Stopped, and not resumed by `resume`: held, waiting at a barrier, or waiting for `release`.
    Held,
}
