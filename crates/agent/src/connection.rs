//! Connections on the Unix socket, counted: when the last one closes, the debugger is gone.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::UnixStream;
use tokio::sync::watch;
use tonic::transport::server::Connected;

/// Counts the connections there are.
#[derive(Clone)]
pub struct Counter {
    count: Arc<watch::Sender<Count>>,
}

/// How many there are, and have been.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    /// Now.
    pub open: usize,
    /// Ever.
    pub ever: usize,
}

impl Counter {
    /// A counter, and where to watch it.
    pub fn new() -> (Counter, watch::Receiver<Count>) {
        let (sender, receiver) = watch::channel(Count::default());
        let count = Arc::new(sender);
        (Counter { count }, receiver)
    }

    /// A connection that counts as long as it is open.
    pub fn count(&self, stream: UnixStream) -> Connection {
        self.count.send_modify(|count| {
            count.open += 1;
            count.ever += 1;
        });
        Connection {
            stream,
            counter: self.clone(),
        }
    }
}

/// An open connection.
pub struct Connection {
    stream: UnixStream,
    counter: Counter,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.counter.count.send_modify(|count| count.open -= 1);
    }
}

impl Connected for Connection {
    type ConnectInfo = ();

    fn connect_info(&self) {}
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
