//! Telling the debugger.

use super::Tracer;
use super::thread::{State, Wanted};
use crate::convert;
use wayfarer_backend::{
    Event, EventKind, Process, ProcessId, StopReason, Thread, ThreadId, ThreadState, ThreadStop,
};
use wayfarer_ptrace::process_files;

impl Tracer {
    /// Sends an event, if somebody listens.
    pub(super) fn tell(&mut self, kind: EventKind) {
        self.sequence += 1;
        let event = Event {
            sequence: self.sequence,
            time_ns: wayfarer_ptrace::wait::monotonic_ns(),
            kind,
        };
        if let Some(events) = &self.events {
            // A closed stream is noticed as the end of the session.
            let _ = events.send(event);
        }
    }

    /// The process as the debugger sees it.
    pub(super) fn describe_process(&mut self, id: ProcessId) -> Option<Process> {
        let process = self.processes.get(&id)?;
        let pid = process.pid;
        let threads = process.threads.clone();
        let description = Process {
            id,
            pid: pid.0,
            parent: process.parent,
            executable: process_files::executable(pid)
                .map(|path| path.to_string_lossy().into_owned())
                .unwrap_or_default(),
            arguments: process_files::arguments(pid),
            launched: process.launched,
            threads: Vec::new(),
            shares_memory: process.shares_memory,
            name: process.name.clone(),
        };
        let threads = threads
            .into_iter()
            .filter_map(|thread| self.describe_thread(thread))
            .collect();
        Some(Process {
            threads,
            ..description
        })
    }

    /// The thread as the debugger sees it.
    pub(super) fn describe_thread(&mut self, id: ThreadId) -> Option<Thread> {
        let thread = self.threads.get_mut(&id)?;
        let state = match (&thread.state, thread.wanted) {
            (State::Stopped(..), _) if thread.holds.any() => ThreadState::Held,
            (State::Stopped(..), Wanted::Stopped) => ThreadState::Stopped,
            _ => ThreadState::Running,
        };
        Some(Thread {
            id,
            process: thread.process,
            tid: thread.tid.0,
            number: thread.number,
            name: process_files::name(thread.tid),
            state,
            reason: thread.reason.clone(),
        })
    }

    /// A thread's stop with its registers.
    pub(super) fn describe_stop(&mut self, id: ThreadId, reason: StopReason) -> Option<ThreadStop> {
        let events = self.events_of(id);
        let thread = self.threads.get_mut(&id)?;
        Some(ThreadStop {
            process: thread.process,
            thread: id,
            reason,
            registers: thread.registers().as_ref().map(convert::general_of),
            events,
        })
    }
}
