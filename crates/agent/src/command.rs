//! What the server asks of the tracing thread.

use std::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{mpsc, oneshot};
use wayfarer_protocol as wire;
use wayfarer_ptrace::Waker;

/// Where an answer goes.
pub type Reply<T> = oneshot::Sender<T>;

/// One request, with where its answer goes.
pub enum Command {
    /// A session begins; events go here.
    Open(mpsc::UnboundedSender<wire::Event>, Reply<()>),
    /// It is over; answered when everybody has been let go.
    End(Reply<()>),
    /// See the protocol for this and all that follow.
    Configure(wire::ConfigureRequest, Reply<wire::Acknowledgement>),
    Launch(wire::LaunchRequest, Reply<wire::LaunchReply>),
    Attach(wire::AttachRequest, Reply<wire::AttachReply>),
    Detach(wire::DetachRequest, Reply<wire::TargetResults>),
    Kill(wire::KillRequest, Reply<wire::TargetResults>),
    ListProcesses(Reply<wire::ListProcessesReply>),
    Halt(wire::HaltRequest, Reply<wire::HaltReply>),
    Resume(wire::ResumeRequest, Reply<wire::TargetResults>),
    Release(wire::ReleaseRequest, Reply<wire::TargetResults>),
    SetHeld(wire::SetHeldRequest, Reply<wire::TargetResults>),
    InsertBreakpoint(
        wire::InsertBreakpointRequest,
        Reply<wire::InsertBreakpointReply>,
    ),
    RemoveBreakpoint(wire::RemoveBreakpointRequest, Reply<wire::Acknowledgement>),
    GetHits(wire::GetHitsRequest, Reply<wire::GetHitsReply>),
    InsertWatchpoint(wire::InsertWatchpointRequest, Reply<wire::TargetResults>),
    RemoveWatchpoint(wire::RemoveWatchpointRequest, Reply<wire::Acknowledgement>),
    InsertCatchpoint(wire::InsertCatchpointRequest, Reply<wire::Acknowledgement>),
    RemoveCatchpoint(wire::RemoveCatchpointRequest, Reply<wire::Acknowledgement>),
    SetSignals(wire::SetSignalsRequest, Reply<wire::Acknowledgement>),
    ReadMemory(wire::ReadMemoryRequest, Reply<wire::ReadMemoryReply>),
    WriteMemory(wire::WriteMemoryRequest, Reply<wire::TargetResults>),
    ReadRegisters(wire::ReadRegistersRequest, Reply<wire::ReadRegistersReply>),
    WriteRegisters(wire::WriteRegistersRequest, Reply<wire::TargetResults>),
    Snapshot(wire::SnapshotRequest, Reply<wire::SnapshotReply>),
    Modules(wire::ModulesRequest, Reply<wire::ModulesReply>),
    Maps(wire::MapsRequest, Reply<wire::MapsReply>),
    InferiorCall(wire::InferiorCallRequest, Reply<wire::InferiorCallReply>),
}

/// The tracing thread's end.
pub struct Mailbox {
    receiver: Receiver<Command>,
}

impl Mailbox {
    /// The next command that is there.
    pub fn take(&self) -> Option<Command> {
        self.receiver.try_recv().ok()
    }
}

/// The server's end: a command wakes the tracing thread.
#[derive(Clone)]
pub struct Postbox {
    sender: Sender<Command>,
    waker: Waker,
}

impl Postbox {
    /// Both ends; to be called in the tracing thread.
    pub fn new(waker: Waker) -> (Postbox, Mailbox) {
        let (sender, receiver) = channel();
        (Postbox { sender, waker }, Mailbox { receiver })
    }

    /// Sends a command and waits for the answer; `None` if the tracing thread has ended.
    pub async fn ask<T>(&self, command: impl FnOnce(Reply<T>) -> Command) -> Option<T> {
        let (reply, answer) = oneshot::channel();
        self.sender.send(command(reply)).ok()?;
        self.waker.wake();
        answer.await.ok()
    }
}
