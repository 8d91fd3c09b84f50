//! What back ends tell: one closed set of events, each handled in one place.

use wayfarer_backend::{
    self as backend, AgentId, EventKind, Module, Origin, ProcessEnd, ProcessExited, Targets,
};

use super::Debugger;
use crate::agent::News;
use crate::debugger::processes::called_in;
use crate::session::{Process, ProcessKey, ThreadKey, free_name};
use crate::signals;
use crate::view::{ProcessState, StopReason, StopView};
use crate::{DebuggerError, Event, Result, ThreadId};

impl Debugger {
    /// Handles one piece of news.
    pub(super) fn take_news(&mut self, news: News) -> Result<()> {
        match news {
            News::Event(agent, event) => self.take_event(agent, event.kind),
            // Nobody waits: there is nothing to interrupt.
            News::Interrupt => Ok(()),
            News::Lost(agent, why) => {
                self.lose_agent(agent, &why);
                Err(DebuggerError::AgentLost(why))
            }
        }
    }

    fn lose_agent(&mut self, agent: AgentId, why: &str) {
        if !self.backends.forget(agent) {
            return;
        }
        let alive: Vec<u32> = self
            .processes
            .values()
            .filter(|process| process.is_alive() && process.key.agent == agent)
            .map(|process| process.number)
            .collect();
        for number in alive {
            self.end_process(number, ProcessState::Detached);
        }
        self.emit(Event::AgentLost {
            why: why.to_owned(),
        });
    }

    fn take_event(&mut self, agent: AgentId, kind: EventKind) -> Result<()> {
        let process_of = |id| ProcessKey { agent, id };
        let thread_of = |id| ThreadKey { agent, id };
        match kind {
            EventKind::ProcessCreated { process, origin } => {
                self.process_created(agent, &process, origin);
            }
            EventKind::ThreadCreated(thread) => self.thread_created(agent, &thread),
            EventKind::Exec { process, held } => self.executed(agent, process, held)?,
            EventKind::ThreadExited { thread, .. } => self.thread_exited(thread_of(thread)),
            EventKind::ProcessExited(exited) => self.process_exited(agent, &exited)?,
            EventKind::Stopped(stopped) => self.stopped(agent, stopped)?,
            EventKind::LibrariesChanged {
                process,
                held,
                modules,
                ..
            } => self.libraries_changed(process_of(process), modules, held)?,
            EventKind::SignalSeen { thread, signal, .. } => {
                if let Some(id) = self.numbers_of(thread_of(thread)) {
                    self.emit(Event::Signal {
                        who: self.who(id)?,
                        number: signal,
                        name: signals::name(signal),
                        meaning: signals::meaning(signal).to_owned(),
                    });
                }
            }
            EventKind::BarrierArrived(arrived) => self.arrived_at_barrier(agent, &arrived)?,
            EventKind::ProcessDetached { process, .. } => {
                let process = self.process_by_key(process_of(process));
                let number = process.map(|process| process.number);
                if let Some(number) = number {
                    self.end_process(number, ProcessState::Detached);
                }
            }
            EventKind::ReplayEnded(ended) => self.emit(Event::ReplayEnded {
                identical: ended.difference.is_none(),
                difference: ended.difference,
                status: ended.status,
                events: ended.events,
                threads: ended.threads,
                processes: ended.processes,
            }),
            // Our own calls, which have been written down already.
            EventKind::Resumed(_) => {}
        }
        Ok(())
    }

    fn thread_created(&mut self, agent: AgentId, thread: &backend::Thread) {
        let id = thread.process;
        let Some(process) = self.process_by_key(ProcessKey { agent, id }) else {
            return;
        };
        let mut threads = process.threads.values();
        let known = threads.any(|known| known.key.id == thread.id);
        let number = process.add_thread(thread);
        let added = process.threads.get(&number);
        let who = added.map(|thread| process.who(thread));
        if let (Some(who), false) = (who, known) {
            self.emit(Event::NewThread { who });
        }
    }

    fn process_created(&mut self, agent: AgentId, process: &backend::Process, origin: Origin) {
        let id = process.id;
        if self.process_by_key(ProcessKey { agent, id }).is_some() {
            return;
        }
        let how = match origin {
            Origin::Fork => "fork",
            Origin::Vfork => "vfork",
            Origin::Clone => "clone",
            // Told by the call that asked for it.
            Origin::Launch | Origin::Attach => return,
        };
        let number = self.adopt(agent, process, origin);
        self.inherit_places(number);
        let parent = self.process(number).ok().and_then(|process| process.parent);
        let parent = parent
            .and_then(|parent| self.process(parent).ok())
            .map(|parent| parent.name.clone());
        if let Some(who) = self.who_of_process(number) {
            self.emit(Event::NewProcess {
                who,
                parent,
                how: how.to_owned(),
            });
        }
    }

    fn executed(&mut self, agent: AgentId, told: backend::Process, held: bool) -> Result<()> {
        let key = ProcessKey { agent, id: told.id };
        let taken: Vec<String> = self
            .processes
            .values()
            .filter(|process| process.key != key)
            .map(|process| process.name.clone())
            .collect();
        let Some(process) = self.process_by_key(key) else {
            return Ok(());
        };
        let (number, old_name) = (process.number, process.name.clone());
        process.program.clone_from(&told.executable);
        if !process.renamed
            && let Some(name) = &told.name
        {
            process.name.clone_from(name);
        } else if !process.renamed {
            let program = called_in(&told, &told.executable);
            process.name = free_name(program, taken.iter().map(String::as_str));
        }
        for thread in process.threads.values_mut() {
            thread.exited = !told.threads.iter().any(|alive| alive.id == thread.key.id);
            thread.forget();
        }
        for thread in &told.threads {
            process.add_thread(thread);
        }
        let memory = process.space.memory.clone();
        memory.forget();
        process.space = crate::session::Space::empty(memory);
        process.modules_known = false;
        let threads = process.threads.values();
        let threads: Vec<ThreadKey> = threads.map(|thread| thread.key).collect();
        for thread in threads {
            self.steps.remove(&thread);
        }
        for breakpoint in self.breakpoints.values_mut() {
            breakpoint
                .places
                .retain(|place| place.view.process_number != number);
        }
        self.drop_watchpoints_of(number);
        self.drop_calls_of(number);
        self.take_over(number);
        if let Some(who) = self.who_of_process(number) {
            self.emit(Event::Executed {
                who,
                program: told.executable,
                old_name,
            });
        }
        if held {
            self.let_go(key)?;
        }
        Ok(())
    }

    fn libraries_changed(
        &mut self,
        key: ProcessKey,
        modules: Vec<Module>,
        held: bool,
    ) -> Result<()> {
        let Some(number) = self.process_by_key(key).map(|process| process.number) else {
            return Ok(());
        };
        let paths = |debugger: &Debugger| -> Vec<String> {
            let modules = debugger
                .process(number)
                .map(|process| process.space.modules.clone())
                .unwrap_or_default();
            modules.iter().map(|module| module.path.clone()).collect()
        };
        let before = paths(self);
        if let Some(process) = self.processes.get(&number) {
            process.space.memory.forget();
        }
        self.learn_modules(number, Some(modules))?;
        self.place_everything_in(number);
        let after = paths(self);
        if let Some(who) = self.who_of_process(number) {
            let come = after
                .iter()
                .filter(|path| !before.contains(path))
                .map(|path| (path.clone(), true));
            let gone = before
                .iter()
                .filter(|path| !after.contains(path))
                .map(|path| (path.clone(), false));
            for (path, loaded) in come.chain(gone).collect::<Vec<_>>() {
                self.emit(Event::Library {
                    who: who.clone(),
                    path,
                    loaded,
                });
            }
        }
        if held {
            self.let_go(key)?;
        }
        Ok(())
    }

    fn let_go(&self, key: ProcessKey) -> Result<()> {
        let backend = self.backend(key.agent)?;
        backend.release(Targets::process(key.id))?;
        Ok(())
    }

    fn thread_exited(&mut self, exited: ThreadKey) {
        let Some(id) = self.numbers_of(exited) else {
            return;
        };
        self.steps.remove(&exited);
        let who = self.who(id);
        if let Some(thread) = self.thread_mut(id) {
            thread.exited = true;
        }
        if self.followed == Some(id) {
            let next = self
                .process(id.process)
                .ok()
                .and_then(|process| process.live_threads().next());
            self.followed = next
                .map(|next| ThreadId {
                    process: id.process,
                    thread: next.number,
                })
                .or(self.followed);
        }
        // The end of a whole process is told once.
        let lives = self.process(id.process).is_ok_and(Process::is_alive);
        if let Some(who) = who.ok().filter(|_| lives) {
            self.emit(Event::ThreadExited { who });
        }
    }

    fn process_exited(&mut self, agent: AgentId, exited: &ProcessExited) -> Result<()> {
        let id = exited.process;
        let Some(process) = self.process_by_key(ProcessKey { agent, id }) else {
            return Ok(());
        };
        if process.end.is_some() {
            return Ok(());
        }
        let (number, who) = (process.number, process.who_first());
        let (end, reason) = match exited.end {
            ProcessEnd::Killed { signal, .. } => {
                let name = signals::name(signal);
                let meaning = signals::meaning(signal).to_owned();
                (
                    ProcessState::Killed {
                        signal,
                        signal_name: name.clone(),
                    },
                    StopReason::Killed {
                        signal,
                        name,
                        meaning,
                    },
                )
            }
            ProcessEnd::Exited(status) => (
                ProcessState::Exited { status },
                StopReason::Exited { status },
            ),
        };
        let current = self.foreground
            && self
                .followed
                .is_some_and(|followed| followed.process == number);
        self.memories.set_exit(&reason);
        self.end_process(number, end);
        let view = StopView {
            who,
            reason,
            frame: None,
            source_line: None,
            current,
            events: None,
            new_function: true,
        };
        self.emit(Event::Stopped(view.clone()));
        // An end is the end of a command only when nobody is left who runs.
        if !self.is_running() && !self.awaits_barrier() {
            self.reported.push(view);
        }
        Ok(())
    }
}
