//! A debugger of the simplest kind for the tests: starts an agent, speaks the protocol, waits for events.

#![allow(dead_code)]

use hyper_util::rt::TokioIo;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use tokio::net::UnixStream;
use tokio::runtime::Runtime;
use tonic::Streaming;
use tonic::transport::{Channel, Endpoint};
use wayfarer_protocol as wire;
use wire::agent_client::AgentClient;
use wire::event::Kind;
use wire::stop_reason::Reason;

pub const PATIENCE: Duration = Duration::from_secs(20);

/// A folder of this test's own. Numbers of processes come again, so what an earlier run has left is passed over.
pub fn scratch() -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}-{number}", std::process::id());
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        match std::fs::create_dir(&folder) {
            Ok(()) => return folder,
            Err(error) => assert_eq!(error.kind(), ErrorKind::AlreadyExists, "{error}"),
        }
    }
}

/// Compiles one of the programs beside this file; the executable.
pub fn program(name: &str, flags: &[&str]) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/programs")
        .join(format!("{name}.c"));
    let executable = scratch().join(name);
    let status = Command::new("cc")
        .args(["-g", "-O0", "-no-pie", "-pthread", "-o"])
        .arg(&executable)
        .arg(&source)
        .args(flags)
        .status()
        .expect("cc is installed");
    assert!(status.success());
    executable
}

/// The link-time address of a symbol.
pub fn symbol(executable: &Path, name: &str) -> u64 {
    let output = Command::new("nm")
        .arg(executable)
        .output()
        .expect("nm is installed");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text
        .lines()
        .find(|line| line.split_whitespace().nth(2) == Some(name))
        .unwrap_or_else(|| panic!("{name} is not in {}", executable.display()));
    u64::from_str_radix(line.split_whitespace().next().unwrap(), 16).unwrap()
}

/// The example that serves as the agent is not part of what `--test` builds.
fn build_agent(path: &std::path::Path) {
    if path.exists() {
        return;
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args([
            "build",
            "--quiet",
            "-p",
            "wayfarer-agent",
            "--example",
            "agent",
        ])
        .stdin(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "the agent of the tests does not build");
}

/// An agent and a session with it.
pub struct Session {
    runtime: Runtime,
    pub client: AgentClient<Channel>,
    events: Option<Streaming<wire::Event>>,
    queue: VecDeque<wire::Event>,
    pub agent: Child,
    pub worker_pid: u32,
    pub id: u64,
    next_breakpoint: u64,
}

impl Session {
    pub fn start() -> Session {
        let socket = scratch().join("agent.sock");
        let executable = std::env::current_exe().unwrap();
        let agent_path = executable
            .parent()
            .unwrap()
            .parent()
            .unwrap()
            .join("examples/agent");
        build_agent(&agent_path);
        let agent = Command::new(agent_path)
            .arg(&socket)
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let (client, events, opened) = runtime.block_on(async {
            let deadline = Instant::now() + PATIENCE;
            let channel = loop {
                let socket = socket.clone();
                let connector = tower::service_fn(move |_| {
                    let socket = socket.clone();
                    async move { UnixStream::connect(socket).await.map(TokioIo::new) }
                });
                match Endpoint::from_static("http://agent")
                    .connect_with_connector(connector)
                    .await
                {
                    Ok(channel) => break channel,
                    Err(error) => assert!(Instant::now() < deadline, "no agent: {error}"),
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            };
            let mut client =
                AgentClient::new(channel).max_decoding_message_size(wire::MAXIMUM_MESSAGE);
            let opened = client
                .open(wire::OpenRequest {
                    protocol_version: wire::PROTOCOL_VERSION,
                    debugger: "test".into(),
                })
                .await
                .unwrap()
                .into_inner();
            let events = client
                .events(wire::EventsRequest {
                    session: opened.session,
                })
                .await
                .unwrap()
                .into_inner();
            (client, events, opened)
        });
        Session {
            runtime,
            client,
            events: Some(events),
            queue: VecDeque::new(),
            agent,
            worker_pid: opened.agent_pid,
            id: opened.session,
            next_breakpoint: 0,
        }
    }

    /// The next event, waited for.
    pub fn event(&mut self) -> wire::Event {
        if let Some(event) = self.queue.pop_front() {
            return event;
        }
        let events = self.events.as_mut().unwrap();
        self.runtime
            .block_on(async { tokio::time::timeout(PATIENCE, events.message()).await })
            .expect("an event in time")
            .expect("a stream")
            .expect("an event")
    }

    /// Skips events up to one that fits.
    pub fn until<T>(&mut self, mut fits: impl FnMut(&Kind) -> Option<T>) -> T {
        loop {
            let event = self.event();
            if let Some(found) = event.kind.as_ref().and_then(&mut fits) {
                return found;
            }
        }
    }

    /// The next stop.
    pub fn stop(&mut self) -> wire::Stopped {
        self.until(|kind| match kind {
            Kind::Stopped(stopped) => Some(stopped.clone()),
            Kind::ProcessExited(exit) => panic!("exited instead of stopping: {exit:?}"),
            _ => None,
        })
    }

    /// The reason of the next stop, and the thread.
    pub fn stop_reason(&mut self) -> (wire::ThreadStop, Reason) {
        let stopped = self.stop();
        let cause = stopped.causes[0].clone();
        let reason = cause.reason.clone().unwrap().reason.unwrap();
        (cause, reason)
    }

    /// The exit of a process.
    pub fn exit(&mut self) -> wire::process_exited::How {
        self.until(|kind| match kind {
            Kind::ProcessExited(exit) => exit.how,
            Kind::Stopped(stopped) => panic!("stopped instead of exiting: {:?}", stopped.causes),
            _ => None,
        })
    }

    pub fn launch(&mut self, executable: &Path, arguments: &[&str]) -> wire::Process {
        let mut words = vec![executable.display().to_string().into_bytes()];
        words.extend(arguments.iter().map(|word| word.as_bytes().to_vec()));
        let request = self.launch_request(words);
        let reply = self.call(|client, _| Box::pin(client.launch(request)));
        reply.process.unwrap()
    }

    /// Why a program could not be started.
    pub fn launch_failure(&mut self, program: &str) -> wayfarer_backend::Failure {
        let request = self.launch_request(vec![program.as_bytes().to_vec()]);
        let answer = self.runtime.block_on(self.client.launch(request));
        wire::failure_of(&answer.expect_err("a failure"))
    }

    fn launch_request(&self, arguments: Vec<Vec<u8>>) -> wire::LaunchRequest {
        let variable = |(name, value): (OsString, OsString)| {
            [name.as_bytes(), b"=", value.as_bytes()].concat()
        };
        wire::LaunchRequest {
            session: self.id,
            arguments,
            environment: std::env::vars_os().map(variable).collect(),
            ..Default::default()
        }
    }

    pub fn attach(&mut self, pids: &[u32]) -> wire::AttachReply {
        let pids = pids.to_vec();
        self.call(|client, session| Box::pin(client.attach(wire::AttachRequest { session, pids })))
    }

    /// Attaches; whether the agent lived to tell.
    pub fn try_attach(&mut self, pids: &[u32]) -> bool {
        let request = wire::AttachRequest {
            session: self.id,
            pids: pids.to_vec(),
        };
        self.runtime.block_on(self.client.attach(request)).is_ok()
    }

    /// Calls a function without arguments; whether the agent lived to tell.
    pub fn try_call(&mut self, thread: u64, function: u64) -> bool {
        let request = wire::InferiorCallRequest {
            session: self.id,
            thread,
            function,
            timeout_ms: Some(20_000),
            ..Default::default()
        };
        let reply = self.runtime.block_on(self.client.inferior_call(request));
        reply.is_ok_and(|reply| reply.into_inner().interruption.is_none())
    }

    /// Detaches from everybody; whether the agent lived to tell.
    pub fn try_detach(&mut self) -> bool {
        let request = wire::DetachRequest {
            session: self.id,
            targets: Some(wire::Targets::everybody()),
        };
        self.runtime.block_on(self.client.detach(request)).is_ok()
    }

    /// One call of the protocol.
    pub fn call<T>(
        &mut self,
        call: impl for<'a> FnOnce(
            &'a mut AgentClient<Channel>,
            u64,
        ) -> std::pin::Pin<
            Box<dyn Future<Output = Result<tonic::Response<T>, tonic::Status>> + 'a>,
        >,
    ) -> T {
        let session = self.id;
        self.runtime
            .block_on(async {
                tokio::time::timeout(PATIENCE, call(&mut self.client, session)).await
            })
            .expect("an answer in time")
            .expect("an answer")
            .into_inner()
    }

    pub fn break_at(&mut self, process: u64, address: u64) -> u64 {
        self.break_with(process, address, |_| {})
    }

    pub fn break_with(
        &mut self,
        process: u64,
        address: u64,
        change: impl FnOnce(&mut wire::InsertBreakpointRequest),
    ) -> u64 {
        self.next_breakpoint += 1;
        let id = self.next_breakpoint;
        let mut request = wire::InsertBreakpointRequest {
            session: self.id,
            id,
            places: vec![wire::BreakpointPlace {
                process,
                address,
                predicate: None,
            }],
            ..Default::default()
        };
        change(&mut request);
        let reply = self.call(|client, _| Box::pin(client.insert_breakpoint(request)));
        assert!(
            reply.results.iter().all(|result| result.failure.is_none()),
            "{reply:?}"
        );
        id
    }

    pub fn hits(&mut self, id: u64) -> wire::Hits {
        let reply = self.call(|client, session| {
            Box::pin(client.get_hits(wire::GetHitsRequest {
                session,
                ids: vec![id],
            }))
        });
        reply.hits.into_iter().next().unwrap_or_default()
    }

    pub fn remove(&mut self, id: u64) {
        self.call(|client, session| {
            Box::pin(client.remove_breakpoint(wire::RemoveBreakpointRequest {
                session,
                id,
                places: None,
            }))
        });
    }

    pub fn go(&mut self) {
        self.resume(
            wire::Targets::everybody(),
            wire::resume_action::Action::Continue(wire::Continue {}),
        );
    }

    pub fn resume(&mut self, targets: wire::Targets, action: wire::resume_action::Action) {
        let reply = self.call(|client, session| {
            Box::pin(client.resume(wire::ResumeRequest {
                session,
                actions: vec![wire::ResumeAction {
                    targets: Some(targets),
                    action: Some(action),
                    signal: None,
                }],
            }))
        });
        assert!(
            reply.results.iter().all(|result| result.failure.is_none()),
            "{reply:?}"
        );
    }

    pub fn halt(&mut self) -> wire::HaltReply {
        self.call(|client, session| {
            Box::pin(client.halt(wire::HaltRequest {
                session,
                targets: Some(wire::Targets::everybody()),
            }))
        })
    }

    /// What the agent says to a request that names nobody.
    pub fn halt_of_nobody(&mut self) -> tonic::Status {
        let request = wire::HaltRequest {
            session: self.id,
            targets: None,
        };
        let answer = self.runtime.block_on(self.client.halt(request));
        answer.expect_err("a refusal")
    }

    pub fn detach(&mut self) {
        let reply = self.call(|client, session| {
            Box::pin(client.detach(wire::DetachRequest {
                session,
                targets: Some(wire::Targets::everybody()),
            }))
        });
        assert!(
            reply.results.iter().all(|result| result.failure.is_none()),
            "{reply:?}"
        );
    }

    pub fn read(&mut self, process: u64, address: u64, length: u64) -> Vec<u8> {
        let reply = self.call(|client, session| {
            Box::pin(client.read_memory(wire::ReadMemoryRequest {
                session,
                ranges: vec![wire::MemoryRange {
                    process,
                    address,
                    length,
                }],
            }))
        });
        reply.contents[0].data.clone()
    }

    pub fn word(&mut self, process: u64, address: u64) -> u32 {
        u32::from_le_bytes(self.read(process, address, 4).try_into().unwrap())
    }

    /// Drops the connection as a debugger that dies would.
    pub fn drop_connection(mut self) -> Child {
        self.events = None;
        let client = std::mem::replace(&mut self.client, {
            let channel = self
                .runtime
                .block_on(async { Endpoint::from_static("http://nowhere").connect_lazy() });
            AgentClient::new(channel)
        });
        drop(client);
        let Session { agent, runtime, .. } = self;
        runtime.shutdown_timeout(Duration::from_secs(1));
        agent
    }
}

/// Waits for a child with a limit; its exit status.
pub fn wait_for(child: &mut Child) -> std::process::ExitStatus {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        assert!(Instant::now() < deadline, "the process does not end");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Waits until a condition holds.
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < deadline, "not in time: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}
