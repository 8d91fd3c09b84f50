//! What happens without being the answer to a call.

use serde::Serialize;

use crate::view::{BarrierView, StopView, Who};

/// Something a front end may want to show at once.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "event")]
// Stops are what events mostly are, and they are few: a box would only be in the way of who matches.
#[allow(clippy::large_enum_variant)]
pub enum Event {
    /// A stop, or the end of a process. The one that ends a foreground command is also returned by that command.
    Stopped(StopView),
    /// `[New process …]`: forked, vforked, spawned.
    NewProcess {
        who: Who,
        parent: Option<String>,
        how: String,
    },
    /// A process now runs another program (and may have a new name).
    Executed {
        who: Who,
        program: String,
        old_name: String,
    },
    /// `[New Thread …]`.
    NewThread { who: Who },
    /// `[Thread … exited]`.
    ThreadExited { who: Who },
    /// A signal that `handle` wants printed, not stopped at.
    Signal {
        who: Who,
        number: i32,
        name: String,
        meaning: String,
    },
    /// A `dprintf` line, without any frame.
    Output {
        who: Who,
        breakpoint: u32,
        text: String,
    },
    /// A pending breakpoint found its place, or lost it.
    BreakpointChanged { number: u32, places: u32 },
    /// Someone arrived at a barrier that is not complete.
    BarrierArrival { who: Who, barrier: BarrierView },
    /// A library came or went.
    Library {
        who: Who,
        path: String,
        loaded: bool,
    },
    /// Anything else worth a line: a watchpoint removed, a condition that cannot be evaluated.
    Message { text: String },
    /// The connection to the agent ended; every process is gone from our hands.
    AgentLost { why: String },
}
