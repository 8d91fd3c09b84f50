//! Breakpoints: where they stand, what they need to stop, how often they were hit.

use crate::{Answer, BreakpointId, ProcessId, StopScope, ThreadId};

/// Puts a breakpoint into processes. The same one may be inserted at many places, in several calls; options are those
/// of the last call. Children of fork inherit the places of their parent; an exec drops those of its process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InsertBreakpointRequest {
    /// Which.
    pub id: BreakpointId,
    /// Where.
    pub places: Vec<BreakpointPlace>,
    /// This many hits (whose predicate was true) are passed over before it stops.
    pub ignore_count: u64,
    /// Only these threads hit it; none named: all do.
    pub threads: Vec<ThreadId>,
    /// Holds whom it stops until all members have arrived; then one stop is told for all.
    pub barrier: Option<Barrier>,
    /// What a stop takes along, if not what the session says.
    pub scope: Option<StopScope>,
    /// Only when the stack pointer is above this.
    pub stack_above: Option<u64>,
    /// In a debug register of every thread of its processes; the code is not touched.
    pub hardware: bool,
}

impl InsertBreakpointRequest {
    /// A breakpoint without further conditions.
    pub fn new(id: BreakpointId, places: Vec<BreakpointPlace>) -> InsertBreakpointRequest {
        InsertBreakpointRequest {
            id,
            places,
            ignore_count: 0,
            threads: Vec::new(),
            barrier: None,
            scope: None,
            stack_above: None,
            hardware: false,
        }
    }
}

/// An address in a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// Whose code.
    pub process: ProcessId,
    /// Where in it.
    pub address: u64,
}

/// A place of a breakpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BreakpointPlace {
    /// Where.
    pub at: Location,
    /// Bytecode of `wayfarer-predicate` that must hold, if any.
    pub predicate: Option<Vec<u8>>,
}

/// A process has arrived when one of its threads has. Members that exit no longer count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Barrier {
    /// Processes of which any thread counts.
    pub processes: Vec<ProcessId>,
    /// Single threads.
    pub threads: Vec<ThreadId>,
}

/// What became of each place.
pub type InsertBreakpointReply = Vec<PlaceResult>;

/// What became of one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceResult {
    /// Which.
    pub at: Location,
    /// It holds, or why it does not.
    pub outcome: Answer<()>,
}

/// Takes a breakpoint out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoveBreakpointRequest {
    /// Which.
    pub id: BreakpointId,
    /// Only from here; none: from everywhere, and it is forgotten.
    pub places: Option<Vec<Location>>,
}

/// Asks how often these were hit; none named: all.
pub type GetHitsRequest = Vec<BreakpointId>;

/// One answer for each that is known.
pub type GetHitsReply = Vec<Hits>;

/// How often a breakpoint or watchpoint was hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hits {
    /// Which.
    pub id: BreakpointId,
    /// Times that it was reached and its predicate was true.
    pub hits: u64,
    /// Times that it was reached at all.
    pub evaluations: u64,
    /// How many more it passes over.
    pub ignore_left: u64,
}
