//! Setting threads going, and stopping them.

use crate::{TargetResults, Targets, ThreadId};

/// Sets threads running; answered when they run. That they stop again is an event.
///
/// A thread takes the first action whose targets name it; threads that no action names stay as they are. If one of the
/// named threads has a report that has not been told, nothing runs: that is told, as a stop of all that were to run.
pub type ResumeRequest = Vec<ResumeAction>;

/// What some threads shall do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResumeAction {
    /// Who.
    pub targets: Targets,
    /// What.
    pub action: Action,
    /// Which signal they get.
    pub signal: Delivery,
}

impl ResumeAction {
    /// An action of one thread, which gets the signal that it was stopped with.
    pub fn of(thread: ThreadId, action: Action) -> ResumeAction {
        ResumeAction {
            targets: Targets::thread(thread),
            action,
            signal: Delivery::AsStopped,
        }
    }
}

/// How far a thread runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Until something stops it.
    Continue,
    /// Some instructions.
    Instructions {
        /// How many, at least one.
        count: u64,
        /// A call counts as one.
        over_calls: bool,
    },
    /// Until pc is in none of the ranges.
    Ranges {
        /// Where it may be.
        ranges: Vec<AddressRange>,
        /// Calls made from inside the ranges run to their return first.
        over_calls: bool,
        /// Also until the stack pointer is above this: the frame has returned.
        stack_above: Option<u64>,
    },
    /// Until this thread reaches one of the addresses.
    To {
        /// Any of these.
        addresses: Vec<u64>,
        /// … with its stack pointer above this (to tell a frame from its deeper recursions).
        stack_above: Option<u64>,
    },
}

/// Half open: [low, high).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressRange {
    /// The first address.
    pub low: u64,
    /// The first behind it.
    pub high: u64,
}

/// The signal that a thread gets when it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// The one that it was stopped with, if there is one.
    AsStopped,
    /// None, whatever it was stopped with.
    Nothing,
    /// This one instead.
    Signal(i32),
}

/// Stops the targets; answered when all of them have stopped.
pub type HaltRequest = Targets;

/// What a halt did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HaltReply {
    /// Who could not be stopped.
    pub results: TargetResults,
    /// From the first to the last thread that stopped.
    pub first_to_last_ns: u64,
    /// How many stopped.
    pub threads: u32,
}

/// Lets go on those that were held after an exec or a change of libraries, so that breakpoints could be placed.
pub type ReleaseRequest = Targets;

/// A held thread stays stopped whatever is resumed, until it is no longer held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetHeldRequest {
    /// Whom.
    pub targets: Targets,
    /// Held, or not any more.
    pub held: bool,
}
