//! Registers and stacks of many threads in one request, and what becomes stale when something runs.
//!
//! Registers and the first pages of all stacks come in one answer of a back end, and are unwound on
//! all processors; `thread apply all bt` goes this way too.

use wayfarer_backend::{AgentId, SnapshotRequest, Targets, ThreadSnapshot};

use super::Debugger;
use crate::session::ThreadKey;
use crate::{DebuggerError, Result, ThreadId};

/// Stack bytes fetched with the registers: most stacks are shorter, the rest is read page by page.
const STACK_BYTES: u32 = 16 << 10;
/// The same when hundreds of threads are asked for at once.
const STACK_BYTES_IN_BULK: u32 = 8 << 10;

impl Debugger {
    /// Makes the registers of stopped threads known, with one request of each back end for all that are not.
    pub(super) fn fetch_snapshots(&mut self, ids: &[ThreadId]) -> Result<()> {
        let unknown = |id: &ThreadId| {
            self.thread(*id).is_ok_and(|(process, thread)| {
                let stands = process.is_alive() && !thread.running && !thread.exited;
                stands && (thread.general.is_none() || thread.vector.is_none())
            })
        };
        let missing: Vec<ThreadId> = ids.iter().copied().filter(unknown).collect();
        let stack_bytes = match missing.len() {
            ..=8 => STACK_BYTES,
            _ => STACK_BYTES_IN_BULK,
        };
        for (agent, threads) in self.by_holder(&missing) {
            let reply = self.backend(agent)?.snapshot(SnapshotRequest {
                targets: Targets::threads(threads),
                stack_bytes,
                vector: true,
            })?;
            // Who could not be read has no registers then: what is asked of it next says so.
            for snapshot in reply.into_iter().filter_map(|one| one.outcome.ok()) {
                self.take_snapshot(agent, snapshot);
            }
        }
        Ok(())
    }

    fn take_snapshot(&mut self, agent: AgentId, snapshot: ThreadSnapshot) {
        let id = snapshot.thread;
        let Some(id) = self.numbers_of(ThreadKey { agent, id }) else {
            return;
        };
        if let Ok(process) = self.process(id.process) {
            let memory = &process.space.memory;
            memory.remember(snapshot.stack_address, &snapshot.stack);
        }
        if let Some(thread) = self.thread_mut(id) {
            thread.general = Some(snapshot.general);
            thread.events = snapshot.events;
            thread.vector = Some(snapshot.vector.unwrap_or_default());
        }
    }

    /// The same for one thread, which must have some.
    pub(super) fn fetch_registers(&mut self, id: ThreadId) -> Result<()> {
        let (process, thread) = self.thread(id)?;
        if process.live_threads().any(|thread| thread.running) {
            // Others of the process run: what was read before may have changed.
            process.space.memory.forget();
        }
        let (name, running) = (process.name.clone(), thread.running);
        self.fetch_snapshots(&[id])?;
        match self.thread(id)?.1.general {
            Some(_) => Ok(()),
            None if running => Err(DebuggerError::Running(name)),
            None => Err(DebuggerError::Gone(
                name,
                "its registers can't be read".to_owned(),
            )),
        }
    }

    /// Forgets what a stop let us remember of these threads and their processes.
    pub(super) fn forget_stop(&mut self, ids: &[ThreadId]) {
        for id in ids {
            if let Some(process) = self.processes.get_mut(&id.process) {
                process.space.memory.forget();
                if let Some(thread) = process.threads.get_mut(&id.thread) {
                    thread.set_running();
                }
            }
        }
    }
}
