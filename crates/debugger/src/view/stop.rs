//! Why something stopped, and where.

use serde::Serialize;

use super::{FrameView, SourceLineView, ValueView, Who};

/// A stop report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StopView {
    pub who: Who,
    #[serde(flatten)]
    pub reason: StopReason,
    /// None when the process is gone.
    pub frame: Option<FrameView>,
    /// The line of source at the frame, when the file can be read.
    pub source_line: Option<SourceLineView>,
    /// Whether a command that waits ends with it, so that its front end looks at this thread from now on.
    pub current: bool,
    /// In a replay: how many events of the recording the thread has made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
    /// Whether frame and line differ from what was last shown for this thread: a step inside one function shows
    /// the line only.
    pub new_function: bool,
}

/// Why.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "reason")]
pub enum StopReason {
    /// Program has been started and nothing of it has run.
    Entry,
    /// `attach`.
    Attached,
    Breakpoint {
        number: u32,
        temporary: bool,
    },
    /// A value changed (`watch`) or was used (`rwatch`, `awatch`).
    Watchpoint {
        number: u32,
        expression: String,
        /// `watch`, `rwatch` or `awatch`.
        access: String,
        old: Option<String>,
        new: Option<String>,
    },
    /// The frame of a watched local was left; the watchpoint is gone.
    WatchpointScope {
        number: u32,
        expression: String,
    },
    /// `catch`: `fork`, `vfork`, `exec`, `syscall`, `signal`, `panic`, `throw`, `catch`.
    Catch {
        number: u32,
        event: String,
        /// Behind gdb's `Catchpoint N`: `(forked process 1234)`, `(call to syscall write)`, `(exec'd /bin/ls)`.
        detail: String,
    },
    /// A step, next, until or advance came to its end.
    Step,
    /// `until LOCATION`, `advance LOCATION` arrived.
    LocationReached,
    /// `return`: the frame was left by force.
    Returned,
    /// `finish`: from which function, and what it returned.
    Finished {
        function: String,
        value: Option<ValueView>,
    },
    Signal {
        number: i32,
        name: String,
        /// `Segmentation fault`.
        meaning: String,
    },
    /// The user asked (Ctrl-C, `halt`).
    Halted,
    /// All of the barrier's set have arrived.
    Barrier(BarrierView),
    /// A replay cannot go on: its recording has no more. Where everybody is.
    EndOfTrace {
        places: String,
    },
    /// A replay met what its recording does not have.
    Diverged {
        explanation: String,
    },
    /// Process ended by itself.
    Exited {
        status: i32,
    },
    /// Process ended by a signal.
    Killed {
        signal: i32,
        name: String,
        meaning: String,
    },
    /// Another program took the process over, seen without a catchpoint while stepping.
    Executed {
        program: String,
    },
}

/// The state of a barrier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BarrierView {
    pub number: u32,
    /// Names of processes that have arrived.
    pub arrived: Vec<String>,
    /// Names of those still expected.
    pub missing: Vec<String>,
}

impl StopReason {
    /// The number of the breakpoint, watchpoint or catchpoint that was hit, whose `commands` then run.
    pub fn breakpoint(&self) -> Option<u32> {
        match self {
            StopReason::Breakpoint { number, .. }
            | StopReason::Watchpoint { number, .. }
            | StopReason::Catch { number, .. } => Some(*number),
            StopReason::Barrier(barrier) => Some(barrier.number),
            _ => None,
        }
    }

    /// Whether the process is gone.
    pub fn is_end(&self) -> bool {
        matches!(self, StopReason::Exited { .. } | StopReason::Killed { .. })
    }
}
