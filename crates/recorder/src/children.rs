//! Waiting: for signals and for the ends of processes, in one place and without handlers.

use std::io;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use nix::sys::signal::{
    SaFlags, SigAction, SigHandler, SigSet, SigmaskHow, Signal, sigaction, sigprocmask,
};
use nix::unistd::Pid;
use wayfarer_ptrace::wait::anybody_left;
use wayfarer_ptrace::{Report, wait};

const WATCHED: [Signal; 5] = [
    Signal::SIGCHLD,
    Signal::SIGINT,
    Signal::SIGQUIT,
    Signal::SIGTERM,
    Signal::SIGHUP,
];

/// Holds back the signals that concern us, so that they can be taken one by one, and makes this process
/// the parent of all orphans among its descendants.
pub struct Watch {
    previous: SigSet,
    watched: SigSet,
}

impl Watch {
    pub fn begin() -> io::Result<Self> {
        nix::sys::prctl::set_child_subreaper(true)?;
        // With SIGCHLD ignored the kernel would throw the statuses of our children away.
        let default = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
        // SAFETY: the default action runs no code of ours.
        unsafe { sigaction(Signal::SIGCHLD, &default)? };
        let watched: SigSet = WATCHED.into_iter().collect();
        let mut previous = SigSet::empty();
        sigprocmask(SigmaskHow::SIG_BLOCK, Some(&watched), Some(&mut previous))?;
        Ok(Self { previous, watched })
    }

    /// The mask as it was: what the debuggee has to inherit.
    pub fn previous_mask(&self) -> &SigSet {
        &self.previous
    }

    /// The next signal; `None` when none has come in time.
    pub fn next(&self, timeout: Duration) -> Option<Signal> {
        let time = libc::timespec {
            tv_sec: timeout.as_secs() as libc::time_t,
            tv_nsec: timeout.subsec_nanos().into(),
        };
        // SAFETY: set and time live across the call; no siginfo is asked for.
        let number =
            unsafe { libc::sigtimedwait(self.watched.as_ref(), std::ptr::null_mut(), &time) };
        Signal::try_from(number).ok()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // A signal that is still pending (Ctrl-C while sealing) has done its work: it ended the debuggee.
        while self.next(Duration::ZERO).is_some() {}
        let _ = sigprocmask(SigmaskHow::SIG_SETMASK, Some(&self.previous), None);
    }
}

/// The end of a process that was ours to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    pub pid: Pid,
    /// As `wait4` stores it.
    pub wait_status: i32,
}

/// Collects everybody who has ended, without waiting. The flag: somebody is left.
pub fn reap() -> (Vec<Ended>, bool) {
    let mut ended = Vec::new();
    while let Some(report) = wait(|_| {}) {
        // Nobody is traced here, so nothing else is reported.
        if let Report::Ended(tid, end) = report {
            ended.push(Ended {
                pid: Pid::from_raw(tid.0),
                wait_status: end.wait_status(),
            });
        }
    }
    (ended, anybody_left())
}

/// What `/proc/PID/stat` says of a process.
pub struct Stat {
    pub name: String,
    pub state: char,
    pub parent: i32,
    /// Wait status of a zombie, where the kernel lets us see it.
    pub exit_code: i32,
}

impl Stat {
    /// `None`: there is no such process.
    pub fn read(pid: i32) -> Option<Self> {
        let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name stands in parentheses and may itself contain some.
        let (start, end) = (text.find('(')?, text.rfind(')')?);
        let name = text.get(start + 1..end)?.to_owned();
        let fields: Vec<&str> = text.get(end + 1..)?.split_ascii_whitespace().collect();
        Some(Self {
            name,
            state: fields.first()?.chars().next()?,
            parent: fields.get(1)?.parse().ok()?,
            exit_code: fields
                .get(49)
                .and_then(|field| field.parse().ok())
                .unwrap_or(0),
        })
    }
}

/// Processor time that a thread has used, and whether it would like to use more; `None`: there is no such thread.
pub fn processor_use(pid: i32, tid: i32) -> Option<(Duration, bool)> {
    let of_thread = |name| std::fs::read_to_string(format!("/proc/{pid}/task/{tid}/{name}")).ok();
    let nanoseconds = of_thread("schedstat")?
        .split_ascii_whitespace()
        .next()?
        .parse()
        .ok()?;
    let stat = of_thread("stat")?;
    let state = stat.get(stat.rfind(')')? + 1..)?.trim_start();
    Some((Duration::from_nanos(nanoseconds), state.starts_with('R')))
}

/// Whether a thread sleeps: it neither runs nor would run if it had a processor.
pub fn asleep(tid: i32) -> bool {
    Stat::read(tid).is_some_and(|stat| stat.state == 'S')
}

/// Whether `pid` descends from this process: its number was not reused by a stranger.
pub fn is_descendant(pid: i32) -> bool {
    let own = std::process::id() as i32;
    let mut pid = pid;
    // Deeper trees than this are circles made by numbers that changed hands while we looked.
    for _ in 0..1000 {
        match Stat::read(pid) {
            Some(stat) if stat.parent == own => return true,
            Some(stat) if stat.parent > 1 => pid = stat.parent,
            _ => return false,
        }
    }
    false
}

/// Wakes everybody in any process who waits on this word of a shared mapping.
pub fn wake_all(word: &AtomicU32) {
    // SAFETY: FUTEX_WAKE looks only at the address of a live word.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_a_name_and_a_parent() {
        let stat = Stat::read(std::process::id() as i32).unwrap();
        assert!(!stat.name.is_empty() && stat.parent > 0);
        assert!(Stat::read(i32::MAX).is_none());
    }

    #[test]
    fn strangers_are_no_descendants() {
        assert!(!is_descendant(1));
        assert!(!is_descendant(i32::MAX));
        let mut child = std::process::Command::new("sleep")
            .arg("5")
            .spawn()
            .unwrap();
        assert!(is_descendant(child.id() as i32));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
