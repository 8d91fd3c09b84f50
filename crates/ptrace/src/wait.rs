//! Waiting for what happens to the traced threads, and being woken for other work, without polling.
//!
//! The kernel tells a tracer of every stop with SIGCHLD. That signal and the one of [`Waker`] are blocked in all
//! threads of the tracer, so they stay pending until [`Wake::next`] takes them: none can be missed between two waits.

use crate::error::Error;
use crate::stop::{Report, Status, Stop, decode};
use crate::thread::{Stopped, Tid};
use std::time::Duration;
use std::{io, mem, ptr};

/// The next report that is ready, of any thread; `None` if there is none now.
///
/// If we die, the kernel delivers the signal of a stop that has not been taken note of, and drops that of one that has.
/// So a trap must be made harmless before: `first` sees a thread that stopped with SIGTRAP while its stop still counts as
/// unnoticed.
pub fn wait(mut first: impl FnMut(&mut Stopped)) -> Option<Report> {
    loop {
        let (tid, trap) = look()?;
        if trap {
            first(&mut Stopped::new(tid));
        }
        let mut status = 0;
        // SAFETY: the call stores one number through the pointer to a live local.
        let answer = unsafe { libc::waitpid(tid.0, &mut status, libc::__WALL | libc::WNOHANG) };
        if answer == tid.0
            && let Some(report) = report(tid, status)
        {
            return Some(report);
        }
    }
}

/// A thread with a report, which it keeps, and whether that is a stop with SIGTRAP.
fn look() -> Option<(Tid, bool)> {
    // SAFETY: siginfo_t is plain data for which zeros are valid; the call fills in a live local.
    let (answer, info) = unsafe {
        let mut info: libc::siginfo_t = mem::zeroed();
        // Stops of traced threads are always told of. WSTOPPED would add children that we do not trace any more and
        // that job control stops, of which `waitpid` tells nothing.
        let which = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT | libc::__WALL;
        (libc::waitid(libc::P_ALL, 0, &mut info, which), info)
    };
    // SAFETY: what waitid fills in is of the kind of SIGCHLD; zeros stay zeros.
    let (tid, status) = unsafe { (info.si_pid(), info.si_status()) };
    let trap = info.si_code == libc::CLD_TRAPPED && status == libc::SIGTRAP;
    (answer == 0 && tid > 0).then_some((Tid(tid), trap))
}

/// Whether there is anybody to wait for: a child, or a thread that is traced.
pub fn anybody_left() -> bool {
    // SAFETY: siginfo_t is plain data for which zeros are valid; the call fills in a live local.
    let answer = unsafe {
        let mut info: libc::siginfo_t = mem::zeroed();
        let which = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT | libc::__WALL;
        libc::waitid(libc::P_ALL, 0, &mut info, which)
    };
    answer == 0 || io::Error::last_os_error().raw_os_error() != Some(libc::ECHILD)
}

/// Makes us the parent of all orphans among our descendants.
pub fn adopt_orphans() -> io::Result<()> {
    // SAFETY: a number in, nothing out.
    match unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Waits for the next report of one thread, which must be about to have one; `None` if it does not exist.
pub(crate) fn wait_for(tid: Tid) -> Option<Report> {
    loop {
        let mut status = 0;
        // SAFETY: the call stores one number through the pointer to a live local.
        let answer = unsafe { libc::waitpid(tid.0, &mut status, libc::__WALL) };
        if answer == tid.0 {
            if let Some(report) = report(tid, status) {
                return Some(report);
            }
        } else if io::Error::last_os_error().raw_os_error() != Some(libc::EINTR) {
            return None;
        }
    }
}

fn report(tid: Tid, status: i32) -> Option<Report> {
    let event = match decode(status) {
        Status::Ended(end) => return Some(Report::Ended(tid, end)),
        Status::Signal(signal) => Stop::Signal(signal),
        Status::Group(signal) => Stop::Group(signal),
        Status::Syscall => Stop::Syscall,
        Status::Event(event) => return event_report(tid, event),
        Status::Other => return None,
    };
    Some(Report::Stopped(Stopped::new(tid), event))
}

fn event_report(tid: Tid, event: i32) -> Option<Report> {
    let stopped = Stopped::new(tid);
    // A thread that was killed in the meantime has no message, or already that of its exit stop, whose status must not be
    // taken for the number of a child. Its end is reported next.
    let message = |stopped: &Stopped| {
        let number = stopped.event_message().ok()?;
        stopped.is_at_event(event).then_some(number as i32)
    };
    let stop = match event {
        libc::PTRACE_EVENT_STOP => Stop::Interrupted,
        libc::PTRACE_EVENT_VFORK_DONE => Stop::VforkDone,
        libc::PTRACE_EVENT_CLONE => Stop::Clone(Tid(message(&stopped)?)),
        libc::PTRACE_EVENT_FORK => Stop::Fork(Tid(message(&stopped)?)),
        libc::PTRACE_EVENT_VFORK => Stop::Vfork(Tid(message(&stopped)?)),
        libc::PTRACE_EVENT_EXEC => Stop::Exec(Tid(message(&stopped)?)),
        libc::PTRACE_EVENT_EXIT => Stop::Exit(message(&stopped).unwrap_or_default()),
        _ => Stop::Interrupted,
    };
    Some(Report::Stopped(stopped, stop))
}

/// Why [`Wake::next`] returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// Some thread has something to report.
    Child,
    /// A [`Waker`] was used.
    Called,
    /// We are asked to end (SIGTERM, SIGHUP).
    Terminate,
    /// The time is over.
    TimedOut,
}

/// The signals that this process takes by waiting instead of by handlers.
pub struct Wake {
    set: libc::sigset_t,
}

const WAKING: i32 = libc::SIGUSR1;

impl Wake {
    /// Blocks the signals in this thread and all that it starts from now on: to be called before there are others.
    pub fn prepare() -> io::Result<Wake> {
        // SAFETY: sigset_t is plain data; the calls fill in and read live locals.
        unsafe {
            let mut set: libc::sigset_t = mem::zeroed();
            libc::sigemptyset(&mut set);
            for signal in [libc::SIGCHLD, WAKING, libc::SIGTERM, libc::SIGHUP] {
                libc::sigaddset(&mut set, signal);
            }
            match libc::pthread_sigmask(libc::SIG_BLOCK, &set, ptr::null_mut()) {
                0 => Ok(Wake { set }),
                error => Err(io::Error::from_raw_os_error(error)),
            }
        }
    }

    /// Sleeps until something happens or the time is over.
    pub fn next(&self, limit: Option<Duration>) -> Woken {
        let time = limit.map(|limit| libc::timespec {
            tv_sec: limit.as_secs() as i64,
            tv_nsec: i64::from(limit.subsec_nanos()),
        });
        let time = time.as_ref().map_or(ptr::null(), ptr::from_ref);
        loop {
            // SAFETY: the set and the time are live; no details of the signal are asked for.
            let signal = unsafe { libc::sigtimedwait(&self.set, ptr::null_mut(), time) };
            match signal {
                libc::SIGCHLD => return Woken::Child,
                WAKING => return Woken::Called,
                libc::SIGTERM | libc::SIGHUP => return Woken::Terminate,
                _ if io::Error::last_os_error().raw_os_error() == Some(libc::EAGAIN) => {
                    return Woken::TimedOut;
                }
                _ => {}
            }
        }
    }

    /// What wakes this thread.
    pub fn waker(&self) -> Waker {
        // SAFETY: both calls only return a number.
        let (process, thread) = unsafe { (libc::getpid(), libc::gettid()) };
        Waker { process, thread }
    }
}

/// Wakes the thread that made it out of [`Wake::next`].
#[derive(Clone, Copy, Debug)]
pub struct Waker {
    process: i32,
    thread: i32,
}

impl Waker {
    /// The next, or present, [`Wake::next`] returns.
    pub fn wake(&self) {
        // SAFETY: a signal that all threads of this process block; to a thread that is gone it does nothing.
        unsafe { libc::syscall(libc::SYS_tgkill, self.process, self.thread, WAKING) };
    }
}

/// Ends a process at once.
pub fn kill(pid: Tid) -> Result<(), Error> {
    // SAFETY: sending a signal touches no memory of ours.
    match unsafe { libc::kill(pid.0, libc::SIGKILL) } {
        0 => Ok(()),
        _ => Err(Error::last("killing", pid)),
    }
}

/// Sends a signal to a process.
pub fn send_signal(pid: Tid, signal: i32) -> Result<(), Error> {
    // SAFETY: sending a signal touches no memory of ours.
    match unsafe { libc::kill(pid.0, signal) } {
        0 => Ok(()),
        _ => Err(Error::last("signalling", pid)),
    }
}

/// Sends a signal to one thread.
pub fn send_thread_signal(tid: Tid, signal: i32) -> Result<(), Error> {
    // SAFETY: sending a signal touches no memory of ours.
    match unsafe { libc::syscall(libc::SYS_tkill, tid.0, signal) } {
        0 => Ok(()),
        _ => Err(Error::last("signalling", tid)),
    }
}

/// Nanoseconds of CLOCK_MONOTONIC.
pub fn monotonic_ns() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call fills in a live local.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Signals from the terminal are for the debugger and the program, not for this process.
pub fn ignore_interrupts() {
    // SAFETY: installs no handler of ours, only the kernel's own way to ignore.
    unsafe {
        libc::signal(libc::SIGINT, libc::SIG_IGN);
        libc::signal(libc::SIGQUIT, libc::SIG_IGN);
        libc::signal(libc::SIGTTOU, libc::SIG_IGN);
    }
}
