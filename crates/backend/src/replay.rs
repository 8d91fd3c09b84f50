//! Replaying a trace in place of starting a program.

use crate::{Process, Targets};

/// A trace to be replayed. Its first process is left stopped at the first instruction of its dynamic linker, like one
/// that was started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenTraceRequest {
    /// The directory of the trace.
    pub directory: String,
    /// The good part of a damaged trace is better than nothing.
    pub accept_damage: bool,
    /// Who is held back from the beginning on.
    pub hold: Option<Hold>,
    /// What the program wrote to its output in the replay before this one is not shown again.
    pub again: bool,
}

/// A thread that may make so many events and no more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hold {
    /// The name in the trace of its process, which need not have begun.
    pub process: String,
    /// Its number in that process: 1, 2, …
    pub thread: u32,
    /// How many events of its recording it may make in all.
    pub events: u64,
}

/// Says who is held back from now on; whoever was is no longer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HoldBackRequest {
    /// Nobody, if it is absent.
    pub hold: Option<Hold>,
}

/// Sets everybody running but these threads. When nobody else can go on (each waits for something that only those who
/// stand could do, or stopped for a reason of its own, which is told), all are stopped, and that is told, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettleRequest {
    /// Who stays where it is.
    pub held: Targets,
}

/// A replay that begins.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenTraceReply {
    /// Its first process.
    pub process: Process,
    /// What the user should know: what is unreadable, what was not followed while recording.
    pub notes: Vec<String>,
}

/// A replay of which no process lives any more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplayEnded {
    /// How it differed from the recording; none: it is identical and complete.
    pub difference: Option<String>,
    /// Exit status of the command as the replay reproduced it, 128 + signal.
    pub status: i32,
    /// Events of all threads.
    pub events: u64,
    /// Threads that made events.
    pub threads: u64,
    /// Processes that ran.
    pub processes: u64,
}
