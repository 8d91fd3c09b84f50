//! Starts a process under a watchdog and collects what it says.

use crate::failure::Failure;
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// How long a process may take: enough for a loaded machine, short enough to notice a hang.
/// `WAYFARER_PATIENCE` (seconds) changes it.
pub fn patience() -> Duration {
    let seconds = std::env::var("WAYFARER_PATIENCE")
        .ok()
        .and_then(|text| text.parse().ok());
    Duration::from_secs(seconds.unwrap_or(30))
}

/// A process that has ended, or was ended by the watchdog.
#[derive(Debug)]
pub struct Finished {
    /// As a shell says it: the exit code, or 128 plus the signal.
    pub status: i32,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub elapsed: Duration,
    /// The watchdog had to kill it.
    pub hung: bool,
}

impl Finished {
    pub fn stderr_text(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    pub fn stdout_text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }
}

/// A started process, leader of its own process group.
pub struct Running {
    child: Child,
    outputs: [mpsc::Receiver<Vec<u8>>; 2],
    started: Instant,
    description: String,
}

impl Running {
    /// Starts `command` with `stdin` as its whole input.
    pub fn start(command: &mut Command, stdin: &[u8]) -> Result<Running, Failure> {
        let description = describe(command);
        let started = Instant::now();
        let mut child = command
            .process_group(0)
            .stdin(if stdin.is_empty() {
                Stdio::null()
            } else {
                Stdio::piped()
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| Failure(format!("cannot start {description}: {error}")))?;
        if let Some(mut input) = child.stdin.take() {
            let bytes = stdin.to_vec();
            // A program that does not read its input breaks the pipe: its right.
            thread::spawn(move || drop(input.write_all(&bytes)));
        }
        let outputs = [gather(child.stdout.take()), gather(child.stderr.take())];
        Ok(Running {
            child,
            outputs,
            started,
            description,
        })
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Has it ended by itself?
    pub fn has_ended(&mut self) -> Result<bool, Failure> {
        Ok(self.child.try_wait()?.is_some())
    }

    /// Sends a signal to the process alone.
    pub fn signal(&self, signal: Signal) -> Result<(), Failure> {
        let pid = Pid::from_child(&self.child);
        Ok(rustix::process::kill_process(pid, signal)?)
    }

    /// Sends a signal to the process and all that it started, as a terminal does.
    pub fn signal_group(&self, signal: Signal) -> Result<(), Failure> {
        Ok(kill_process_group(Pid::from_child(&self.child), signal)?)
    }

    /// Waits for the end; after `limit` the whole process group is killed.
    pub fn wait(mut self, limit: Duration) -> Result<Finished, Failure> {
        let deadline = self.started + limit;
        let mut hung = false;
        let status = loop {
            if let Some(status) = self.child.try_wait()? {
                break status;
            }
            if Instant::now() > deadline {
                hung = true;
                let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
                break self.child.wait()?;
            }
            thread::sleep(Duration::from_millis(1));
        };
        let elapsed = self.started.elapsed();
        let [stdout, stderr] = self.outputs.map(|output| {
            // Descendants that outlive the process may still hold the pipe.
            let left = deadline.saturating_duration_since(Instant::now()) + Duration::from_secs(2);
            output.recv_timeout(left).ok()
        });
        if stdout.is_none() || stderr.is_none() {
            hung = true;
            eprintln!("{}: a process still holds its output", self.description);
        }
        Ok(Finished {
            status: shell_status(status),
            stdout: stdout.unwrap_or_default(),
            stderr: stderr.unwrap_or_default(),
            elapsed,
            hung,
        })
    }
}

/// Starts a process and waits for its end.
pub fn run(command: &mut Command, stdin: &[u8], limit: Duration) -> Result<Finished, Failure> {
    Running::start(command, stdin)?.wait(limit)
}

/// A command line that a person can paste.
pub fn describe(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy().into_owned()];
    words.extend(command.get_args().map(|word| {
        let word = word.to_string_lossy();
        let plain = word
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || "-_./=:,".contains(letter));
        if plain && !word.is_empty() {
            word.into_owned()
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    }));
    words.join(" ")
}

fn shell_status(status: ExitStatus) -> i32 {
    status
        .code()
        .or(status.signal().map(|signal| 128 + signal))
        .unwrap_or(-1)
}

fn gather(stream: Option<impl Read + Send + 'static>) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            let _ = stream.read_to_end(&mut bytes);
        }
        let _ = sender.send(bytes);
    });
    receiver
}
