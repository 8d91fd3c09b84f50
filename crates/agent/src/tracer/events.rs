//! Telling the debugger.

use super::Tracer;
use super::process::ProcessId;
use super::thread::{State, ThreadId, Wanted};
use crate::convert;
use wayfarer_protocol as wire;
use wayfarer_ptrace::process_files;
use wire::event::Kind;

impl Tracer {
    /// Sends an event, if somebody listens.
    pub(super) fn tell(&mut self, kind: Kind) {
        self.sequence += 1;
        let event = wire::Event {
            sequence: self.sequence,
            time_ns: wayfarer_ptrace::wait::monotonic_ns(),
            kind: Some(kind),
        };
        if let Some(events) = &self.events {
            // A closed stream is noticed as the end of the session.
            let _ = events.send(event);
        }
    }

    /// The process as the debugger sees it.
    pub(super) fn describe_process(&mut self, id: ProcessId) -> Option<wire::Process> {
        let process = self.processes.get(&id)?;
        let pid = process.pid;
        let threads = process.threads.clone();
        let description = wire::Process {
            id: id.0,
            pid: pid.0 as u32,
            parent: process.parent.map(|parent| parent.0),
            executable: process_files::executable(pid)
                .map(|path| path.to_string_lossy().into_owned())
                .unwrap_or_default(),
            arguments: process_files::arguments(pid),
            launched: process.launched,
            threads: Vec::new(),
            shares_memory: process.shares_memory,
        };
        let threads = threads
            .into_iter()
            .filter_map(|thread| self.describe_thread(thread))
            .collect();
        Some(wire::Process {
            threads,
            ..description
        })
    }

    /// The thread as the debugger sees it.
    pub(super) fn describe_thread(&mut self, id: ThreadId) -> Option<wire::Thread> {
        let thread = self.threads.get_mut(&id)?;
        let state = match (&thread.state, thread.wanted) {
            (State::Stopped(..), _) if thread.holds.any() => wire::ThreadState::Held,
            (State::Stopped(..), Wanted::Stopped) => wire::ThreadState::Stopped,
            _ => wire::ThreadState::Running,
        };
        Some(wire::Thread {
            id: id.0,
            process: thread.process.0,
            tid: thread.tid.0 as u32,
            number: thread.number,
            name: process_files::name(thread.tid),
            state: state.into(),
            reason: thread.reason.clone(),
        })
    }

    /// A thread's stop with its registers.
    pub(super) fn describe_stop(
        &mut self,
        id: ThreadId,
        reason: wire::StopReason,
    ) -> wire::ThreadStop {
        let thread = self.threads.get_mut(&id);
        let process = thread.as_ref().map_or(0, |thread| thread.process.0);
        let registers = thread.and_then(|thread| thread.registers());
        wire::ThreadStop {
            process,
            thread: id.0,
            reason: Some(reason),
            registers: registers.map(|registers| convert::general_to_wire(&registers)),
        }
    }
}

/// A reason as the protocol wraps it.
pub(super) fn reason(reason: wire::stop_reason::Reason) -> wire::StopReason {
    wire::StopReason {
        reason: Some(reason),
    }
}
