//! Starting a program under our control.
//!
//! The child waits until it is seized, then execs; it is reported with [`crate::Stop::Exec`] before the first
//! instruction of the new program. Seizing instead of PTRACE_TRACEME keeps job control and signals as they are.

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
}

/// Starts it; the answer is its process id. Its stop at exec is reported by [`crate::wait()`].
pub fn launch(what: &Launch) -> Result<Tid, Error> {
    let name = what.arguments.first().cloned().unwrap_or_default();
    let program = String::from_utf8_lossy(&name).into_owned();
    prepare(what, &name)
        .and_then(|prepared| start(&prepared))
        .map_err(|source| Error::Exec { program, source })
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

fn prepare(what: &Launch, name: &[u8]) -> io::Result<Prepared> {
    if name.is_empty() {
        return Err(io::Error::from_raw_os_error(libc::ENOENT));
    }
    let environment = what.environment.clone().unwrap_or_else(our_environment);
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
        candidates: candidates(name, &environment)?,
        arguments: Pointers::new(what.arguments.clone())?,
        environment: Pointers::new(environment)?,
        directory: match &what.directory {
            Some(directory) => Some(CString::new(directory.as_os_str().as_bytes())?),
            None => None,
        },
        streams: [open(0)?, open(1)?, open(2)?],
        randomize: what.randomize,
        own_process_group: what.own_process_group,
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

fn start(prepared: &Prepared) -> io::Result<Tid> {
    let (go_reader, mut go_writer) = pipe()?;
    let (mut failure_reader, failure_writer) = pipe()?;
    // SAFETY: the child calls only async-signal-safe functions on data made before, and ends by exec or _exit.
    let child = unsafe { libc::fork() };
    if child < 0 {
        return Err(io::Error::last_os_error());
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
    let seized = request(
        libc::PTRACE_SEIZE,
        tid,
        0,
        options(true) as usize,
        "starting",
    );
    if seized.is_err() {
        let error = io::Error::last_os_error();
        // SAFETY: the child is ours and has not been waited for.
        unsafe {
            libc::kill(child, libc::SIGKILL);
            libc::waitpid(child, ptr::null_mut(), libc::__WALL);
        }
        return Err(error);
    }
    go_writer.write_all(&[1])?;
    drop(go_writer);
    let mut number = [0; 4];
    match failure_reader.read_exact(&mut number) {
        // Closed by a successful exec.
        Err(_) => Ok(tid),
        Ok(()) => {
            // SAFETY: the child is ours; it is on its way to its end.
            unsafe { reap(child) };
            Err(io::Error::from_raw_os_error(i32::from_ne_bytes(number)))
        }
    }
}

/// Waits for a traced child that is about to exit, past its exit stop.
///
/// # Safety
/// The child must be one of ours, and traced by this thread.
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

/// The child, up to exec.
///
/// # Safety
/// Only in a freshly forked child.
unsafe fn run_child(prepared: &Prepared, go: RawFd, failure: RawFd) -> ! {
    // SAFETY: system calls and async-signal-safe functions on live data, in a process with one thread.
    unsafe {
        for signal in 1..=64 {
            libc::signal(signal, libc::SIG_DFL);
        }
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        if prepared.own_process_group {
            libc::setpgid(0, 0);
            // Taking the terminal from the background would stop us: it must be done with SIGTTOU blocked.
            let mut terminal: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&mut terminal);
            libc::sigaddset(&mut terminal, libc::SIGTTOU);
            libc::sigprocmask(libc::SIG_BLOCK, &terminal, ptr::null_mut());
            libc::tcsetpgrp(0, libc::getpid());
        }
        libc::sigprocmask(libc::SIG_SETMASK, &none, ptr::null_mut());
        if !prepared.randomize {
            libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
        }
        let mut byte = 0u8;
        if libc::read(go, (&raw mut byte).cast(), 1) != 1 {
            libc::_exit(127);
        }
        for (number, stream) in prepared.streams.iter().enumerate() {
            if let Some(file) = stream {
                libc::dup2(file.as_raw_fd(), number as i32);
            }
        }
        let mut error = 0;
        if let Some(directory) = &prepared.directory
            && libc::chdir(directory.as_ptr()) != 0
        {
            error = *libc::__errno_location();
        }
        if error == 0 {
            error = libc::ENOENT;
            for candidate in &prepared.candidates {
                libc::execve(
                    candidate.as_ptr(),
                    prepared.arguments.pointers.as_ptr(),
                    prepared.environment.pointers.as_ptr(),
                );
                let why = *libc::__errno_location();
                if why != libc::ENOENT && why != libc::ENOTDIR {
                    error = why;
                }
                if why != libc::ENOENT && why != libc::ENOTDIR && why != libc::EACCES {
                    break;
                }
            }
        }
        let bytes = error.to_ne_bytes();
        libc::write(failure, bytes.as_ptr().cast(), bytes.len());
        libc::_exit(127)
    }
}
