//! What the server asks of the tracing thread.

use std::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{mpsc, oneshot};
use wayfarer_backend::{Answer, Event};
use wayfarer_ptrace::Waker;

/// Where an answer goes.
pub type Reply<T> = oneshot::Sender<T>;

/// Makes a command of each row of the list of requests.
macro_rules! commands {
    (
        always { $($(#[$doc:meta])* $method:ident, $call:ident($request:ident) -> $reply:ident;)* }
        launches { $($(#[$launch_doc:meta])* $launch_method:ident, $launch:ident($launch_request:ident) -> $launch_reply:ident;)* }
        recorded { $($(#[$recorded_doc:meta])* $recorded_method:ident, $recorded:ident($recorded_request:ident) -> $recorded_reply:ident;)* }
    ) => {
        /// One request, with where its answer goes.
        // Commands are moved twice and never kept: a box would only be in the way of who matches.
        #[allow(clippy::large_enum_variant)]
        pub enum Command {
            /// A session begins; events go here.
            Open(mpsc::UnboundedSender<Event>, Reply<()>),
            /// It is over; answered when everybody has been let go.
            End(Reply<()>),
            $($(#[$doc])* $call(wayfarer_backend::$request, Reply<Answer<wayfarer_backend::$reply>>),)*
            $($(#[$launch_doc])* $launch(wayfarer_backend::$launch_request, Reply<Answer<wayfarer_backend::$launch_reply>>),)*
            $($(#[$recorded_doc])* $recorded(wayfarer_backend::$recorded_request, Reply<Answer<wayfarer_backend::$recorded_reply>>),)*
        }
    };
}

wayfarer_backend::for_each_call!(commands);

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
