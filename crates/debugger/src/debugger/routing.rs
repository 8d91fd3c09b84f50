//! Which back end a request goes to: the one that holds the process, or each that holds some of those that are meant.

use std::collections::BTreeMap;
use std::sync::Arc;

use wayfarer_backend::{self as backend, AgentId, Backend, ConfigureRequest, Listener, Targets};

use super::Debugger;
use crate::agent::{AgentProcess, connect};
use crate::session::{Process, ProcessKey, Thread, ThreadKey};
use crate::{DebuggerError, Result, ThreadId};

impl Debugger {
    /// Adds a back end besides the agents that the debugger starts itself. It is made with who hears what happens in
    /// it. Processes come by its ability to take them in, if no other back end had that before.
    pub fn add_backend(
        &mut self,
        make: impl FnOnce(Arc<dyn Listener>) -> Result<Arc<dyn Backend>>,
    ) -> Result<AgentId> {
        let id = self.backends.give_id();
        let backend = make(self.mailbox.listener(id))?;
        self.adopt_backend(id, backend, None)?;
        Ok(id)
    }

    /// Makes a back end ours and tells it how we want it.
    fn adopt_backend(
        &mut self,
        id: AgentId,
        backend: Arc<dyn Backend>,
        agent: Option<AgentProcess>,
    ) -> Result<()> {
        self.backends.add(id, backend.clone(), agent);
        self.configure_one(&*backend)?;
        backend.set_signals(self.signals.dispositions(&self.caught_signals()))?;
        for number in self.breakpoints.keys() {
            self.insert_catch_in(*number, &*backend)?;
        }
        Ok(())
    }

    /// Tells all back ends what the settings say.
    pub(super) fn configure(&self) -> Result<()> {
        let mut backends = self.backends.all();
        backends.try_for_each(|backend| self.configure_one(&**backend))
    }

    fn configure_one(&self, backend: &dyn Backend) -> Result<()> {
        backend.configure(ConfigureRequest {
            scope: Some(self.settings.stop_scope()),
            follow_children: Some(self.settings.follows_children()),
            // On the way to a place nothing is placed, so nobody need wait for that.
            hold_on_load: Some(!self.passes_by()),
            detach_parent_on_fork: Some(self.settings.leaves_parents()),
        })?;
        Ok(())
    }

    /// The back end that takes processes in; an agent is started if there is none.
    pub(super) fn launching(&mut self) -> Result<AgentId> {
        if let Some(id) = self.backends.launching() {
            return Ok(id);
        }
        let id = self.backends.give_id();
        let (backend, agent) = connect(&self.options, self.mailbox.listener(id))?;
        self.adopt_backend(id, backend, agent)?;
        Ok(id)
    }

    pub(super) fn backend(&self, id: AgentId) -> Result<Arc<dyn Backend>> {
        self.backends.get(id).ok_or(DebuggerError::NoProcess)
    }

    /// The back end that holds a process.
    pub(super) fn backend_of(&self, process: u32) -> Result<Arc<dyn Backend>> {
        self.backend(self.process(process)?.key.agent)
    }

    /// The back ends that hold live processes.
    pub(super) fn holders(&self) -> Vec<AgentId> {
        let live = self.processes.values().filter(|process| process.is_alive());
        let mut holders: Vec<AgentId> = live.map(|process| process.key.agent).collect();
        holders.sort_unstable();
        holders.dedup();
        holders
    }

    /// Threads by the back end that holds them; those that are not known are left out.
    pub(super) fn by_holder(&self, ids: &[ThreadId]) -> BTreeMap<AgentId, Vec<backend::ThreadId>> {
        let mut found: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (_, thread) in ids.iter().filter_map(|&id| self.thread(id).ok()) {
            found
                .entry(thread.key.agent)
                .or_default()
                .push(thread.key.id);
        }
        found
    }

    /// Processes by the back end that holds them.
    pub(super) fn processes_by_holder(&self, keys: &[ProcessKey]) -> BTreeMap<AgentId, Targets> {
        let mut found: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for key in keys {
            found.entry(key.agent).or_default().push(key.id);
        }
        let named = found.into_iter();
        named
            .map(|(agent, ids)| (agent, Targets::processes(ids)))
            .collect()
    }

    /// Some threads of a back end as targets: whole processes are named where all their threads are meant, so that
    /// threads to come are meant too.
    pub(super) fn compact_targets(&self, agent: AgentId, meant: &[backend::ThreadId]) -> Targets {
        let (mut processes, mut threads) = (Vec::new(), Vec::new());
        let those = self.processes.values();
        for process in those.filter(|process| process.is_alive() && process.key.agent == agent) {
            let live = process.live_threads();
            let own: Vec<backend::ThreadId> = live.map(|thread| thread.key.id).collect();
            if own.iter().all(|id| meant.contains(id)) && !own.is_empty() {
                processes.push(process.key.id);
            } else {
                threads.extend(own.into_iter().filter(|id| meant.contains(id)));
            }
        }
        Targets::Named { processes, threads }
    }

    /// Halts in each of these back ends, all at the same time. The first failure is returned after all have answered.
    pub(super) fn halt_in(&self, targets: BTreeMap<AgentId, Targets>) -> Result<()> {
        let mut asked = Vec::new();
        for (agent, targets) in targets {
            asked.push((self.backend(agent)?, targets));
        }
        let Some((first, targets)) = asked.pop() else {
            return Ok(());
        };
        let answers = std::thread::scope(|scope| {
            let others: Vec<_> = asked
                .into_iter()
                .map(|(backend, targets)| scope.spawn(move || backend.halt(targets)))
                .collect();
            let mut answers = vec![first.halt(targets)];
            // One that panicked has nothing to say that its listener does not hear.
            answers.extend(others.into_iter().filter_map(|other| other.join().ok()));
            answers
        });
        let mut failures = answers.into_iter().filter_map(|answer| answer.err());
        failures
            .next()
            .map_or(Ok(()), |failure| Err(failure.into()))
    }

    pub(super) fn process(&self, number: u32) -> Result<&Process> {
        self.processes
            .get(&number)
            .ok_or_else(|| DebuggerError::UnknownTarget(number.to_string()))
    }

    pub(super) fn process_by_key(&mut self, key: ProcessKey) -> Option<&mut Process> {
        self.processes
            .values_mut()
            .rev()
            .find(|process| process.key == key)
    }

    pub(super) fn thread(&self, id: ThreadId) -> Result<(&Process, &Thread)> {
        let process = self.process(id.process)?;
        let thread = process
            .threads
            .get(&id.thread)
            .ok_or_else(|| DebuggerError::UnknownTarget(id.to_string()))?;
        Ok((process, thread))
    }

    pub(super) fn thread_mut(&mut self, id: ThreadId) -> Option<&mut Thread> {
        self.processes
            .get_mut(&id.process)?
            .threads
            .get_mut(&id.thread)
    }

    /// The numbers of a thread that its back end calls by an id.
    pub(super) fn numbers_of(&self, key: ThreadKey) -> Option<ThreadId> {
        let mut processes = self.processes.values().rev();
        processes.find_map(|process| {
            let thread = process.threads.values().find(|thread| thread.key == key)?;
            Some(ThreadId {
                process: process.number,
                thread: thread.number,
            })
        })
    }
}
