//! What is set for the whole session.

/// Which threads a stop takes along.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StopScope {
    /// Only its own.
    Thread,
    /// Those of its process.
    Process,
    /// Everybody.
    All,
}

/// Changes what is set for the whole session; what is absent stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigureRequest {
    /// What a stop takes along; everybody at the start of a session.
    pub scope: Option<StopScope>,
    /// Take children into the session (as at its start), or let them go.
    pub follow_children: Option<bool>,
    /// Hold the thread at an exec and at a change of libraries until `release`; not at the start of a session.
    pub hold_on_load: Option<bool>,
    /// After a fork, let the parent go and keep the child; not at the start of a session.
    pub detach_parent_on_fork: Option<bool>,
}
