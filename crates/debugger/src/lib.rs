//! The central part of the live debugger: sessions, processes and sets, breakpoints, stepping, stacks, values.
//!
//! A front end makes one [`Debugger`], calls its methods and shows the views they return; everything that happens
//! in between (stops, exits, new processes, `dprintf` lines) arrives as an [`Event`]. See [`Debugger`] for how
//! blocking, interrupting and background events fit together.
#![forbid(unsafe_code)]

mod agent;
mod backends;
mod breakpoint;
mod debugger;
mod error;
mod evaluation;
mod event;
mod location;
mod request;
mod session;
mod set;
mod settings;
mod signals;
mod source;
mod step;
pub mod view;

pub use agent::Interrupter;
pub use debugger::{At, Debugger, Place, SearchSpec};
pub use error::{DebuggerError, Result};
pub use evaluation::ValueHandle;
pub use event::{Event, Listening};
pub use location::Location;
pub use request::{
    AgentStart, BreakpointSpec, CatchSpec, Count, DisassembleSpec, ExamineSpec, HandleAction,
    Launch, ListSpec, OpenTrace, Options, Run, StackFrame, StackSpec, WatchAccess, WatchSpec,
};
pub use set::{Set, ThreadId};
pub use source::Listed;
pub use wayfarer_backend::AgentId;
