//! Says how a program is started with the runtime inside, everything else as if the user had started it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use nix::sys::resource::{Resource, getrlimit};
use nix::sys::signal::{SigSet, Signal};
use nix::unistd::Pid;
use wayfarer_ptrace::launch::{Refused, Step};
use wayfarer_ptrace::{Actions, Inheritance};
use wayfarer_runtime_abi::{PRELOAD_PATH, RUNTIME_FD, SESSION_FD, SESSION_VARIABLE};

use crate::inherited;
use crate::program::Program;

const PRELOAD_VARIABLE: &[u8] = b"LD_PRELOAD=";
/// The soft limit to ask for where the inherited one leaves no room for our descriptors.
const WANTED_DESCRIPTORS: u64 = 1024;

/// Why a program was not started.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    #[error("cannot start {program}: {step}: {source}")]
    Step {
        program: String,
        step: Step,
        source: io::Error,
    },
    #[error(
        "at most {hard} descriptors are allowed here, and Wayfarer needs numbers {SESSION_FD} and {RUNTIME_FD}; raise the hard limit (ulimit -H -n {WANTED_DESCRIPTORS})"
    )]
    TooFewDescriptors { hard: u64 },
    #[error("cannot start {program}: it, an argument or a variable contains a zero byte")]
    ZeroByte { program: String },
}

/// What a program is started with.
pub struct Launch<'a> {
    pub program: &'a Program,
    /// `NAME=value` each, without ours.
    pub environment: &'a [OsString],
    /// Its number in the session.
    pub process: u32,
    /// Dots behind the process number in our variable; see `SESSION_VARIABLE`.
    pub padding: usize,
    pub session: &'a File,
    pub runtime: &'a File,
    /// The signal mask that the program inherits.
    pub mask: &'a SigSet,
    /// A replay: standard input is empty and a crash leaves no core file.
    pub replay: bool,
    /// Soft limit on the stack, where it must be another than ours.
    pub stack_limit_bytes: Option<u64>,
}

impl Launch<'_> {
    /// How whoever holds processes on this host starts it: the recorder untraced, an agent traced. The descriptors of
    /// session and runtime must stay open until then.
    pub fn specification(&self) -> Result<wayfarer_ptrace::Launch, LaunchError> {
        let bytes = |text: &OsString| text.clone().into_vec();
        let environment = session_environment(self.environment, self.process, self.padding);
        let strings = self.program.arguments.iter().chain(&environment);
        let path = self.program.path.as_os_str();
        if path.as_bytes().contains(&0)
            || strings.into_iter().any(|text| text.as_bytes().contains(&0))
        {
            return Err(LaunchError::ZeroByte {
                program: self.program.path.display().to_string(),
            });
        }
        let closed = match self.replay {
            true => Vec::new(),
            false => inherited::closed_descriptors().collect(),
        };
        let blocked = Signal::iterator().filter(|signal| self.mask.contains(*signal));
        Ok(wayfarer_ptrace::Launch {
            program: Some(self.program.path.clone()),
            arguments: self.program.arguments.iter().map(bytes).collect(),
            environment: Some(environment.iter().map(bytes).collect()),
            inheritance: Inheritance {
                descriptors: vec![
                    (self.session.as_raw_fd(), SESSION_FD),
                    (self.runtime.as_raw_fd(), RUNTIME_FD),
                ],
                closed,
                descriptor_limit: needed_descriptor_limit()?,
                stack_limit_bytes: self.stack_limit_bytes,
                exact_addresses: true,
                confined: self.replay,
                actions: Actions::Ours(vec![
                    (libc::SIGPIPE, inherited::sigpipe_was_ignored()),
                    (libc::SIGCHLD, inherited::sigchld_was_ignored()),
                ]),
                blocked: blocked.map(|signal| signal as i32).collect(),
            },
            ..wayfarer_ptrace::Launch::default()
        })
    }
}

/// The environment of a program of the session: its own without its `LD_PRELOAD`, then ours, with its
/// preloads behind our library.
pub fn session_environment(
    environment: &[OsString],
    process: u32,
    padding: usize,
) -> Vec<OsString> {
    let session_prefix = format!("{SESSION_VARIABLE}=");
    let is_preload = |entry: &OsString| entry.as_bytes().starts_with(PRELOAD_VARIABLE);
    let mut result: Vec<OsString> = environment
        .iter()
        .filter(|entry| {
            !is_preload(entry) && !entry.as_bytes().starts_with(session_prefix.as_bytes())
        })
        .cloned()
        .collect();
    let mut preload = OsString::from("LD_PRELOAD=");
    preload.push(PRELOAD_PATH);
    let own = environment
        .iter()
        .find(|entry| is_preload(entry))
        .map(|entry| &entry.as_bytes()[PRELOAD_VARIABLE.len()..]);
    if let Some(own) = own.filter(|own| !own.is_empty()) {
        preload.push(":");
        preload.push(OsStr::from_bytes(own));
    }
    result.push(preload);
    result.push(OsString::from(format!(
        "{session_prefix}{process:08x}{}",
        ".".repeat(padding)
    )));
    result
}

/// The soft limit on descriptors to set in the program; `None`: the inherited one will do.
pub fn needed_descriptor_limit() -> Result<Option<u64>, LaunchError> {
    let least = RUNTIME_FD as u64 + 1;
    match getrlimit(Resource::RLIMIT_NOFILE) {
        Ok((soft, _)) if soft >= least => Ok(None),
        Ok((_, hard)) if hard >= least => Ok(Some(hard.min(WANTED_DESCRIPTORS))),
        Ok((_, hard)) => Err(LaunchError::TooFewDescriptors { hard }),
        // The limit cannot be read: the descriptors themselves will tell.
        Err(_) => Ok(None),
    }
}

/// Starts the program, untraced. When this returns, execve has succeeded.
pub fn start(launch: &Launch) -> Result<Pid, LaunchError> {
    start_as(&launch.specification()?)
}

/// The same with everything said already.
pub fn start_as(launch: &wayfarer_ptrace::Launch) -> Result<Pid, LaunchError> {
    match wayfarer_ptrace::start(launch) {
        Ok(tid) => Ok(Pid::from_raw(tid.0)),
        Err(Refused { step, source }) => Err(LaunchError::Step {
            program: launch
                .program
                .as_ref()
                .map_or_else(String::new, |path| path.display().to_string()),
            step,
            source,
        }),
    }
}
