//! Processes and threads as the debugger tells them apart: ids of a back end, and which one gave them.

use wayfarer_backend::{self as backend, AgentId};

/// A process of one of the back ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ProcessKey {
    pub agent: AgentId,
    pub id: backend::ProcessId,
}

/// A thread of one of the back ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ThreadKey {
    pub agent: AgentId,
    pub id: backend::ThreadId,
}
