//! What a debugger asks of whatever holds processes, in plain types.
//!
//! A *back end* holds processes: an agent on the other side of a socket, a script in a test, a replay. [`Backend`] is
//! what each of them can do; [`Launches`], [`Recorded`] and [`LogicalTime`] are abilities that only some have, found by
//! asking. Nothing here knows symbols (those are the debugger's) or a wire format (that is `protocol`'s).
//!
//! Everything that happens without being asked for is an [`Event`], told to the [`Listener`] that the back end was made
//! with.
//!
//! Adding a request: a row in [`for_each_call`], its types here, its messages and their conversion in `protocol`, and
//! one method of the agent's tracer. Everything else is made from the row.

#![forbid(unsafe_code)]

mod abilities;
mod attach;
mod breakpoint;
mod calls;
mod catchpoint;
mod event;
mod failure;
mod id;
mod inferior_call;
mod launch;
mod listener;
mod memory;
mod module;
mod process;
mod registers;
mod replay;
mod resume;
mod settings;
mod signal;
mod snapshot;
mod stop;
mod targets;
mod watchpoint;

pub use abilities::{Clock, LogicalTime, TimeMode};
pub use attach::{AttachReply, AttachRequest, AttachResult, DetachRequest, KillRequest};
pub use breakpoint::{
    Barrier, BreakpointPlace, GetHitsReply, GetHitsRequest, Hits, InsertBreakpointReply,
    InsertBreakpointRequest, Location, PlaceResult, RemoveBreakpointRequest,
};
pub use calls::{Backend, Launches, Recorded};
pub use catchpoint::{Catch, InsertCatchpointRequest, RemoveCatchpointRequest};
pub use event::{BarrierArrived, Event, EventKind, Origin, ProcessEnd, ProcessExited, Stopped};
pub use failure::{Answer, Failure, FailureKind};
pub use id::{AgentId, BreakpointId, ProcessId, ThreadId};
pub use inferior_call::{
    Block, CallArgument, CallReturned, CallStopped, InferiorCallReply, InferiorCallRequest,
    StayedIn,
};
pub use launch::{LaunchReply, LaunchRequest};
pub use listener::Listener;
pub use memory::{
    MemoryContents, MemoryRange, MemoryWrite, ReadMemoryReply, ReadMemoryRequest,
    WriteMemoryRequest,
};
pub use module::{Module, ModulesReply, ModulesRequest};
pub use process::{Process, Thread, ThreadState};
pub use registers::{GeneralRegisters, VectorRegisters, WriteRegistersRequest};
pub use replay::{
    Hold, HoldBackRequest, OpenTraceReply, OpenTraceRequest, ReplayEnded, SettleRequest,
};
pub use resume::{
    Action, AddressRange, Delivery, HaltReply, HaltRequest, ReleaseRequest, ResumeAction,
    ResumeRequest, SetHeldRequest,
};
pub use settings::{ConfigureRequest, StopScope};
pub use signal::{SetSignalsRequest, SignalDisposition};
pub use snapshot::{SnapshotReply, SnapshotRequest, TargetSnapshot, ThreadSnapshot};
pub use stop::{
    BarrierComplete, BreakpointHit, ForkStop, PredicateFailure, SignalReceived, StepDone, StepEnd,
    StopReason, SyscallStop, ThreadStop, WatchReport, WatchpointHit,
};
pub use targets::{Target, TargetResult, TargetResults, Targets};
pub use watchpoint::{InsertWatchpointRequest, RemoveWatchpointRequest, WatchKind};

/// Done, and there is nothing to say.
pub type Acknowledgement = ();
