//! Processes and threads as the front ends see them.

use serde::Serialize;

/// One thread, or a whole process, by name and by number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Who {
    /// The process's name: `redis-server`, `worker.2`, or what `name` gave it.
    pub process: String,
    /// The process's number, from 1.
    pub process_number: u32,
    /// The thread's number inside its process, from 1.
    pub thread_number: u32,
    /// The kernel's process id.
    pub pid: i32,
    /// The kernel's thread id.
    pub tid: i32,
    /// The thread's own name (`comm`), empty when unknown.
    pub thread_name: String,
}

impl Who {
    /// `2.1`: process and thread number as gdb writes them.
    pub fn numbers(&self) -> String {
        format!("{}.{}", self.process_number, self.thread_number)
    }
}

/// A place in a recorded run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PositionView {
    /// As a person writes it down: `server.2@1204`.
    pub position: String,
    pub who: Who,
    /// Events of its recording that the thread has made.
    pub events: u64,
}

/// How a process came to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// We started it (or one of ours did): `quit` ends it.
    Launched,
    /// It ran before we came: `quit` lets it go on.
    Attached,
}

/// What a process is doing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum ProcessState {
    /// At least one thread runs.
    Running,
    /// All threads stand still.
    Stopped,
    /// Ended with this exit status.
    Exited { status: i32 },
    /// Ended by this signal.
    Killed { signal: i32, signal_name: String },
    /// Let go by `detach`.
    Detached,
}

/// A line of `info procs`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProcessView {
    pub number: u32,
    pub name: String,
    pub pid: i32,
    /// Number of the process that forked it, when we saw that.
    pub parent: Option<u32>,
    /// Path of the program.
    pub program: String,
    pub origin: Origin,
    #[serde(flatten)]
    pub state: ProcessState,
    pub threads: u32,
    /// Whether the request was about a thread of it.
    pub current: bool,
}

/// What a thread is doing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ThreadState {
    Running,
    Stopped,
    /// Waits at a barrier, or held by `hold`: run commands pass it over.
    Held,
}

/// A line of `info threads`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ThreadView {
    #[serde(flatten)]
    pub who: Who,
    pub state: ThreadState,
    /// Where it stands; none while it runs.
    pub frame: Option<super::FrameView>,
    pub current: bool,
}
