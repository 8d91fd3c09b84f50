//! Processes and threads.

use wayfarer_backend as plain;

use super::{Damaged, all, enumerated, enumeration, list, optional};
use crate as wire;

enumeration!(ThreadState {
    Running,
    Stopped,
    Held,
});

impl From<plain::Process> for wire::Process {
    fn from(process: plain::Process) -> wire::Process {
        wire::Process {
            id: process.id.0,
            pid: process.pid as u32,
            parent: process.parent.map(|parent| parent.0),
            executable: process.executable,
            arguments: process.arguments,
            launched: process.launched,
            threads: list(process.threads),
            shares_memory: process.shares_memory,
            name: process.name,
        }
    }
}

impl TryFrom<wire::Process> for plain::Process {
    type Error = Damaged;

    fn try_from(process: wire::Process) -> Result<plain::Process, Damaged> {
        Ok(plain::Process {
            id: plain::ProcessId(process.id),
            pid: process.pid as i32,
            parent: process.parent.map(plain::ProcessId),
            executable: process.executable,
            arguments: process.arguments,
            launched: process.launched,
            threads: all(process.threads)?,
            shares_memory: process.shares_memory,
            name: process.name,
        })
    }
}

impl From<plain::Thread> for wire::Thread {
    fn from(thread: plain::Thread) -> wire::Thread {
        wire::Thread {
            id: thread.id.0,
            process: thread.process.0,
            tid: thread.tid as u32,
            number: thread.number,
            name: thread.name,
            state: wire::ThreadState::from(thread.state).into(),
            reason: thread.reason.map(Into::into),
        }
    }
}

impl TryFrom<wire::Thread> for plain::Thread {
    type Error = Damaged;

    fn try_from(thread: wire::Thread) -> Result<plain::Thread, Damaged> {
        Ok(plain::Thread {
            id: plain::ThreadId(thread.id),
            process: plain::ProcessId(thread.process),
            tid: thread.tid as i32,
            number: thread.number,
            name: thread.name,
            state: enumerated::<wire::ThreadState, _>(thread.state, "state of a thread")?,
            reason: optional(thread.reason)?,
        })
    }
}
