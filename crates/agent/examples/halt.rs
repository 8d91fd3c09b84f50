//! Measures halts for the benchmark of the debugger: `halt WAYFARER ROUNDS PID…`.
//!
//! Attaches to the processes, then lets them run and halts them again and again. For each round it says how many
//! threads were stopped, how long they took from first to last, and how long the halt and the resume took from here.

use hyper_util::rt::TokioIo;
use std::error::Error;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tokio::net::UnixStream;
use tonic::transport::{Channel, Endpoint};
use wayfarer_protocol as wire;
use wire::agent_client::AgentClient;

/// How long the programs run between two halts.
const RUN: Duration = Duration::from_millis(50);
const PATIENCE: Duration = Duration::from_secs(20);

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [wayfarer, rounds, pids @ ..] = &words[..] else {
        return Err("usage: halt WAYFARER ROUNDS PID…".into());
    };
    let rounds: usize = rounds.parse()?;
    let pids: Vec<u32> = pids
        .iter()
        .map(|pid| pid.parse())
        .collect::<Result<_, _>>()?;
    let socket = std::env::temp_dir().join(format!("wayfarer-halt-{}", std::process::id()));
    let mut agent = Command::new(wayfarer)
        .arg("agent")
        .arg("--socket")
        .arg(&socket)
        .stdin(Stdio::null())
        .spawn()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let measured = runtime.block_on(measure(socket, rounds, pids));
    // The agent ends with the connection.
    runtime.shutdown_timeout(Duration::from_millis(100));
    reap(&mut agent);
    measured
}

async fn measure(socket: PathBuf, rounds: usize, pids: Vec<u32>) -> Result<(), Box<dyn Error>> {
    let mut client = AgentClient::new(connect(socket).await?)
        .max_decoding_message_size(wire::MAXIMUM_MESSAGE)
        .max_encoding_message_size(wire::MAXIMUM_MESSAGE);
    let hello = wire::OpenRequest {
        protocol_version: wire::PROTOCOL_VERSION,
        debugger: "halt".into(),
    };
    let session = client.open(hello).await?.into_inner().session;
    let mut events = client
        .events(wire::EventsRequest { session })
        .await?
        .into_inner();
    tokio::spawn(async move { while let Ok(Some(_)) = events.message().await {} });
    let attached = client
        .attach(wire::AttachRequest { session, pids })
        .await?
        .into_inner();
    if let Some(failure) = attached.results.iter().find_map(|one| one.failure.as_ref()) {
        return Err(failure.message.clone().into());
    }
    for _ in 0..rounds {
        let began = Instant::now();
        client
            .resume(wire::ResumeRequest {
                session,
                actions: vec![wire::ResumeAction {
                    targets: Some(wire::Targets::everybody()),
                    action: Some(wire::resume_action::Action::Continue(wire::Continue {})),
                    signal: None,
                }],
            })
            .await?;
        let resumed = began.elapsed();
        tokio::time::sleep(RUN).await;
        let began = Instant::now();
        let halted = client
            .halt(wire::HaltRequest {
                session,
                targets: Some(wire::Targets::everybody()),
            })
            .await?
            .into_inner();
        let answered = began.elapsed();
        println!(
            "{} {:.3} {:.3} {:.3}",
            halted.threads,
            halted.first_to_last_ns as f64 / 1e6,
            answered.as_secs_f64() * 1e3,
            resumed.as_secs_f64() * 1e3,
        );
    }
    Ok(())
}

async fn connect(socket: PathBuf) -> Result<Channel, Box<dyn Error>> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let socket = socket.clone();
        let connector = tower::service_fn(move |_| {
            let socket = socket.clone();
            async move { UnixStream::connect(socket).await.map(TokioIo::new) }
        });
        let connected = Endpoint::from_static("http://agent")
            .connect_with_connector(connector)
            .await;
        match connected {
            Ok(channel) => return Ok(channel),
            Err(error) if Instant::now() > deadline => return Err(error.into()),
            Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    }
}

fn reap(agent: &mut Child) {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline && matches!(agent.try_wait(), Ok(None)) {
        std::thread::sleep(Duration::from_millis(2));
    }
    if matches!(agent.try_wait(), Ok(None)) {
        let _ = agent.kill();
        let _ = agent.wait();
    }
}
