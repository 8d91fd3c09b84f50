//! Watchpoints: memory that the processor watches.

use crate::{BreakpointId, StopScope, Targets, ThreadId};

/// Watches memory in the debug registers of all threads of each target, those to come included. Children of fork do
/// not inherit it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InsertWatchpointRequest {
    /// Which.
    pub id: BreakpointId,
    /// Whose memory: processes.
    pub targets: Targets,
    /// Where.
    pub address: u64,
    /// How many bytes: 1, 2, 4, 8, or more if several debug registers can cover them.
    pub length: u32,
    /// What stops.
    pub kind: WatchKind,
    /// Bytecode of `wayfarer-predicate` that must hold, if any.
    pub predicate: Option<Vec<u8>>,
    /// This many hits are passed over before it stops.
    pub ignore_count: u64,
    /// Only these threads hit it; none named: all do.
    pub threads: Vec<ThreadId>,
    /// What a stop takes along, if not what the session says.
    pub scope: Option<StopScope>,
}

/// What a watchpoint stops at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchKind {
    /// The value changed by a write.
    Write,
    /// It was read (x86 has no such trap: an access that left the value as it was).
    Read,
    /// Either.
    Access,
}

/// Watches no longer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoveWatchpointRequest {
    /// Which.
    pub id: BreakpointId,
    /// Only in these; none: everywhere.
    pub targets: Option<Targets>,
}
