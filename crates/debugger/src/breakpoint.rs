//! What the user asked for (a logical breakpoint) and what the machine holds (its places).

use std::collections::HashMap;
use std::sync::Arc;

use wayfarer_backend::BreakpointId;
use wayfarer_symbols::frames::FrameId;
use wayfarer_symbols::{CodePlace, Module};

use crate::session::ThreadKey;
use crate::view::PlaceView;
use crate::{CatchSpec, Location, Set, ThreadId, WatchAccess};

/// A logical breakpoint.
pub(crate) struct Breakpoint {
    pub number: u32,
    pub what: What,
    /// As one would type it.
    pub location: String,
    pub enabled: bool,
    pub temporary: bool,
    /// In debug registers instead of the code.
    pub hardware: bool,
    pub once: Once,
    pub condition: Option<String>,
    /// Back ends evaluate the condition, at every place.
    pub condition_in_agent: bool,
    /// Each hit comes to us before anything is decided. Then we count, otherwise the back end does: never both.
    pub asks_us: bool,
    /// Hits to pass over, of those that are counted here; for others what the back end was told.
    pub ignore: u64,
    /// Hits that were counted here, and those that a back end had counted when it was told to forget them.
    pub own_hits: u64,
    pub only: Option<Set>,
    pub commands: Vec<String>,
    pub places: Vec<Placed>,
    /// Where it was before its process ended or it was switched off, for the table.
    pub last_places: Vec<PlaceView>,
    pub problems: Vec<String>,
}

/// What back ends call the user's breakpoint of this number.
pub(crate) fn id_of(number: u32) -> BreakpointId {
    BreakpointId(u64::from(number))
}

/// The number of a breakpoint of the user's; none if it is one of our own.
pub(crate) fn number_of(id: BreakpointId) -> Option<u32> {
    u32::try_from(id.0).ok()
}

/// What happens after the next stop of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Once {
    No,
    Disable,
    Delete,
}

/// The kinds.
pub(crate) enum What {
    Code {
        target: Target,
        does: Does,
        /// What each module said about the target, so that a new process costs nothing.
        known: HashMap<usize, (Arc<Module>, Vec<CodePlace>)>,
    },
    Watch(Watch),
    Catch(CatchSpec),
}

/// Where a code breakpoint belongs.
#[derive(Clone)]
pub(crate) enum Target {
    Spec(Location),
    /// Addresses of one process (`*0x…`): not found again elsewhere, but inherited by forks.
    Addresses {
        process: u32,
        addresses: Vec<u64>,
    },
    /// Any of these functions that exists (`catch throw`).
    Functions(Vec<&'static str>),
}

/// What a code breakpoint does when it is hit.
pub(crate) enum Does {
    Stop,
    Print {
        format: String,
        arguments: Vec<String>,
    },
    Gather,
    /// A catchpoint that is a breakpoint underneath.
    Catch(CatchSpec),
}

/// A watchpoint.
pub(crate) struct Watch {
    pub expression: String,
    pub access: WatchAccess,
    pub address: u64,
    pub length: u32,
    pub process: u32,
    /// The name of the process, by which it is found again when a recorded run begins anew.
    pub process_name: String,
    /// The frame it belongs to and the internal breakpoint that tells when it is left.
    pub scope: Option<(ThreadId, FrameId, BreakpointId)>,
    pub type_ref: wayfarer_expression::TypeRef,
}

/// One address in one process.
#[derive(Clone)]
pub(crate) struct Placed {
    pub view: PlaceView,
    pub predicate: Vec<u8>,
}

/// Why we have a breakpoint that the user doesn't see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The frame of this watchpoint ends here.
    WatchScope(u32),
    /// A step of this thread ends here.
    Step(ThreadKey),
    /// A stepping thread is about to leave frames without returning.
    Leap(ThreadKey),
    /// A function that we called in this thread returns here.
    CallReturn(crate::ThreadId),
    /// A function that we called throws, and nobody catches it.
    Terminate,
    /// Where a thread stood that is looked for.
    Moment,
}

impl Breakpoint {
    pub fn new(number: u32, what: What, location: String) -> Breakpoint {
        Breakpoint {
            number,
            what,
            location,
            enabled: true,
            temporary: false,
            hardware: false,
            once: Once::No,
            condition: None,
            condition_in_agent: false,
            asks_us: false,
            ignore: 0,
            own_hits: 0,
            only: None,
            commands: Vec::new(),
            places: Vec::new(),
            last_places: Vec::new(),
            problems: Vec::new(),
        }
    }

    pub fn watch(&self) -> Option<&Watch> {
        match &self.what {
            What::Watch(watch) => Some(watch),
            _ => None,
        }
    }

    fn does(&self) -> Option<&Does> {
        match &self.what {
            What::Code { does, .. } => Some(does),
            _ => None,
        }
    }

    /// Whether a hit of it is a line and not a stop.
    pub fn prints(&self) -> bool {
        matches!(self.does(), Some(Does::Print { .. }))
    }

    /// Whether a hit of it is a stop, and nothing else.
    pub fn stops(&self) -> bool {
        matches!(self.does(), Some(Does::Stop))
    }

    /// Whether it is a barrier.
    pub fn gathers(&self) -> bool {
        matches!(self.does(), Some(Does::Gather))
    }
}
