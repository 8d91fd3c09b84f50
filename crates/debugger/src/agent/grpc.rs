//! The link over gRPC on a Unix socket.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper_util::rt::TokioIo;
use tokio::net::UnixStream;
use tokio::runtime::Runtime;
use tonic::transport::{Channel, Endpoint, Uri};
use wayfarer_backend::{Answer, Listener};
use wayfarer_protocol as wire;
use wire::agent_client::AgentClient;

use crate::{DebuggerError, Result};

/// A session with an agent.
pub(crate) struct GrpcLink {
    runtime: Arc<Runtime>,
    pub(super) client: AgentClient<Channel>,
    pub(super) session: u64,
    /// The task that reads the stream of events.
    pub(super) events: tokio::task::AbortHandle,
}

impl GrpcLink {
    /// Connects to the socket (waiting for it to appear), compares versions and starts the stream of events.
    pub fn open(
        socket: &Path,
        patience: Duration,
        listener: Arc<dyn Listener>,
        alive: &mut dyn FnMut() -> Result<()>,
    ) -> Result<GrpcLink> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("wayfarer-link")
            .enable_all()
            .build()
            .map_err(|error| DebuggerError::AgentStart(error.to_string()))?;
        let runtime = Arc::new(runtime);
        let deadline = Instant::now() + patience;
        let channel = loop {
            match runtime.block_on(dial(socket.to_owned())) {
                Ok(channel) => break channel,
                Err(error) if Instant::now() >= deadline => {
                    return Err(DebuggerError::AgentStart(error.to_string()));
                }
                Err(_) => {
                    alive()?;
                    std::thread::sleep(Duration::from_millis(2));
                }
            }
        };
        let mut client = AgentClient::new(channel)
            .max_decoding_message_size(wire::MAXIMUM_MESSAGE)
            .max_encoding_message_size(wire::MAXIMUM_MESSAGE);
        let hello = wire::OpenRequest {
            protocol_version: wire::PROTOCOL_VERSION,
            debugger: format!("wayfarer {}", env!("CARGO_PKG_VERSION")),
        };
        let opened = runtime
            .block_on(client.open(hello))
            .map_err(|status| DebuggerError::AgentStart(status.message().to_owned()))?
            .into_inner();
        if opened.protocol_version != wire::PROTOCOL_VERSION {
            return Err(DebuggerError::Version {
                ours: wire::PROTOCOL_VERSION,
                theirs: opened.protocol_version,
            });
        }
        let session = opened.session;
        let mut stream = runtime
            .block_on(client.events(wire::EventsRequest { session }))
            .map_err(|status| DebuggerError::AgentStart(status.message().to_owned()))?
            .into_inner();
        let events = runtime.spawn(async move {
            loop {
                let event = match stream.message().await {
                    Ok(Some(event)) => event,
                    Ok(None) => return listener.lost("it closed the connection"),
                    Err(status) => return listener.lost(status.message()),
                };
                let heard = match event.try_into() {
                    Ok(event) => listener.happened(event),
                    Err(damaged) => return listener.lost(&wire::Damaged::to_string(&damaged)),
                };
                if !heard {
                    return;
                }
            }
        });
        let events = events.abort_handle();
        Ok(GrpcLink {
            runtime,
            client,
            session,
            events,
        })
    }

    /// Waits for an answer.
    pub(super) fn answer<T>(
        &self,
        call: impl Future<Output = Result<tonic::Response<T>, tonic::Status>>,
    ) -> Answer<T> {
        match self.runtime.block_on(call) {
            Ok(response) => Ok(response.into_inner()),
            Err(status) => Err(wire::failure_of(&status)),
        }
    }
}

async fn dial(path: PathBuf) -> Result<Channel, tonic::transport::Error> {
    let connector = tower::service_fn(move |_: Uri| {
        let path = path.clone();
        async move { Ok::<_, std::io::Error>(TokioIo::new(UnixStream::connect(path).await?)) }
    });
    // The address is never looked at: the connector above knows the socket.
    Endpoint::from_static("http://agent.local")
        .connect_with_connector(connector)
        .await
}
