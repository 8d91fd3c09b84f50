//! Starts a program with the runtime inside, everything else as if the user had started it.

use std::ffi::{CString, OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;

use nix::fcntl::OFlag;
use nix::sys::resource::{Resource, getrlimit};
use nix::sys::signal::SigSet;
use nix::unistd::{Pid, pipe2};
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

/// What failed on the way into the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[repr(u8)]
pub enum Step {
    #[error("no new process")]
    Fork = 1,
    #[error(
        "address randomisation cannot be switched off (does a container forbid personality(2)?)"
    )]
    Personality = 2,
    #[error("the limits cannot be set")]
    Limits = 3,
    #[error("its descriptors cannot be set up")]
    Descriptors = 4,
    #[error("execve failed")]
    Exec = 5,
    #[error(
        "the stack limit of the recording, on which addresses depend, is above the hard limit here; raise it (ulimit -Hs)"
    )]
    StackLimit = 6,
}

impl Step {
    fn from_number(number: u8) -> Self {
        match number {
            2 => Self::Personality,
            3 => Self::Limits,
            4 => Self::Descriptors,
            5 => Self::Exec,
            6 => Self::StackLimit,
            _ => Self::Fork,
        }
    }
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

/// Everything that the new process needs, made before the fork: behind it nothing may allocate.
struct Prepared {
    path: CString,
    arguments: Vec<CString>,
    environment: Vec<CString>,
    session: RawFd,
    runtime: RawFd,
    mask: libc::sigset_t,
    descriptors: Option<u64>,
    replay: bool,
    stack_limit_bytes: Option<u64>,
}

/// Starts the program. When this returns, execve has succeeded.
pub fn start(launch: &Launch) -> Result<Pid, LaunchError> {
    let name = launch.program.path.display().to_string();
    let failed = |step, source| LaunchError::Step {
        program: name.clone(),
        step,
        source,
    };
    let strings = |texts: &[OsString]| {
        texts
            .iter()
            .map(|text| {
                CString::new(text.as_bytes()).map_err(|_| LaunchError::ZeroByte {
                    program: name.clone(),
                })
            })
            .collect::<Result<Vec<_>, _>>()
    };
    let prepared = Prepared {
        path: strings(&[launch.program.path.clone().into_os_string()])?.remove(0),
        arguments: strings(&launch.program.arguments)?,
        environment: strings(&session_environment(
            launch.environment,
            launch.process,
            launch.padding,
        ))?,
        session: launch.session.as_raw_fd(),
        runtime: launch.runtime.as_raw_fd(),
        mask: *launch.mask.as_ref(),
        descriptors: needed_descriptor_limit()?,
        replay: launch.replay,
        stack_limit_bytes: launch.stack_limit_bytes,
    };
    let arguments = pointers(&prepared.arguments);
    let environment = pointers(&prepared.environment);
    let (report, child_report) =
        pipe2(OFlag::O_CLOEXEC).map_err(|error| failed(Step::Fork, error.into()))?;
    // SAFETY: the child calls only async-signal-safe functions and leaves by execve or _exit.
    let pid = unsafe { libc::fork() };
    match pid {
        -1 => return Err(failed(Step::Fork, io::Error::last_os_error())),
        0 => become_program(&prepared, &arguments, &environment, child_report),
        _ => {}
    }
    drop(child_report);
    let mut message = [0u8; 5];
    match File::from(report).read_exact(&mut message) {
        // The pipe closed without a word: the exec went through.
        Err(_) => Ok(Pid::from_raw(pid)),
        Ok(()) => {
            // The child is gone; only its status is to be collected.
            let _ = nix::sys::wait::waitpid(Pid::from_raw(pid), None);
            let errno = i32::from_le_bytes([message[1], message[2], message[3], message[4]]);
            Err(failed(
                Step::from_number(message[0]),
                io::Error::from_raw_os_error(errno),
            ))
        }
    }
}

fn pointers(strings: &[CString]) -> Vec<*const libc::c_char> {
    strings
        .iter()
        .map(|text| text.as_ptr())
        .chain([std::ptr::null()])
        .collect()
}

/// The child's part: only async-signal-safe calls, no allocation.
fn become_program(
    prepared: &Prepared,
    arguments: &[*const libc::c_char],
    environment: &[*const libc::c_char],
    report: OwnedFd,
) -> ! {
    // SAFETY: plain system calls on values that live until execve; the arrays end in null.
    let failure = unsafe { steps(prepared, arguments, environment) };
    let errno = io::Error::last_os_error()
        .raw_os_error()
        .unwrap_or(0)
        .to_le_bytes();
    let message = [failure as u8, errno[0], errno[1], errno[2], errno[3]];
    // SAFETY: writes five bytes of an array, then ends the process without running destructors.
    unsafe {
        libc::write(report.as_raw_fd(), message.as_ptr().cast(), message.len());
        libc::_exit(127)
    }
}

/// # Safety
/// In a child of fork; the arrays hold pointers to zero-terminated strings and end in null.
unsafe fn steps(
    prepared: &Prepared,
    arguments: &[*const libc::c_char],
    environment: &[*const libc::c_char],
) -> Step {
    // SAFETY: as above; every call takes plain values or pointers that live until execve.
    unsafe {
        if libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong | current_personality()) == -1
        {
            return Step::Personality;
        }
        if let Some(soft) = prepared.descriptors
            && !set_soft_limit(libc::RLIMIT_NOFILE, soft)
        {
            return Step::Limits;
        }
        if let Some(soft) = prepared.stack_limit_bytes
            && !set_soft_limit(libc::RLIMIT_STACK, soft)
        {
            return Step::StackLimit;
        }
        if prepared.replay {
            let none = libc::rlimit {
                rlim_cur: 0,
                rlim_max: 0,
            };
            libc::setrlimit(libc::RLIMIT_CORE, &none);
            // A replay serves nobody once its host is gone.
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            let empty = libc::open(c"/dev/null".as_ptr(), libc::O_RDONLY);
            if empty > 0 && (libc::dup2(empty, 0) == -1 || libc::close(empty) == -1) {
                return Step::Descriptors;
            }
        }
        // The originals close at exec, the copies do not.
        if libc::dup2(prepared.session, SESSION_FD) == -1
            || libc::dup2(prepared.runtime, RUNTIME_FD) == -1
        {
            return Step::Descriptors;
        }
        if !prepared.replay {
            for descriptor in inherited::closed_descriptors() {
                libc::close(descriptor);
            }
        }
        let disposition = |ignored: bool| {
            if ignored {
                libc::SIG_IGN
            } else {
                libc::SIG_DFL
            }
        };
        libc::signal(libc::SIGPIPE, disposition(inherited::sigpipe_was_ignored()));
        libc::signal(libc::SIGCHLD, disposition(inherited::sigchld_was_ignored()));
        libc::sigprocmask(libc::SIG_SETMASK, &prepared.mask, std::ptr::null_mut());
        libc::execve(
            prepared.path.as_ptr(),
            arguments.as_ptr(),
            environment.as_ptr(),
        );
        Step::Exec
    }
}

/// Sets a soft limit, and the hard one only where it is too low; whether it could.
fn set_soft_limit(resource: libc::__rlimit_resource_t, soft: u64) -> bool {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: both calls take a struct on this stack.
    unsafe {
        libc::getrlimit(resource, &mut limit);
        limit.rlim_cur = soft;
        limit.rlim_max = limit.rlim_max.max(soft);
        libc::setrlimit(resource, &limit) == 0
    }
}

fn current_personality() -> libc::c_ulong {
    // SAFETY: this value only asks.
    let now = unsafe { libc::personality(0xffff_ffff) };
    if now == -1 { 0 } else { now as libc::c_ulong }
}
