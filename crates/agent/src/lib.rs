//! What `wayfarer agent` runs: holds every process and thread of a host and serves the debugger.
//!
//! [`serve`] splits the process in two. The parent is a guardian that only waits (see `wayfarer_ptrace::guardian`);
//! the child works. In the child one thread traces (`tracer`): all of ptrace happens there, and all state is there. The
//! gRPC server (`service`) runs on a runtime of its own and talks to it through a channel. The session ends with the
//! debugger's stream of events or connection, and the agent ends with the session.

#![forbid(unsafe_code)]

mod command;
mod connection;
mod convert;
mod failure;
mod image;
mod service;
mod tracer;

use command::Postbox;
use connection::{Count, Counter};
use service::Service;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use tokio::net::UnixListener;
use tokio::sync::{oneshot, watch};
use tokio_stream::StreamExt;
use tokio_stream::wrappers::UnixListenerStream;
use tracer::Tracer;
use wayfarer_protocol::MAXIMUM_MESSAGE;
use wayfarer_protocol::agent_server::AgentServer;
use wayfarer_ptrace::Wake;
use wayfarer_ptrace::guardian::{self, Guarded, Side};

/// An agent that nobody speaks to ends after this time.
const LONELY: Duration = Duration::from_secs(30);

/// Why there is no agent.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The socket cannot be made.
    #[error("cannot listen on {path}: {source}")]
    Listen {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The process cannot be set up.
    #[error("cannot start the agent: {0}")]
    Start(#[from] io::Error),
    /// The server failed.
    #[error("the agent's server failed: {0}")]
    Serve(#[from] tonic::transport::Error),
    /// The working half ended badly; attached programs have been put right.
    #[error("the agent died with status {0}")]
    Died(i32),
}

/// Serves one debugger on a Unix socket until it is gone. To be called while the process has one thread.
pub fn serve(socket: &Path) -> Result<(), AgentError> {
    wayfarer_ptrace::wait::ignore_interrupts();
    match guardian::split()? {
        Side::Guardian(0) => Ok(()),
        Side::Guardian(status) => Err(AgentError::Died(status)),
        Side::Worker(guarded) => {
            let status = match work(socket, guarded) {
                Ok(()) => 0,
                Err(error) => {
                    eprintln!("wayfarer agent: {error}");
                    1
                }
            };
            std::process::exit(status)
        }
    }
}

/// The working half.
fn work(socket: &Path, guarded: Guarded) -> Result<(), AgentError> {
    let wake = Wake::prepare()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let (sender, receiver) = mpsc::channel();
    let Guarded {
        traces,
        mut life_line,
    } = guarded;
    let tracing = thread::Builder::new()
        .name("tracer".into())
        .spawn(move || {
            // Without a guardian there is still an agent.
            let _ = life_line.announce();
            let (postbox, mailbox) = Postbox::new(wake.waker());
            if sender.send(postbox).is_ok() {
                trace(&mut Tracer::new(wake, mailbox, traces));
            }
        })?;
    let postbox = receiver
        .recv()
        .map_err(|_| io::Error::other("the tracing thread did not start"))?;
    let served = runtime.block_on(listen(socket, postbox.clone()));
    // However the server ended, everybody is let go first.
    runtime.block_on(async {
        postbox.ask(command::Command::End).await;
    });
    runtime.shutdown_timeout(Duration::from_millis(200));
    let _ = std::fs::remove_file(socket);
    let _ = tracing.join();
    served
}

/// Traces to the end. A mistake of ours must not cost the programs that we hold: with a thread that just ended, those
/// that stand at a breakpoint would end too.
fn trace(tracer: &mut Tracer) {
    if catch_unwind(AssertUnwindSafe(|| tracer.run())).is_err() {
        let _ = catch_unwind(AssertUnwindSafe(|| tracer.abandon()));
    }
}

async fn listen(socket: &Path, postbox: Postbox) -> Result<(), AgentError> {
    let listener = UnixListener::bind(socket).map_err(|source| AgentError::Listen {
        path: socket.to_path_buf(),
        source,
    })?;
    let (counter, count) = Counter::new();
    let incoming = UnixListenerStream::new(listener)
        .map(move |stream| stream.map(|stream| counter.count(stream)));
    let (over, session_over) = oneshot::channel();
    let service = AgentServer::new(Service::new(postbox.clone(), over))
        .max_decoding_message_size(MAXIMUM_MESSAGE)
        .max_encoding_message_size(MAXIMUM_MESSAGE);
    let server = tonic::transport::Server::builder()
        .add_service(service)
        .serve_with_incoming(incoming);
    tokio::select! {
        result = server => result?,
        _ = session_over => {}
        () = abandoned(count) => {}
    }
    Ok(())
}

/// Returns when the last connection has closed, or when none has come for long.
async fn abandoned(mut count: watch::Receiver<Count>) {
    let someone = count.wait_for(|count| count.ever > 0);
    match tokio::time::timeout(LONELY, someone).await {
        Ok(Ok(_)) => {}
        _ => return,
    }
    let _ = count.wait_for(|count| count.open == 0).await;
}
