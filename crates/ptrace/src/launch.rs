//! Starting a program: the one way in which anything of ours starts another program.
//!
//! A program that is to be traced waits until it is seized, then execs; it is reported with [`crate::Stop::Exec`]
//! before its first instruction. Seizing instead of PTRACE_TRACEME keeps job control and signals as they are. A program
//! that is only recorded is started the same way, and runs at once.

use crate::attach::options;
use crate::error::Error;
use crate::thread::{Tid, request};
use std::ffi::{CString, OsStr};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr;

/// A program to start.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    /// The file to run; `None`: what the first argument means, as execvp finds it.
    pub program: Option<PathBuf>,
    /// Program and arguments, the name of the program first.
    pub arguments: Vec<Vec<u8>>,
    /// `NAME=value`; `None`: as ours.
    pub environment: Option<Vec<Vec<u8>>>,
    /// Where it starts; `None`: where we are.
    pub directory: Option<PathBuf>,
    /// Leave the layout of its memory to chance.
    pub randomize: bool,
    /// Files for its standard streams; `None`: ours.
    pub streams: [Option<PathBuf>; 3],
    /// A process group of its own, in the foreground of the terminal if stdin is one.
    pub own_process_group: bool,
    /// What it inherits besides.
    pub inheritance: Inheritance,
}

/// What a program inherits of ours, and what not.
#[derive(Clone, Debug, Default)]
pub struct Inheritance {
    /// Descriptors of ours, each with the number that it has there.
    pub descriptors: Vec<(RawFd, RawFd)>,
    /// Descriptors that it shall not have.
    pub closed: Vec<RawFd>,
    /// Soft limit on descriptors; `None`: ours.
    pub descriptor_limit: Option<u64>,
    /// Soft limit on the stack, on which addresses depend; `None`: ours.
    pub stack_limit_bytes: Option<u64>,
    /// A layout of memory that is left to chance is a failure.
    pub exact_addresses: bool,
    /// Its standard input is empty, a crash leaves no core file, and it dies with the thread that starts it.
    pub confined: bool,
    /// What its signals do at first.
    pub actions: Actions,
    /// Signals that it blocks.
    pub blocked: Vec<i32>,
}

/// What the signals of a program do at first.
#[derive(Clone, Debug, Default)]
pub enum Actions {
    /// All have their default action.
    #[default]
    Default,
    /// As ours, but for these, which are ignored or not.
    Ours(Vec<(i32, bool)>),
}

/// What failed on the way into the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[repr(u8)]
pub enum Step {
    /// No process could be made.
    #[error("no new process")]
    Fork = 1,
    /// personality(2) was refused.
    #[error(
        "address randomisation cannot be switched off (does a container forbid personality(2)?)"
    )]
    Personality = 2,
    /// A limit was refused.
    #[error("the limits cannot be set")]
    Limits = 3,
    /// A descriptor could not be copied or opened.
    #[error("its descriptors cannot be set up")]
    Descriptors = 4,
    /// There is no such program, or it cannot be run.
    #[error("execve failed")]
    Exec = 5,
    /// The stack limit is above what is allowed here.
    #[error(
        "the stack limit of the recording, on which addresses depend, is above the hard limit here; raise it (ulimit -Hs)"
    )]
    StackLimit = 6,
    /// It cannot be traced.
    #[error("it cannot be traced")]
    Seize = 7,
}

impl Step {
    fn from_number(number: u8) -> Step {
        const STEPS: [Step; 6] = [
            Step::Personality,
            Step::Limits,
            Step::Descriptors,
            Step::Exec,
            Step::StackLimit,
            Step::Seize,
        ];
        let known = STEPS.into_iter().find(|step| *step as u8 == number);
        known.unwrap_or(Step::Fork)
    }
}

/// Why a program was not started.
#[derive(Debug)]
pub struct Refused {
    /// How far it came.
    pub step: Step,
    /// What the kernel said.
    pub source: io::Error,
}

/// Starts it in our hands; the answer is its process id. Its stop at exec is reported by [`crate::wait()`].
pub fn launch(what: &Launch) -> Result<Tid, Error> {
    begin(what, true).map_err(|Refused { step, source }| {
        let name = what.arguments.first();
        let program = name.map(|name| String::from_utf8_lossy(name).into_owned());
        Error::Launch {
            program: program.unwrap_or_default(),
            step,
            source,
        }
    })
}

/// Starts it untraced; the answer is its process id. When this returns, execve has succeeded.
pub fn start(what: &Launch) -> Result<Tid, Refused> {
    begin(what, false)
}

fn begin(what: &Launch, traced: bool) -> Result<Tid, Refused> {
    let unusable = |source| Refused {
        step: Step::Exec,
        source,
    };
    let prepared = prepare(what).map_err(unusable)?;
    spawn(&prepared, traced)
}

/// Everything that the child needs, made before the fork: the child may not allocate.
struct Prepared {
    candidates: Vec<CString>,
    arguments: Pointers,
    environment: Pointers,
    directory: Option<CString>,
    streams: [Option<OwnedFd>; 3],
    randomize: bool,
    own_process_group: bool,
    inheritance: Inheritance,
}

struct Pointers {
    _strings: Vec<CString>,
    pointers: Vec<*const libc::c_char>,
}

impl Pointers {
    fn new(strings: Vec<Vec<u8>>) -> io::Result<Pointers> {
        let strings = strings
            .into_iter()
            .map(CString::new)
            .collect::<Result<Vec<_>, _>>()?;
        let mut pointers: Vec<_> = strings.iter().map(|string| string.as_ptr()).collect();
        pointers.push(ptr::null());
        Ok(Pointers {
            _strings: strings,
            pointers,
        })
    }
}

fn prepare(what: &Launch) -> io::Result<Prepared> {
    let environment = what.environment.clone().unwrap_or_else(our_environment);
    let candidates = match (&what.program, what.arguments.first()) {
        (Some(path), _) => vec![CString::new(path.as_os_str().as_bytes())?],
        (None, Some(name)) if !name.is_empty() => candidates(name, &environment)?,
        _ => return Err(io::Error::from_raw_os_error(libc::ENOENT)),
    };
    let open = |number: usize| -> io::Result<Option<OwnedFd>> {
        let Some(path) = &what.streams[number] else {
            return Ok(None);
        };
        let file = if number == 0 {
            File::open(path)
        } else {
            File::options()
                .write(true)
                .create(true)
                .truncate(true)
                .open(path)
        };
        file.map(|file| Some(file.into()))
    };
    Ok(Prepared {
        candidates,
        arguments: Pointers::new(what.arguments.clone())?,
        environment: Pointers::new(environment)?,
        directory: match &what.directory {
            Some(directory) => Some(CString::new(directory.as_os_str().as_bytes())?),
            None => None,
        },
        streams: [open(0)?, open(1)?, open(2)?],
        randomize: what.randomize,
        own_process_group: what.own_process_group,
        inheritance: what.inheritance.clone(),
    })
}

fn our_environment() -> Vec<Vec<u8>> {
    std::env::vars_os()
        .map(|(name, value)| [name.as_bytes(), b"=", value.as_bytes()].concat())
        .collect()
}

/// The files that the name may mean, as execvp would try them.
fn candidates(name: &[u8], environment: &[Vec<u8>]) -> io::Result<Vec<CString>> {
    if name.contains(&b'/') {
        return Ok(vec![CString::new(name)?]);
    }
    let path = environment
        .iter()
        .find_map(|variable| variable.strip_prefix(b"PATH="))
        .unwrap_or(b"/bin:/usr/bin");
    path.split(|byte| *byte == b':')
        .map(|folder| {
            let folder = if folder.is_empty() { b"." } else { folder };
            let path = Path::new(OsStr::from_bytes(folder)).join(OsStr::from_bytes(name));
            Ok(CString::new(path.as_os_str().as_bytes())?)
        })
        .collect()
}

fn spawn(prepared: &Prepared, traced: bool) -> Result<Tid, Refused> {
    let failed = |step| move |source| Refused { step, source };
    let (go_reader, mut go_writer) = pipe().map_err(failed(Step::Fork))?;
    let (mut failure_reader, failure_writer) = pipe().map_err(failed(Step::Fork))?;
    // SAFETY: the child calls only async-signal-safe functions on data made before, and ends by exec or _exit.
    let child = unsafe { libc::fork() };
    if child < 0 {
        return Err(failed(Step::Fork)(io::Error::last_os_error()));
    }
    if child == 0 {
        // SAFETY: see above; this is the child, alone in its copy of the process.
        unsafe {
            libc::close(go_writer.as_raw_fd());
            run_child(prepared, go_reader.as_raw_fd(), failure_writer.as_raw_fd())
        }
    }
    drop(failure_writer);
    drop(go_reader);
    let tid = Tid(child);
    if traced && let Err(source) = seize(tid) {
        return Err(failed(Step::Seize)(source));
    }
    // A child that has gone already says why through the other pipe.
    let _ = go_writer.write_all(&[1]);
    drop(go_writer);
    let mut message = [0; 5];
    match failure_reader.read_exact(&mut message) {
        // Closed by a successful exec.
        Err(_) => Ok(tid),
        Ok(()) => {
            // SAFETY: the child is ours; it is on its way to its end.
            unsafe { reap(child) };
            let [step, number @ ..] = message;
            let source = io::Error::from_raw_os_error(i32::from_ne_bytes(number));
            Err(failed(Step::from_number(step))(source))
        }
    }
}

/// Takes a child that waits for the word to go; one that cannot be taken is ended.
fn seize(child: Tid) -> io::Result<()> {
    let data = options(true) as usize;
    if request(libc::PTRACE_SEIZE, child, 0, data, "starting").is_ok() {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    // SAFETY: the child is ours and has not been waited for.
    unsafe {
        libc::kill(child.0, libc::SIGKILL);
        libc::waitpid(child.0, ptr::null_mut(), libc::__WALL);
    }
    Err(error)
}

/// Waits for a child that is about to exit, past its exit stop if it is traced.
///
/// # Safety
/// The child must be one of ours; if it is traced, by this thread.
unsafe fn reap(child: i32) {
    loop {
        let mut status = 0;
        // SAFETY: as the caller promises, the child is ours; the call stores one number.
        let answer = unsafe { libc::waitpid(child, &mut status, libc::__WALL) };
        if answer != child || libc::WIFEXITED(status) || libc::WIFSIGNALED(status) {
            return;
        }
        let _ = request(libc::PTRACE_CONT, Tid(child), 0, 0, "starting");
    }
}

fn pipe() -> io::Result<(File, File)> {
    let mut ends: [RawFd; 2] = [0; 2];
    // SAFETY: the call stores two numbers in the array, both fresh descriptors without another owner.
    unsafe {
        if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok((File::from_raw_fd(ends[0]), File::from_raw_fd(ends[1])))
    }
}

/// The child, up to exec. What fails is told through the pipe `failure`: a byte for the step, four for the error.
///
/// # Safety
/// Only in a freshly forked child.
unsafe fn run_child(prepared: &Prepared, go: RawFd, failure: RawFd) -> ! {
    // SAFETY: system calls and async-signal-safe functions on live data, in a process with one thread.
    unsafe {
        let (step, error) = match steps(prepared, go) {
            (Step::Exec, error) if error != 0 => (Step::Exec, error),
            (step, _) => (step, *libc::__errno_location()),
        };
        let [a, b, c, d] = error.to_ne_bytes();
        let message = [step as u8, a, b, c, d];
        libc::write(failure, message.as_ptr().cast(), message.len());
        libc::_exit(127)
    }
}

/// One step after the other; returns at the first that fails, with the error number of the exec if it is that.
///
/// # Safety
/// Only in a freshly forked child.
unsafe fn steps(prepared: &Prepared, go: RawFd) -> (Step, i32) {
    let inheritance = &prepared.inheritance;
    // SAFETY: system calls and async-signal-safe functions on live data, in a process with one thread.
    unsafe {
        set_actions(&inheritance.actions);
        if prepared.own_process_group {
            take_terminal();
        }
        set_mask(&inheritance.blocked);
        if !prepared.randomize
            && libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong | personality()) == -1
            && inheritance.exact_addresses
        {
            return (Step::Personality, 0);
        }
        if let Some(soft) = inheritance.descriptor_limit
            && !set_soft_limit(libc::RLIMIT_NOFILE, soft)
        {
            return (Step::Limits, 0);
        }
        if let Some(soft) = inheritance.stack_limit_bytes
            && !set_soft_limit(libc::RLIMIT_STACK, soft)
        {
            return (Step::StackLimit, 0);
        }
        let mut byte = 0u8;
        if libc::read(go, (&raw mut byte).cast(), 1) != 1 {
            libc::_exit(127);
        }
        if !set_descriptors(prepared) {
            return (Step::Descriptors, 0);
        }
        if let Some(directory) = &prepared.directory
            && libc::chdir(directory.as_ptr()) != 0
        {
            return (Step::Exec, *libc::__errno_location());
        }
        (Step::Exec, exec(prepared))
    }
}

/// # Safety
/// Only in a freshly forked child.
unsafe fn set_actions(actions: &Actions) {
    let set = |signal, ignored| {
        let action = if ignored {
            libc::SIG_IGN
        } else {
            libc::SIG_DFL
        };
        // SAFETY: no handler of ours is installed.
        unsafe { libc::signal(signal, action) };
    };
    match actions {
        Actions::Default => (1..=64).for_each(|signal| set(signal, false)),
        Actions::Ours(exceptions) => exceptions
            .iter()
            .for_each(|(signal, ignored)| set(*signal, *ignored)),
    }
}

/// A process group of its own, in the foreground.
///
/// # Safety
/// Only in a freshly forked child.
unsafe fn take_terminal() {
    // SAFETY: the set is a live local; the other calls take plain numbers.
    unsafe {
        libc::setpgid(0, 0);
        // Taking the terminal from the background would stop us: it must be done with SIGTTOU blocked.
        set_mask(&[libc::SIGTTOU]);
        libc::tcsetpgrp(0, libc::getpid());
    }
}

/// # Safety
/// Only in a freshly forked child.
unsafe fn set_mask(blocked: &[i32]) {
    // SAFETY: the set is a live local of plain data.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        for signal in blocked {
            libc::sigaddset(&mut set, *signal);
        }
        libc::sigprocmask(libc::SIG_SETMASK, &set, ptr::null_mut());
    }
}

/// # Safety
/// Only in a freshly forked child.
unsafe fn set_descriptors(prepared: &Prepared) -> bool {
    let inheritance = &prepared.inheritance;
    // SAFETY: system calls on numbers and live strings.
    unsafe {
        if inheritance.confined {
            let none = libc::rlimit {
                rlim_cur: 0,
                rlim_max: 0,
            };
            libc::setrlimit(libc::RLIMIT_CORE, &none);
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            let empty = libc::open(c"/dev/null".as_ptr(), libc::O_RDONLY);
            if empty > 0 && (libc::dup2(empty, 0) == -1 || libc::close(empty) == -1) {
                return false;
            }
        }
        for (number, stream) in prepared.streams.iter().enumerate() {
            if let Some(file) = stream {
                libc::dup2(file.as_raw_fd(), number as i32);
            }
        }
        // The originals close at exec, the copies do not.
        for (ours, theirs) in &inheritance.descriptors {
            if libc::dup2(*ours, *theirs) == -1 {
                return false;
            }
        }
        for descriptor in &inheritance.closed {
            libc::close(*descriptor);
        }
        true
    }
}

/// Tries each candidate, as execvp would; the error that says most.
///
/// # Safety
/// Only in a freshly forked child.
unsafe fn exec(prepared: &Prepared) -> i32 {
    let mut error = libc::ENOENT;
    for candidate in &prepared.candidates {
        // SAFETY: the arrays end in null, and their strings in zero.
        let why = unsafe {
            libc::execve(
                candidate.as_ptr(),
                prepared.arguments.pointers.as_ptr(),
                prepared.environment.pointers.as_ptr(),
            );
            *libc::__errno_location()
        };
        if why != libc::ENOENT && why != libc::ENOTDIR {
            error = why;
        }
        if why != libc::ENOENT && why != libc::ENOTDIR && why != libc::EACCES {
            break;
        }
    }
    error
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

fn personality() -> libc::c_ulong {
    // SAFETY: this value only asks.
    let now = unsafe { libc::personality(0xffff_ffff) };
    if now == -1 { 0 } else { now as libc::c_ulong }
}
