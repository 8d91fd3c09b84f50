//! What the kernel reports about a traced thread: a stop with its kind, or its end.

use crate::thread::{Stopped, Tid};

/// One answer of [`crate::wait()`].
#[derive(Debug)]
pub enum Report {
    /// A thread has stopped.
    Stopped(Stopped, Stop),
    /// A thread has ended. For the first thread of a process this is the end of the process.
    Ended(Tid, End),
}

/// Why a thread has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A signal is about to be delivered; resuming decides whether it is.
    Signal(i32),
    /// The whole process is stopped by this signal (job control).
    Group(i32),
    /// Our interruption, or the first stop of a thread that was born traced.
    Interrupted,
    /// It made a thread or a process with `clone`; the child's id.
    Clone(Tid),
    /// It forked.
    Fork(Tid),
    /// It forked and waits until the child has let go of the memory.
    Vfork(Tid),
    /// The vfork child has let go of the memory.
    VforkDone,
    /// It runs a new program; the thread that asked for it had this id before.
    Exec(Tid),
    /// It is about to end with this wait status.
    Exit(i32),
    /// Entry to or return from a system call.
    Syscall,
}

/// How a thread or process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With this exit status.
    Status(i32),
    /// By this signal.
    Signal {
        /// Its number.
        signal: i32,
        /// Whether a core was written.
        core_dumped: bool,
    },
}

impl End {
    /// As `wait4` stores it.
    pub fn wait_status(self) -> i32 {
        const CORE_DUMPED: i32 = 0x80;
        match self {
            End::Status(status) => (status & 0xff) << 8,
            End::Signal {
                signal,
                core_dumped,
            } => signal | if core_dumped { CORE_DUMPED } else { 0 },
        }
    }
}

/// What a raw wait status means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Ended(End),
    Signal(i32),
    Group(i32),
    Event(i32),
    Syscall,
    Other,
}

pub(crate) fn decode(status: i32) -> Status {
    if libc::WIFEXITED(status) {
        return Status::Ended(End::Status(libc::WEXITSTATUS(status)));
    }
    if libc::WIFSIGNALED(status) {
        return Status::Ended(End::Signal {
            signal: libc::WTERMSIG(status),
            core_dumped: libc::WCOREDUMP(status),
        });
    }
    if !libc::WIFSTOPPED(status) {
        return Status::Other;
    }
    let signal = libc::WSTOPSIG(status);
    match (status >> 16, signal) {
        (0, signal) if signal == libc::SIGTRAP | 0x80 => Status::Syscall,
        (0, signal) => Status::Signal(signal),
        (libc::PTRACE_EVENT_STOP, libc::SIGTRAP) => Status::Event(libc::PTRACE_EVENT_STOP),
        (libc::PTRACE_EVENT_STOP, signal) => Status::Group(signal),
        (event, _) => Status::Event(event),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_told_apart() {
        assert_eq!(decode(3 << 8), Status::Ended(End::Status(3)));
        assert_eq!(
            decode(libc::SIGKILL),
            Status::Ended(End::Signal {
                signal: libc::SIGKILL,
                core_dumped: false
            })
        );
        assert_eq!(decode(0x857f), Status::Syscall);
        assert_eq!(decode(0x0b7f), Status::Signal(libc::SIGSEGV));
        assert_eq!(
            decode((libc::PTRACE_EVENT_STOP << 16) | 0x137f),
            Status::Group(libc::SIGSTOP)
        );
        assert_eq!(
            decode((libc::PTRACE_EVENT_EXEC << 16) | 0x057f),
            Status::Event(libc::PTRACE_EVENT_EXEC)
        );
    }
}
