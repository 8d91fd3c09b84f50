//! A server on tokio's threads, for the tests of the debugger: says its port, answers each line with how often it was
//! asked and the line itself, and ends with its standard input.

use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::io::Interest;
use tokio::net::{TcpListener, TcpStream};

/// What all connections have in common.
struct Shared {
    questions: AtomicU64,
    greeting: String,
}

fn main() -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(4)
        .enable_all()
        .build()?;
    std::thread::spawn(|| {
        // The end of the input is the end of the server.
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    runtime.block_on(serve())
}

async fn serve() -> std::io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    println!("{}", listener.local_addr()?.port());
    std::io::stdout().flush()?;
    let shared = Arc::new(Shared {
        questions: AtomicU64::new(0),
        greeting: "hello".to_owned(),
    });
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(converse(stream, Arc::clone(&shared)));
    }
}

async fn converse(stream: TcpStream, shared: Arc<Shared>) -> std::io::Result<()> {
    let mut line = Vec::new();
    loop {
        stream.ready(Interest::READABLE).await?;
        let mut bytes = [0; 256];
        match stream.try_read(&mut bytes) {
            Ok(0) => return Ok(()),
            Ok(count) => line.extend_from_slice(&bytes[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => continue,
            Err(error) => return Err(error),
        }
        while let Some(end) = line.iter().position(|byte| *byte == b'\n') {
            let question = String::from_utf8_lossy(&line[..end]).into_owned();
            line.drain(..=end);
            let said = answer(&shared, &question);
            stream.writable().await?;
            stream.try_write(said.as_bytes())?;
        }
    }
}

#[inline(never)]
fn answer(shared: &Shared, question: &str) -> String {
    let number = shared.questions.fetch_add(1, Ordering::Relaxed) + 1;
    let words: Vec<&str> = question.split(' ').collect();
    format!("{} {number} {}\n", shared.greeting, words.join("+"))
}
