//! A second process that cleans up after the first if that dies without doing so.
//!
//! A breakpoint left in the memory of a program kills it, and so does a watchpoint left in its
//! debug registers. The parent therefore only watches, and the child does the work: it keeps a list
//! of its traces in memory that both share. The guardian traces the worker's tracing thread, for
//! its exit stop alone. There the thread cannot be saved, but the kernel has not released the
//! programs yet. The guardian puts their bytes back and lets the thread die. Threads with a trap on
//! its way then run into their cushion; the guardian takes that away last, with handler, memory and
//! debug registers (`aftermath`).

use crate::aftermath::{Remains, clean_up, repair};
use crate::process_files;
use crate::stop::{Report, Stop};
use crate::thread::{Going, Tid, request};
use crate::traces::Table;
pub use crate::traces::Traces;
use crate::wait::wait_for;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{FromRawFd, RawFd};
use std::time::Duration;

/// What the working process gets.
pub struct Guarded {
    /// To be kept up to date by the tracing thread.
    pub traces: Traces,
    /// To be used by the tracing thread.
    pub life_line: LifeLine,
}

/// How the tracing thread makes itself known to the guardian. Its closing means that the worker is dead.
pub struct LifeLine {
    end: File,
}

impl LifeLine {
    /// Makes the calling thread the one whose death counts.
    pub fn announce(&mut self) -> io::Result<()> {
        // SAFETY: the call only returns a number.
        let tid = unsafe { libc::gettid() };
        self.end.write_all(&tid.to_ne_bytes())
    }
}

/// After the death of the guardian: waits for a moment. What killed it may be about to kill us, and letting programs
/// go is not to be begun then.
pub fn mourn() {
    // SAFETY: the call only returns a number.
    let parent = Tid(unsafe { libc::getppid() });
    let us = Tid(std::process::id() as i32);
    if process_files::executable(parent) != process_files::executable(us) {
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Which side of the fork we are on.
pub enum Side {
    /// The guardian, after all is over: the exit status of the working process.
    Guardian(i32),
    /// The process that works.
    Worker(Guarded),
}

/// Splits the process in guardian and worker. The worker gets SIGTERM when the guardian dies. To be called while the
/// process has only one thread.
pub fn split() -> io::Result<Side> {
    let table = Table::new()?;
    let (reader, writer) = pipe()?;
    // SAFETY: the process has one thread, as the caller promises, so the child is a whole process.
    let child = unsafe { libc::fork() };
    match child {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            drop(reader);
            // SAFETY: asks the kernel for a signal; touches no memory.
            unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM) };
            Ok(Side::Worker(Guarded {
                traces: Traces::new(table),
                life_line: LifeLine { end: writer },
            }))
        }
        child => {
            drop(writer);
            Ok(Side::Guardian(guard(&table, reader, child)))
        }
    }
}

fn pipe() -> io::Result<(File, File)> {
    let mut ends: [RawFd; 2] = [0; 2];
    // SAFETY: the call stores two fresh descriptors that have no other owner.
    unsafe {
        if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok((File::from_raw_fd(ends[0]), File::from_raw_fd(ends[1])))
    }
}

fn guard(table: &Table, mut reader: File, child: i32) -> i32 {
    let mut number = [0; 4];
    let mut traced = None;
    if reader.read_exact(&mut number).is_ok() {
        let tid = Tid(i32::from_ne_bytes(number));
        let options = libc::PTRACE_O_TRACEEXIT as usize;
        traced = request(libc::PTRACE_SEIZE, tid, 0, options, "guarding")
            .ok()
            .map(|_| tid);
    }
    let remains = match traced {
        Some(tid) => watch_over(table, tid),
        None => {
            // Without leave to trace, the end of the pipe must do, although it comes late.
            let _ = reader.read_to_end(&mut Vec::new());
            repair(table, None)
        }
    };
    let status = end_of(child);
    for (pid, remains) in remains {
        clean_up(pid, &remains);
    }
    status
}

/// Waits for the end of the working process; its exit status as a shell would give it.
fn end_of(child: i32) -> i32 {
    let mut status = 0;
    // SAFETY: the child is ours; the call stores one number.
    while unsafe { libc::waitpid(child, &mut status, 0) } == child {
        if libc::WIFEXITED(status) {
            return libc::WEXITSTATUS(status);
        }
        if libc::WIFSIGNALED(status) {
            return 128 + libc::WTERMSIG(status);
        }
    }
    0
}

/// Waits for the end of the tracing thread and repairs its programs; what remains to be done in them.
fn watch_over(table: &Table, tid: Tid) -> BTreeMap<Tid, Remains> {
    let mut remains = BTreeMap::new();
    loop {
        match wait_for(tid) {
            Some(Report::Stopped(thread, Stop::Exit(_))) => {
                remains = repair(table, Some(tid));
                let _ = thread.resume(Going::On, None);
            }
            Some(Report::Stopped(thread, Stop::Signal(signal))) => {
                let _ = thread.resume(Going::On, Some(signal));
            }
            Some(Report::Stopped(thread, Stop::Group(_))) => {
                let _ = thread.resume(Going::Listening, None);
            }
            Some(Report::Stopped(thread, _)) => {
                let _ = thread.resume(Going::On, None);
            }
            Some(Report::Ended(..)) | None => return remains,
        }
    }
}
