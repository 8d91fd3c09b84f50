//! The gRPC service: checks the session and passes each call on to the tracing thread.
//!
//! This is the edge: messages become the plain types of `wayfarer-backend` here, and plain types become messages.

use crate::command::{Command, Postbox, Reply};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use tokio::sync::{mpsc, oneshot};
use tokio_stream::Stream;
use tonic::{Request, Response, Status};
use wayfarer_backend::{Answer, Event};
use wayfarer_protocol as wire;
use wire::agent_server::Agent;

/// The only session an agent has.
const SESSION: u64 = 1;

/// The state of the session as the server sees it.
#[derive(Default)]
struct Session {
    open: bool,
    /// Events that nobody has asked for yet.
    events: Option<mpsc::UnboundedReceiver<Event>>,
}

/// Serves the protocol.
pub struct Service {
    postbox: Postbox,
    session: Mutex<Session>,
    /// Told when the stream of events is dropped.
    over: Arc<Mutex<Option<oneshot::Sender<()>>>>,
}

impl Service {
    /// A service that says through `over` when its session has ended.
    pub fn new(postbox: Postbox, over: oneshot::Sender<()>) -> Service {
        Service {
            postbox,
            session: Mutex::new(Session::default()),
            over: Arc::new(Mutex::new(Some(over))),
        }
    }

    #[allow(clippy::result_large_err)]
    fn check(&self, session: u64) -> Result<(), Status> {
        let open = self.session.lock().map_err(|_| ended())?.open;
        match (open, session) {
            (true, SESSION) => Ok(()),
            (false, _) => Err(Status::failed_precondition(
                "no session is open: call Open first",
            )),
            (true, other) => Err(Status::not_found(format!(
                "there is no session {other} here"
            ))),
        }
    }

    /// Passes a message on: `W` and `V` are the messages of request and reply, `P` and `Q` what they stand for.
    async fn ask<W, P, Q, V>(
        &self,
        session: u64,
        message: W,
        command: impl FnOnce(P, Reply<Answer<Q>>) -> Command,
    ) -> Result<Response<V>, Status>
    where
        P: TryFrom<W, Error = wire::Damaged>,
        V: From<Q>,
    {
        self.check(session)?;
        let request = P::try_from(message).map_err(|damaged| wire::status_of(damaged.into()))?;
        let answer = self.postbox.ask(|reply| command(request, reply)).await;
        match answer.ok_or_else(ended)? {
            Ok(reply) => Ok(Response::new(reply.into())),
            Err(failure) => Err(wire::status_of(failure)),
        }
    }
}

fn ended() -> Status {
    Status::unavailable("the agent is ending")
}

/// The events of a session; dropping it ends the session.
pub struct EventStream {
    events: mpsc::UnboundedReceiver<Event>,
    over: Arc<Mutex<Option<oneshot::Sender<()>>>>,
}

impl Stream for EventStream {
    type Item = Result<wire::Event, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.events
            .poll_recv(context)
            .map(|event| event.map(|event| Ok(event.into())))
    }
}

impl Drop for EventStream {
    fn drop(&mut self) {
        if let Ok(mut over) = self.over.lock()
            && let Some(over) = over.take()
        {
            let _ = over.send(());
        }
    }
}

impl Service {
    async fn open_session(
        &self,
        request: Request<wire::OpenRequest>,
    ) -> Result<Response<wire::OpenReply>, Status> {
        let request = request.into_inner();
        if request.protocol_version != wire::PROTOCOL_VERSION {
            return Err(Status::failed_precondition(format!(
                "{} speaks version {} of the protocol and this agent version {}: use the same wayfarer on both sides",
                request.debugger,
                request.protocol_version,
                wire::PROTOCOL_VERSION
            )));
        }
        let (sender, receiver) = mpsc::unbounded_channel();
        {
            let mut session = self.session.lock().map_err(|_| ended())?;
            if session.open {
                return Err(Status::already_exists("this agent has a session already"));
            }
            session.open = true;
            session.events = Some(receiver);
        }
        self.postbox
            .ask(|reply| Command::Open(sender, reply))
            .await
            .ok_or_else(ended)?;
        let text = |path| {
            std::fs::read_to_string(path)
                .unwrap_or_default()
                .trim()
                .to_string()
        };
        Ok(Response::new(wire::OpenReply {
            protocol_version: wire::PROTOCOL_VERSION,
            session: SESSION,
            agent: format!("wayfarer {}", env!("CARGO_PKG_VERSION")),
            host: text("/proc/sys/kernel/hostname"),
            agent_pid: std::process::id(),
            watchpoints: wayfarer_ptrace::debug_registers::SLOTS as u32,
            kernel: text("/proc/sys/kernel/osrelease"),
        }))
    }

    fn events_of(
        &self,
        request: Request<wire::EventsRequest>,
    ) -> Result<Response<EventStream>, Status> {
        self.check(request.into_inner().session)?;
        let events = self.session.lock().map_err(|_| ended())?.events.take();
        let events = events.ok_or_else(|| {
            Status::already_exists("the events of this session are being read already")
        })?;
        Ok(Response::new(EventStream {
            events,
            over: Arc::clone(&self.over),
        }))
    }
}

/// The future of an answer, as `async_trait` would write it, which does not see into macros.
type Pending<'answer, T> =
    Pin<Box<dyn Future<Output = Result<Response<T>, Status>> + Send + 'answer>>;

/// Makes the service from the list of requests: each is converted and passed on.
macro_rules! service {
    (
        always { $($(#[$doc:meta])* $method:ident, $call:ident($request:ident) -> $reply:ident;)* }
        launches { $($(#[$launch_doc:meta])* $launch:ident, $launch_call:ident($launch_request:ident) -> $launch_reply:ident;)* }
        recorded { $($(#[$recorded_doc:meta])* $recorded:ident, $recorded_call:ident($recorded_request:ident) -> $recorded_reply:ident;)* }
    ) => {
        impl Agent for Service {
            type EventsStream = EventStream;

            fn open<'service, 'answer>(
                &'service self,
                request: Request<wire::OpenRequest>,
            ) -> Pending<'answer, wire::OpenReply>
            where
                'service: 'answer,
                Self: 'answer,
            {
                Box::pin(self.open_session(request))
            }

            fn events<'service, 'answer>(
                &'service self,
                request: Request<wire::EventsRequest>,
            ) -> Pending<'answer, EventStream>
            where
                'service: 'answer,
                Self: 'answer,
            {
                Box::pin(async { self.events_of(request) })
            }

            service!(@passed
                $($method, $call($request) -> $reply;)*
                $($launch, $launch_call($launch_request) -> $launch_reply;)*
                $($recorded, $recorded_call($recorded_request) -> $recorded_reply;)*
            );
        }
    };
    (@passed $($method:ident, $call:ident($request:ident) -> $reply:ident;)*) => {
        $(
            fn $method<'service, 'answer>(
                &'service self,
                request: Request<wire::$request>,
            ) -> Pending<'answer, wire::$reply>
            where
                'service: 'answer,
                Self: 'answer,
            {
                let message = request.into_inner();
                Box::pin(self.ask(message.session, message, Command::$call))
            }
        )*
    };
}

wayfarer_backend::for_each_call!(service);
