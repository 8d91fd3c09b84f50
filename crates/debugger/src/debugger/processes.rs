//! Starting, attaching, ending processes.

use std::sync::Arc;

use wayfarer_backend::{
    self as backend, AgentId, AttachRequest, Backend, Hold, LaunchRequest, Launches, Module,
    OpenTraceRequest,
};

use super::{At, Debugger};
use crate::session::{Process, ProcessKey, ProcessMemory, Space, ThreadKey, called, free_name};
use crate::view::{Origin, ProcessState, ProcessView, StopReason, StopView, Who};
use crate::{DebuggerError, Event, Launch, OpenTrace, Result, Set};

/// How a run began, so that it can begin again.
#[derive(Clone, Debug)]
pub(super) enum Beginning {
    Program(Launch),
    Trace(OpenTrace),
}

impl Debugger {
    /// Begins a replay of a trace, and leaves it stopped before the first instruction of its first program.
    pub fn open_trace(&mut self, what: OpenTrace) -> Result<StopView> {
        let (agent, process, notes) = self.begin_replay(what, None, false)?;
        for note in notes {
            self.say(note);
        }
        self.enter(agent, &process)
    }

    /// The same for a run that has been shown: it stands at its beginning again.
    pub(super) fn open_again(&mut self, what: OpenTrace) -> Result<StopView> {
        let (agent, process, _) = self.begin_replay(what, None, true)?;
        self.enter(agent, &process)
    }

    /// The same on the way to a place, of which nothing is told.
    pub(super) fn open_held(&mut self, what: OpenTrace, hold: Option<Hold>) -> Result<AgentId> {
        let (agent, process, _) = self.begin_replay(what, hold, true)?;
        self.adopt(agent, &process, backend::Origin::Launch);
        self.at_entry = false;
        Ok(agent)
    }

    fn begin_replay(
        &mut self,
        what: OpenTrace,
        hold: Option<Hold>,
        again: bool,
    ) -> Result<(AgentId, backend::Process, Vec<String>)> {
        let agent = self.launching()?;
        let request = OpenTraceRequest {
            directory: what.directory.display().to_string(),
            accept_damage: what.accept_damage,
            hold,
            again,
        };
        let opened = launches(&*self.backend(agent)?)?.open_trace(request)?;
        self.begun = Some(Beginning::Trace(what));
        Ok((agent, opened.process, opened.notes))
    }

    /// Starts a program and leaves it stopped before its first instruction. Breakpoints set now are placed as soon
    /// as their code is mapped.
    pub fn launch(&mut self, what: Launch) -> Result<StopView> {
        use std::os::unix::ffi::OsStrExt;
        let agent = match what.agent {
            Some(agent) => agent,
            None => self.launching()?,
        };
        let mut environment: Vec<(std::ffi::OsString, std::ffi::OsString)> = std::env::vars_os()
            .filter(|(name, _)| {
                !what.unset.contains(name) && !what.env.iter().any(|(set, _)| set == name)
            })
            .collect();
        environment.extend(what.env.iter().cloned());
        let raw_environment = environment
            .iter()
            .map(|(name, value)| [name.as_bytes(), b"=", value.as_bytes()].concat())
            .collect();
        let directory = what.cwd.clone().or_else(|| std::env::current_dir().ok());
        let process = launches(&*self.backend(agent)?)?.launch(LaunchRequest {
            arguments: what
                .argv
                .iter()
                .map(|word| word.as_bytes().to_vec())
                .collect(),
            environment: raw_environment,
            directory: directory.map(|path| path.display().to_string()),
            randomize: what.randomize,
        })?;
        self.begun = Some(Beginning::Program(what));
        self.enter(agent, &process)
    }

    /// Takes the first process of a run in, which stands at its first instruction.
    fn enter(&mut self, agent: AgentId, process: &backend::Process) -> Result<StopView> {
        let number = self.adopt(agent, process, backend::Origin::Launch);
        self.at_entry = true;
        self.take_over(number);
        self.initial_stop(number, StopReason::Entry)
    }

    /// Whether the session is a replay.
    pub fn replays(&self) -> bool {
        matches!(self.begun, Some(Beginning::Trace(_)))
    }

    /// What would make the rest of a replay another run than the recorded one is refused.
    pub(super) fn may_change_the_run(&self) -> Result<()> {
        if self.replays() {
            return Err(DebuggerError::Recorded(
                "it would change the recorded run; values can be changed and functions called in a program that \
`wayfarer run` starts",
            ));
        }
        Ok(())
    }

    /// Ends what was launched, if it lives, and launches it again, with the same breakpoints. A replay begins anew.
    pub fn relaunch(&mut self) -> Result<StopView> {
        let what = self.begun.clone().ok_or_else(|| {
            DebuggerError::Usage(
                "No program to run: start with wayfarer run -- PROGRAM.".to_owned(),
            )
        })?;
        self.end_run()?;
        match what {
            Beginning::Program(what) => self.launch(what),
            Beginning::Trace(what) => self.open_trace(what),
        }
    }

    /// Ends what was launched, if it lives.
    pub(super) fn end_run(&mut self) -> Result<()> {
        let alive: Vec<ProcessKey> = self
            .processes
            .values()
            .filter(|process| process.is_alive() && process.origin == Origin::Launched)
            .map(|process| process.key)
            .collect();
        self.end_processes(&alive)?;
        // The ended run's processes give their names and numbers to the new one.
        self.processes.retain(|_, process| process.is_alive());
        if self.processes.is_empty() {
            self.next_process = 1;
        }
        self.followed = None;
        Ok(())
    }

    /// Whether the launched program stands at its very beginning: `run` then needs only to continue.
    pub fn at_entry(&self) -> bool {
        self.at_entry
    }

    /// Attaches to processes with all their threads; they stand still afterwards. One result per pid.
    pub fn attach(&mut self, pids: &[i32]) -> Vec<(i32, Result<StopView>)> {
        let reply = self.launching().and_then(|agent| {
            let pids = pids.to_vec();
            let reply = launches(&*self.backend(agent)?)?.attach(AttachRequest { pids })?;
            Ok((agent, reply))
        });
        let (agent, reply) = match reply {
            Ok(reply) => reply,
            Err(error) => {
                let words = error.to_string();
                let mut first = Some(error);
                let repeat = |pid: &i32| {
                    (
                        *pid,
                        Err(first
                            .take()
                            .unwrap_or_else(|| DebuggerError::Agent(words.clone()))),
                    )
                };
                return pids.iter().map(repeat).collect();
            }
        };
        let mut results = Vec::new();
        for result in reply.results {
            let outcome = match result.outcome {
                Ok(process) => {
                    let number = self.adopt(agent, &process, backend::Origin::Attach);
                    self.take_over(number);
                    self.initial_stop(number, StopReason::Attached)
                }
                Err(failure) => Err(failure.into()),
            };
            results.push((result.pid, outcome));
        }
        results
    }
}

impl At<'_> {
    /// Lets processes go on without us, unharmed. `None`: the current one.
    pub fn detach(&mut self, set: Option<&Set>) -> Result<Vec<ProcessView>> {
        if self.debugger.replays() {
            return Err(DebuggerError::Recorded(
                "a recorded process cannot run on without its recording",
            ));
        }
        let numbers = self.meant_processes(set)?;
        let keys = self.keys_of(&numbers);
        for (agent, targets) in self.debugger.processes_by_holder(&keys) {
            self.debugger.backend(agent)?.detach(targets)?.check()?;
        }
        for number in &numbers {
            self.debugger.end_process(*number, ProcessState::Detached);
        }
        Ok(self.views_of(&numbers))
    }

    /// Ends processes. `None`: the current one.
    pub fn kill(&mut self, set: Option<&Set>) -> Result<Vec<ProcessView>> {
        let numbers = self.meant_processes(set)?;
        if self
            .debugger
            .processes
            .values()
            .any(|process| process.is_alive() && !numbers.contains(&process.number))
        {
            self.debugger.may_change_the_run()?;
        }
        let keys = self.keys_of(&numbers);
        self.debugger.end_processes(&keys)?;
        Ok(self.views_of(&numbers))
    }

    fn keys_of(&self, numbers: &[u32]) -> Vec<ProcessKey> {
        let those = numbers
            .iter()
            .filter_map(|number| self.debugger.processes.get(number));
        those.map(|process| process.key).collect()
    }
}

impl Debugger {
    /// Ends the session: launched processes are killed, attached ones let go.
    pub fn quit(&mut self) -> Result<()> {
        let alive = |origin: Origin| -> Vec<ProcessKey> {
            let those = self
                .processes
                .values()
                .filter(|process| process.is_alive() && process.origin == origin);
            those.map(|process| process.key).collect()
        };
        let (launched, attached) = (alive(Origin::Launched), alive(Origin::Attached));
        let mut outcome = Ok(());
        for (agent, targets) in self.processes_by_holder(&attached) {
            let detached = self
                .backend(agent)
                .and_then(|backend| Ok(backend.detach(targets)?));
            outcome = outcome.and(detached.map(|_| ()));
        }
        if !launched.is_empty() {
            outcome = outcome.and(self.end_processes(&launched));
        }
        for process in self
            .processes
            .values_mut()
            .filter(|process| process.is_alive())
        {
            process.end = Some(ProcessState::Detached);
        }
        self.backends.close();
        outcome
    }

    fn end_processes(&mut self, keys: &[ProcessKey]) -> Result<()> {
        for (agent, targets) in self.processes_by_holder(keys) {
            self.backend(agent)?.kill(targets)?;
        }
        let numbers: Vec<u32> = self
            .processes
            .values()
            .filter(|process| keys.contains(&process.key))
            .map(|process| process.number)
            .collect();
        let killed = ProcessState::Killed {
            signal: 9,
            signal_name: "SIGKILL".to_owned(),
        };
        for number in numbers {
            self.end_process(number, killed.clone());
        }
        Ok(())
    }

    /// Writes down that a process is no longer ours.
    pub(super) fn end_process(&mut self, number: u32, end: ProcessState) {
        let Some(process) = self.processes.get_mut(&number) else {
            return;
        };
        if process.end.is_some() {
            return;
        }
        // Its symbols stay, for breakpoints of the next run and for questions about the code.
        process.end = Some(end);
        let threads = process.threads.values();
        let threads: Vec<ThreadKey> = threads.map(|thread| thread.key).collect();
        for thread in threads {
            self.steps.remove(&thread);
        }
        for breakpoint in self.breakpoints.values_mut() {
            let (gone, kept) = std::mem::take(&mut breakpoint.places)
                .into_iter()
                .partition(|place| place.view.process_number == number);
            breakpoint.places = kept;
            let gone: Vec<crate::breakpoint::Placed> = gone;
            if !gone.is_empty() {
                breakpoint.last_places = gone.into_iter().map(|place| place.view).collect();
            }
        }
        self.drop_watchpoints_of(number);
        self.drop_calls_of(number);
        let last = self.processes.values().all(|process| !process.is_alive());
        if last {
            self.at_entry = false;
        }
        // A command follows somebody who is there, if there is one.
        if self
            .followed
            .is_some_and(|followed| followed.process == number)
            && !last
            && self.foreground
        {
            let next = self.processes.values().find(|process| process.is_alive());
            self.followed = next.and_then(|process| {
                let thread = process.live_threads().next()?.number;
                Some(crate::ThreadId {
                    process: process.number,
                    thread,
                })
            });
        }
    }

    /// Takes a process of a back end into our tables; its number.
    pub(super) fn adopt(
        &mut self,
        agent: AgentId,
        told: &backend::Process,
        origin: backend::Origin,
    ) -> u32 {
        let key = ProcessKey { agent, id: told.id };
        if let Some(known) = self.process_by_key(key) {
            for thread in &told.threads {
                known.add_thread(thread);
            }
            return known.number;
        }
        let number = self.next_process;
        self.next_process += 1;
        let parent = told.parent.and_then(|id| {
            let mut known = self.processes.values().rev();
            known.find(|process| process.key == ProcessKey { agent, id })
        });
        let memory = Arc::new(match self.backends.get(agent) {
            Some(backend) => ProcessMemory::new(backend, told.id),
            None => ProcessMemory::of_nobody(),
        });
        let (space, modules_known) = match parent {
            Some(parent) if origin != backend::Origin::Launch => {
                (parent.space.forked(memory), true)
            }
            _ => (Space::empty(memory), false),
        };
        let parent = parent.map(|process| process.number);
        let program = match told.executable.as_str() {
            "" => told.arguments.first().cloned().unwrap_or_default(),
            path => path.to_owned(),
        };
        let taken = self.processes.values().map(|process| process.name.as_str());
        let name = match &told.name {
            Some(name) => name.clone(),
            None => free_name(called_in(told, &program), taken),
        };
        let mut process = Process {
            key,
            number,
            pid: told.pid,
            name,
            renamed: false,
            program,
            parent,
            origin: if told.launched {
                Origin::Launched
            } else {
                Origin::Attached
            },
            end: None,
            threads: std::collections::BTreeMap::new(),
            next_thread: 1,
            space,
            modules_known,
            last_looked_at: 1,
        };
        for thread in &told.threads {
            process.add_thread(thread);
        }
        self.processes.insert(number, process);
        number
    }

    /// Learns the modules of a process and places every breakpoint that belongs there.
    pub(super) fn take_over(&mut self, number: u32) {
        if self.replays() && !self.passes_by() {
            self.watch_again(number);
        }
        if let Err(error) = self.learn_modules(number, None) {
            self.say(error.to_string());
        }
        self.place_everything_in(number);
    }

    /// Asks for (or takes) the list of modules.
    pub(super) fn learn_modules(&mut self, number: u32, listed: Option<Vec<Module>>) -> Result<()> {
        let process = self.process(number)?;
        let (key, space, name) = (process.key, process.space.clone(), process.name.clone());
        let listed = match listed {
            Some(listed) => listed,
            None => self.backend(key.agent)?.modules(key.id)?,
        };
        let (space, problems) = space.with_modules(&listed, &mut self.library);
        if let Some(process) = self.processes.get_mut(&number) {
            process.space = space;
            process.modules_known = true;
            process
                .threads
                .values_mut()
                .for_each(|thread| thread.backtrace = None);
        }
        // What has no file (the vDSO) is missed by nobody.
        for problem in problems
            .into_iter()
            .filter(|problem| !problem.starts_with('['))
        {
            self.say(format!("{name}: {problem}"));
        }
        Ok(())
    }

    fn initial_stop(&mut self, number: u32, reason: StopReason) -> Result<StopView> {
        let process = self.process(number)?;
        let thread = process
            .live_threads()
            .next()
            .map_or(1, |thread| thread.number);
        let id = crate::ThreadId {
            process: number,
            thread,
        };
        let alone = self
            .processes
            .values()
            .all(|process| process.number == number || !process.is_alive());
        let view = StopView {
            current: alone,
            ..self.stop_view(id, reason)?
        };
        self.emit(Event::Stopped(view.clone()));
        Ok(view)
    }
}

impl At<'_> {
    /// The live processes a command means.
    fn meant_processes(&mut self, set: Option<&Set>) -> Result<Vec<u32>> {
        let mut numbers: Vec<u32> = match set {
            Some(set) => self
                .debugger
                .resolve(set)?
                .iter()
                .map(|id| id.process)
                .collect(),
            None => self.own_process().into_iter().collect(),
        };
        numbers.dedup();
        numbers.retain(|number| {
            self.debugger
                .processes
                .get(number)
                .is_some_and(Process::is_alive)
        });
        if numbers.is_empty() {
            return Err(DebuggerError::NoProcess);
        }
        Ok(numbers)
    }

    fn views_of(&self, numbers: &[u32]) -> Vec<ProcessView> {
        self.processes()
            .into_iter()
            .filter(|view| numbers.contains(&view.number))
            .collect()
    }
}

impl Debugger {
    pub(super) fn who_of_process(&self, number: u32) -> Option<Who> {
        self.processes.get(&number).map(Process::who_first)
    }
}

/// Who can take processes in, if this back end can.
fn launches(backend: &dyn Backend) -> Result<&dyn Launches> {
    backend.launches().ok_or_else(|| {
        DebuggerError::Usage("No program can be started here, nor attached to.".to_owned())
    })
}

impl Drop for Debugger {
    fn drop(&mut self) {
        // A front end that ends without `quit` (an error, a panic) must not leave programs behind.
        let _ = self.quit();
    }
}

/// What this process is to be called, before it gets a number.
pub(super) fn called_in<'a>(told: &'a backend::Process, file: &'a str) -> &'a str {
    let first = told.arguments.first().map_or("", String::as_str);
    let mut threads = told.threads.iter();
    let main = threads.find(|thread| thread.tid == told.pid);
    called(file, first, main.map_or("", |thread| thread.name.as_str()))
}
