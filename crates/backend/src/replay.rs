//! Replaying a trace in place of starting a program.

use crate::Process;

/// A trace to be replayed. Its first process is left stopped at the first instruction of its dynamic linker, like one
/// that was started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenTraceRequest {
    /// The directory of the trace.
    pub directory: String,
    /// The good part of a damaged trace is better than nothing.
    pub accept_damage: bool,
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
