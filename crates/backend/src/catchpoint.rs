//! Catchpoints: events of the kernel that stop a thread.

use crate::BreakpointId;

/// Stops at an event of the kernel, in everybody, those to come included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InsertCatchpointRequest {
    /// Which.
    pub id: BreakpointId,
    /// At what.
    pub event: Catch,
}

/// What is caught.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Catch {
    /// fork, and clone that makes a process
    Fork,
    /// vfork and posix_spawn
    Vfork,
    /// exec
    Exec,
    /// Entry and return of these system calls; none named: of all.
    Syscalls(Vec<u32>),
}

/// Catches no longer.
pub type RemoveCatchpointRequest = BreakpointId;
