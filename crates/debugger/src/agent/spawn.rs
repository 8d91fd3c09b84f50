//! Starting an agent on demand, and its end.

use std::ffi::OsString;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::Arc;
use std::time::{Duration, Instant};

use wayfarer_backend::{Backend, Listener};

use super::grpc::GrpcLink;
use crate::{AgentStart, DebuggerError, Options, Result};

/// How long an agent may take to end after its session.
const FAREWELL: Duration = Duration::from_secs(5);

/// An agent that we started; it ends with us.
pub(crate) struct AgentProcess {
    child: Child,
    directory: PathBuf,
}

/// Connects to the agent, starting it first when the options say so.
pub(crate) fn connect(
    options: &Options,
    listener: Arc<dyn Listener>,
) -> Result<(Arc<dyn Backend>, Option<AgentProcess>)> {
    let program = match &options.agent {
        AgentStart::Socket(socket) => {
            let link = GrpcLink::open(socket, options.start_timeout, listener, &mut || Ok(()))?;
            return Ok((Arc::new(link), None));
        }
        AgentStart::Program(words) => words.clone(),
        AgentStart::ThisProgram => {
            let this = std::env::current_exe()
                .map_err(|error| DebuggerError::AgentStart(error.to_string()))?;
            vec![this.into_os_string(), OsString::from("agent")]
        }
    };
    let directory = private_directory()?;
    let socket = directory.join("agent.sock");
    let mut agent = start(&program, &socket, directory)?;
    let mut alive = || match agent.child.try_wait() {
        Ok(Some(status)) => Err(DebuggerError::AgentStart(format!("it ended with {status}"))),
        _ => Ok(()),
    };
    let link = GrpcLink::open(&socket, options.start_timeout, listener, &mut alive)?;
    Ok((Arc::new(link), Some(agent)))
}

fn start(program: &[OsString], socket: &Path, directory: PathBuf) -> Result<AgentProcess> {
    let [first, rest @ ..] = program else {
        return Err(DebuggerError::AgentStart("no program is given".to_owned()));
    };
    let child = Command::new(first)
        .args(rest)
        .arg("--socket")
        .arg(socket)
        .spawn()
        .map_err(|error| {
            DebuggerError::AgentStart(format!("{}: {error}", first.to_string_lossy()))
        })?;
    Ok(AgentProcess { child, directory })
}

/// A directory that only we can enter, so that nobody else can speak to the agent.
fn private_directory() -> Result<PathBuf> {
    let base = std::env::var_os("XDG_RUNTIME_DIR")
        .map(PathBuf::from)
        .filter(|directory| directory.is_dir())
        .unwrap_or_else(std::env::temp_dir);
    for attempt in 0..100u32 {
        let directory = base.join(format!("wayfarer-{}-{attempt}", std::process::id()));
        match std::fs::DirBuilder::new().mode(0o700).create(&directory) {
            Ok(()) => return Ok(directory),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                return Err(DebuggerError::AgentStart(format!(
                    "{}: {error}",
                    directory.display()
                )));
            }
        }
    }
    Err(DebuggerError::AgentStart(format!(
        "no free name for a socket in {}",
        base.display()
    )))
}

impl Drop for AgentProcess {
    fn drop(&mut self) {
        let deadline = Instant::now() + FAREWELL;
        while Instant::now() < deadline && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(2));
        }
        if matches!(self.child.try_wait(), Ok(None)) {
            // It holds nothing any more: its session ended before this drop.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}
