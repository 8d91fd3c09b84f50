//! What only some back ends can do besides, each ability a trait of its own.
//!
//! A front end asks for the ability instead of trying and being refused: `backend.recorded()` is `None` in a live
//! session.

use crate::Answer;

/// What happens to the time of a session while it is halted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeMode {
    /// It stands still: nobody in the session can tell that there was a halt.
    Frozen,
    /// It goes on.
    Real,
}

/// The time of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// What halts do to it.
    pub mode: TimeMode,
    /// By how much the time of the session is behind real time: the length of all halts that it did not notice.
    pub behind_ns: u64,
    /// It stands now.
    pub halted: bool,
}

/// The ability to keep time from the processes while they are halted.
pub trait LogicalTime: Send + Sync {
    /// How the session's time stands.
    fn clock(&self) -> Answer<Clock>;
    /// Says what halts do from now on.
    fn set_mode(&self, mode: TimeMode) -> Answer<()>;
}
