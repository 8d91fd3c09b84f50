//! A step on its way: what it wants, and the resume action that brings it nearer.
//!
//! The agent knows only addresses. A step by lines is a sequence of its actions ("until the counter leaves these
//! ranges", "until this address is reached with the stack above that"), and after each one
//! `Debugger::advance_step` looks where the thread is and decides to stop or which action comes next.

use wayfarer_backend::{self as backend, AddressRange, BreakpointId, ResumeAction};
use wayfarer_symbols::frames::FrameId;

/// What kind of step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepKind {
    /// Into calls.
    Into,
    /// Over calls.
    Over,
    /// Over calls and not back (`until`).
    Until,
    Instruction,
    InstructionOver,
    /// Until a frame returns.
    Finish,
    /// To a location.
    Reach,
}

/// A step of one thread.
#[derive(Clone, Debug)]
pub(crate) struct StepPlan {
    pub kind: StepKind,
    /// Steps still to make, this one included.
    pub remaining: u64,
    /// The frame in which it began.
    pub frame: Option<FrameId>,
    /// File and line where it began (or was renewed).
    pub line: Option<(String, u64)>,
    /// The action to resume with, also after an interruption that was none of the user's business.
    pub action: Action,
    /// A leap (exception, `longjmp`) to a stack pointer not below this ends or changes the step.
    pub stack: Option<u64>,
    /// The action runs to the landing of a leap.
    pub leapt: bool,
    /// For `finish`: the function that returns, and where its type is described.
    pub finishing: Option<Finishing>,
    /// Our own breakpoints that serve it.
    pub internal: Vec<BreakpointId>,
}

impl StepPlan {
    /// One that has not been thought out.
    pub fn new() -> StepPlan {
        StepPlan {
            kind: StepKind::Over,
            remaining: 1,
            frame: None,
            line: None,
            action: Action::Continue,
            stack: None,
            leapt: false,
            finishing: None,
            internal: Vec::new(),
        }
    }
}

/// What `finish` needs to show the value.
#[derive(Clone, Debug)]
pub(crate) struct Finishing {
    pub function: String,
    pub module: Option<std::sync::Arc<wayfarer_symbols::Module>>,
    pub return_type: Option<wayfarer_symbols::TypeId>,
    /// Whether the function has debug information, so that no return type means `void`.
    pub described: bool,
}

/// What one thread does on its way through a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Continue,
    Instruction {
        over: bool,
    },
    Ranges {
        ranges: Vec<(u64, u64)>,
        over: bool,
        stack_above: Option<u64>,
    },
    /// Run to an address; afterwards the step is looked at again.
    To {
        addresses: Vec<u64>,
        stack_above: Option<u64>,
    },
}

impl Action {
    /// What is asked of the back end for one thread.
    pub fn of(&self, thread: backend::ThreadId) -> ResumeAction {
        let action = match self {
            Action::Continue => backend::Action::Continue,
            Action::Instruction { over } => backend::Action::Instructions {
                count: 1,
                over_calls: *over,
            },
            Action::Ranges {
                ranges,
                over,
                stack_above,
            } => backend::Action::Ranges {
                ranges: ranges
                    .iter()
                    .map(|&(low, high)| AddressRange { low, high })
                    .collect(),
                over_calls: *over,
                stack_above: *stack_above,
            },
            Action::To {
                addresses,
                stack_above,
            } => backend::Action::To {
                addresses: addresses.clone(),
                stack_above: *stack_above,
            },
        };
        ResumeAction::of(thread, action)
    }
}
