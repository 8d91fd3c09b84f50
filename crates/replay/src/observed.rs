//! What the host sees of a running replay, as plain values.

use std::collections::BTreeMap;
use std::time::Duration;

use wayfarer_model::{ObjectId, ProcessId, ThreadId};

/// What a replaying thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// It runs.
    No,
    /// For bytes that `writer` (if a thread wrote so far) has to deliver.
    Stream {
        object: ObjectId,
        direction: u8,
        writer: Option<ThreadId>,
    },
    Turn(u64),
    Output(u32),
    Child(ProcessId),
    /// For its turn on a sync object: for this run.
    Sync {
        object: u32,
        run: u32,
    },
    /// In a wait of the program's own, on the lock or futex at this address.
    Futex(u64),
    /// Its log is at its end.
    End,
    Stopped,
    /// The host holds it back before its next event.
    Held,
}

/// A thread of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadState {
    pub id: ThreadId,
    pub process: ProcessId,
    /// It exists now.
    pub live: bool,
    /// Events done.
    pub events: u64,
    /// Events that its log holds.
    pub promised: u64,
    pub wait: Wait,
}

/// A process of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessState {
    pub id: ProcessId,
    /// One of `layout::process_state`.
    pub state: u32,
    /// Exit code when `state` is `EXITED`.
    pub status: u32,
    /// As the host's own wait gave it, where the host was the one to wait.
    pub wait_status: Option<i32>,
}

/// What a replaying thread met that its log did not promise, copied from the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Met {
    /// One of `layout::divergence`.
    pub kind: u32,
    pub process: ProcessId,
    pub thread: ThreadId,
    pub event: u64,
    /// 0: the log had ended.
    pub promised_tag: u8,
    pub promised_check: u8,
    pub promised_number: i64,
    pub promised_result: i64,
    /// -1: no call.
    pub came_number: i64,
    pub came_check: u8,
    pub came_arguments: [u64; 6],
    pub detail: [u64; 4],
    pub text: String,
}

/// A running replay at one moment, with the answers to the questions that were asked before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observation {
    /// Whether any process of the replay is left.
    pub anybody_left: bool,
    /// The first divergence.
    pub met: Option<Met>,
    pub threads: Vec<ThreadState>,
    /// Number of the write that may go next.
    pub output_turn: u32,
    pub answers: Answers,
}

/// What the session of a replay cannot tell, and is only needed when nobody has moved for a while.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Questions {
    /// Have they died?
    pub processes: Vec<ProcessId>,
    /// What do they use of the processor?
    pub threads: Vec<ThreadId>,
}

/// What was found out about [`Questions`]: an answer to each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    pub processes: BTreeMap<ProcessId, Life>,
    /// `None`: there is no such thread.
    pub threads: BTreeMap<ThreadId, Option<ProcessorUse>>,
}

impl Answers {
    /// Whether none of these questions is open.
    pub fn cover(&self, questions: &Questions) -> bool {
        let Questions { processes, threads } = questions;
        processes.iter().all(|id| self.processes.contains_key(id))
            && threads.iter().all(|id| self.threads.contains_key(id))
    }
}

/// Whether a process exists in the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    Lives,
    /// With the wait status where the kernel still shows it.
    Died(Option<i32>),
}

/// What a thread makes of the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessorUse {
    /// It has used so much.
    pub time: Duration,
    /// It runs or would like to.
    pub would_run: bool,
}
