//! What only some back ends can do besides, each ability a trait of its own.
//!
//! A front end asks for the ability instead of trying and being refused: `backend.recorded()` is `None` in a live
//! session.

use std::fmt;

use crate::Answer;

/// A place in a recorded run, as text that a person can write down and another session of the same trace understands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Position(pub String);

impl fmt::Display for Position {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The ability to be anywhere in a run that always does the same. All processes of the run move together.
///
/// Moves are answered when everybody stands at the new place; what stopped, ran, came or went meanwhile is told as
/// events, as everywhere.
pub trait Recorded: Send + Sync {
    /// Where the run stands.
    fn position(&self) -> Answer<Position>;
    /// Where it begins.
    fn start(&self) -> Answer<Position>;
    /// Where it ends.
    fn end(&self) -> Answer<Position>;
    /// Runs forward until this many further events have happened, or to the end.
    fn run_events(&self, count: u64) -> Answer<Position>;
    /// Goes to a place, forward or back.
    fn go_to(&self, position: &Position) -> Answer<()>;
}

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
