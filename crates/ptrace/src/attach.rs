//! Taking over processes that run already.

use crate::error::Error;
use crate::process_files;
use crate::thread::{Running, Tid, request};
use std::collections::BTreeSet;

/// What the kernel shall tell us of every traced thread, and do when we die.
pub(crate) fn options(kill_with_tracer: bool) -> i32 {
    let mut options = libc::PTRACE_O_TRACECLONE
        | libc::PTRACE_O_TRACEFORK
        | libc::PTRACE_O_TRACEVFORK
        | libc::PTRACE_O_TRACEVFORKDONE
        | libc::PTRACE_O_TRACEEXEC
        | libc::PTRACE_O_TRACEEXIT
        | libc::PTRACE_O_TRACESYSGOOD;
    if kill_with_tracer {
        options |= libc::PTRACE_O_EXITKILL;
    }
    options
}

/// The threads of a process that is ours now. Each was asked to stop, which [`crate::wait()`] reports.
#[derive(Debug)]
pub struct Attached {
    /// All of them, the first thread of the process first.
    pub threads: Vec<Running>,
}

/// Takes all threads of a process. Threads that it makes meanwhile come with their parent's events or are found here.
pub fn attach(pid: Tid) -> Result<Attached, Error> {
    let mut seen = BTreeSet::new();
    let mut threads = Vec::new();
    let leader = seize(pid, pid)?;
    seen.insert(pid);
    threads.extend(leader);
    // A thread that is seized reports the threads that it makes, so a look at the list that finds no new thread is the last.
    loop {
        let tasks = process_files::tasks(pid);
        let fresh: Vec<Tid> = tasks.into_iter().filter(|tid| seen.insert(*tid)).collect();
        if fresh.is_empty() {
            break;
        }
        for tid in fresh {
            match seize(pid, tid) {
                Ok(thread) => threads.extend(thread),
                Err(Error::Gone(_)) => {}
                Err(error) => return Err(error),
            }
        }
    }
    for thread in &threads {
        match thread.interrupt() {
            Ok(()) | Err(Error::Gone(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Attached { threads })
}

/// Seizes one thread; `None` if it came to us by itself, as the child of one that we have.
fn seize(pid: Tid, tid: Tid) -> Result<Option<Running>, Error> {
    let answer = request(
        libc::PTRACE_SEIZE,
        tid,
        0,
        options(false) as usize,
        "attaching",
    );
    match answer {
        Ok(_) => Ok(Some(Running::new(tid))),
        Err(Error::System { source, .. }) if source.raw_os_error() == Some(libc::EPERM) => {
            refused(pid, tid)
        }
        Err(error) => Err(error),
    }
}

fn refused(pid: Tid, tid: Tid) -> Result<Option<Running>, Error> {
    let us = Tid(std::process::id() as i32);
    match process_files::tracer(pid, tid) {
        // The kernel names the tracing thread's process.
        Some(tracer) if process_files::same_process(tracer, us) => Ok(None),
        Some(tracer) => Err(Error::AlreadyTraced { tid, tracer }),
        None if process_files::state(tid) == Some('Z') => Err(Error::Gone(tid)),
        None => Err(Error::Permission {
            tid,
            remedy: remedy(pid),
        }),
    }
}

/// What stands in the way of tracing a process, and what to do about it.
fn remedy(pid: Tid) -> String {
    let scope = std::fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope")
        .ok()
        .and_then(|text| text.trim().parse::<u8>().ok())
        .unwrap_or(0);
    let owner = process_files::owner(pid);
    // SAFETY: the call only returns a number.
    let us = unsafe { libc::geteuid() };
    match (scope, owner) {
        (3, _) => "kernel.yama.ptrace_scope is 3, which forbids it until the next boot".to_string(),
        (2, _) if us != 0 => {
            "kernel.yama.ptrace_scope is 2: run as root (or with CAP_SYS_PTRACE), or set it to 1 or 0".to_string()
        }
        (_, Some(owner)) if owner != us && us != 0 => format!(
            "it belongs to user {owner} and we are user {us}: run as that user, as root, or with CAP_SYS_PTRACE"
        ),
        (1, _) if us != 0 => "kernel.yama.ptrace_scope is 1, which allows descendants only: \
             `sysctl kernel.yama.ptrace_scope=0`, run as root (or with CAP_SYS_PTRACE), or start it with `wayfarer run`"
            .to_string(),
        _ => "the kernel refuses: it may be a kernel thread, an undumpable or more privileged process, or a \
             container without CAP_SYS_PTRACE (start it with --cap-add=SYS_PTRACE)"
            .to_string(),
    }
}
