//! What happens without being asked for: one closed enum.

use crate::{BreakpointId, Module, Process, ProcessId, ReplayEnded, Thread, ThreadId, ThreadStop};

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// 1, 2, 3, … in a session, without gaps.
    pub sequence: u64,
    /// The monotonic clock of the back end's host.
    pub time_ns: u64,
    /// What.
    pub kind: EventKind,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    /// There is a new process.
    ProcessCreated {
        /// It, with its threads.
        process: Process,
        /// How it came.
        origin: Origin,
    },
    /// There is a new thread.
    ThreadCreated(Thread),
    /// A process has a new program; its breakpoints and watchpoints are gone, and so are all threads but one.
    Exec {
        /// As it is now.
        process: Process,
        /// The thread waits for `release`.
        held: bool,
    },
    /// A thread has ended.
    ThreadExited {
        /// Whose.
        process: ProcessId,
        /// Which.
        thread: ThreadId,
    },
    /// A process has ended.
    ProcessExited(ProcessExited),
    /// A process is no longer held.
    ProcessDetached {
        /// Which.
        process: ProcessId,
        /// Why: asked for, or a child that is not followed, or a failure.
        reason: String,
    },
    /// Threads have stopped.
    Stopped(Stopped),
    /// The dynamic linker has loaded or unloaded something; constructors have not run yet.
    LibrariesChanged {
        /// Whose.
        process: ProcessId,
        /// Who did it.
        thread: ThreadId,
        /// The thread waits for `release`.
        held: bool,
        /// All modules now.
        modules: Vec<Module>,
    },
    /// A signal that passed without a stop, but whose disposition says `print`.
    SignalSeen {
        /// Whose.
        process: ProcessId,
        /// Who got it.
        thread: ThreadId,
        /// Its number.
        signal: i32,
    },
    /// A thread waits at a barrier now.
    BarrierArrived(BarrierArrived),
    /// Nobody of a replay lives any more.
    ReplayEnded(ReplayEnded),
    /// Threads run again; told so that several front ends of a session agree.
    Resumed(Vec<ThreadId>),
}

/// How a process came into the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// We started it.
    Launch,
    /// We attached to it.
    Attach,
    /// fork
    Fork,
    /// vfork, posix_spawn
    Vfork,
    /// clone that makes a process and does not lend it its memory.
    Clone,
}

/// Threads that stopped together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stopped {
    /// Why.
    pub causes: Vec<ThreadStop>,
    /// All that stopped now, the causes included, and all that were to be resumed and were not because of this; who was
    /// stopped before is not repeated.
    pub stopped: Vec<ThreadId>,
    /// From the first to the last that stopped.
    pub first_to_last_ns: u64,
}

/// A process that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessExited {
    /// Which.
    pub process: ProcessId,
    /// The kernel's number.
    pub pid: i32,
    /// How.
    pub end: ProcessEnd,
}

/// How a process has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessEnd {
    /// It exited with this status.
    Exited(i32),
    /// A signal killed it.
    Killed {
        /// Which.
        signal: i32,
        /// A core file was written, or would have been.
        core_dumped: bool,
    },
}

/// A thread at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarrierArrived {
    /// Which barrier.
    pub id: BreakpointId,
    /// Whose thread.
    pub process: ProcessId,
    /// Who.
    pub thread: ThreadId,
    /// How many wait there now.
    pub arrived: u32,
    /// How many are to come, those who have come included.
    pub expected: u32,
}
