//! The invented world: processes, threads, what they have, and what is set.

use std::collections::{BTreeMap, VecDeque};

use wayfarer_backend::{
    BreakpointId, Catch, EventKind, GeneralRegisters, InferiorCallReply, InsertWatchpointRequest,
    Module, Process, ProcessId, SignalDisposition, StopReason, StopScope, Target, Targets, Thread,
    ThreadId, ThreadState, VectorRegisters,
};

use crate::breakpoints::Breakpoint;
use crate::memory::Memory;

/// Processes and threads that a test invents, and everything that the debugger has put into them.
#[derive(Default)]
pub struct World {
    pub(crate) processes: BTreeMap<ProcessId, Inhabited>,
    pub(crate) threads: BTreeMap<ThreadId, Standing>,
    pub(crate) breakpoints: BTreeMap<BreakpointId, Breakpoint>,
    pub(crate) watchpoints: BTreeMap<BreakpointId, InsertWatchpointRequest>,
    pub(crate) catchpoints: BTreeMap<BreakpointId, Catch>,
    pub(crate) signals: BTreeMap<i32, SignalDisposition>,
    pub(crate) settings: Settings,
    /// What calls of functions will give.
    pub(crate) calls: VecDeque<InferiorCallReply>,
    /// What has happened and has not been told.
    pub(crate) happened: Vec<EventKind>,
    /// The dead of whom nobody has heard, with the kernel's numbers.
    pub(crate) untold: BTreeMap<ProcessId, i32>,
    last: u64,
}

/// What the debugger has set for the whole session.
pub(crate) struct Settings {
    pub scope: StopScope,
    pub follow_children: bool,
    pub hold_on_load: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            scope: StopScope::All,
            follow_children: true,
            hold_on_load: false,
        }
    }
}

/// A process of the world.
#[derive(Clone)]
pub(crate) struct Inhabited {
    pub described: Process,
    pub memory: Memory,
    pub modules: Vec<Module>,
    /// The debugger has it; before that it waits to be launched or attached to.
    pub in_session: bool,
}

/// A thread of the world.
#[derive(Clone)]
pub(crate) struct Standing {
    pub described: Thread,
    pub general: GeneralRegisters,
    pub vector: VectorRegisters,
    /// It was resumed, and no stop has taken that back. What keeps it nevertheless is below.
    pub goes: bool,
    /// The debugger holds it.
    pub held: bool,
    /// It waits at a barrier.
    pub at_barrier: bool,
    /// It waits for `release`.
    pub waits: bool,
    /// Something that happened while it stood, told when it is to go on.
    pub pending: Option<StopReason>,
}

impl Standing {
    fn state(&self) -> ThreadState {
        match (self.goes, self.held || self.at_barrier || self.waits) {
            (_, true) => ThreadState::Held,
            (true, false) => ThreadState::Running,
            (false, false) => ThreadState::Stopped,
        }
    }
}

impl World {
    /// A process with one thread, which stands at its beginning. It comes into the session when it
    /// is launched (the oldest that waits first) or attached to by its pid.
    pub fn add_process(&mut self, program: &str) -> ProcessId {
        let id = ProcessId(self.next());
        let described = Process {
            name: None,
            id,
            pid: 1000 + id.0 as i32,
            parent: None,
            executable: program.to_owned(),
            arguments: vec![program.to_owned()],
            launched: true,
            threads: Vec::new(),
            shares_memory: false,
        };
        let process = Inhabited {
            described,
            memory: Memory::default(),
            modules: Vec::new(),
            in_session: false,
        };
        self.processes.insert(id, process);
        self.add_thread(id);
        id
    }

    /// One more thread of a process. It runs if another of them does, and is told of if the process
    /// is in the session.
    pub fn add_thread(&mut self, process: ProcessId) -> ThreadId {
        let id = ThreadId(self.next());
        let Some(inhabited) = self.processes.get(&process) else {
            return id;
        };
        let others = self.threads_of(process);
        let pid = inhabited.described.pid;
        let goes = others.iter().any(|other| self.goes(*other));
        let thread = Thread {
            id,
            process,
            tid: if others.is_empty() {
                pid
            } else {
                5000 + id.0 as i32
            },
            number: others.len() as u32 + 1,
            name: "invented".to_owned(),
            state: match goes {
                true => ThreadState::Running,
                false => ThreadState::Stopped,
            },
            reason: None,
        };
        if inhabited.in_session {
            self.happened.push(EventKind::ThreadCreated(thread.clone()));
        }
        let standing = Standing {
            described: thread,
            general: GeneralRegisters {
                orig_rax: u64::MAX,
                ..GeneralRegisters::default()
            },
            vector: VectorRegisters::default(),
            goes,
            held: false,
            at_barrier: false,
            waits: false,
            pending: None,
        };
        self.threads.insert(id, standing);
        id
    }

    /// The threads of a process, oldest first.
    pub fn threads_of(&self, process: ProcessId) -> Vec<ThreadId> {
        let all = self.threads.values().map(|thread| &thread.described);
        let own = all.filter(|thread| thread.process == process);
        own.map(|thread| thread.id).collect()
    }

    /// The registers of a thread, to be changed. A thread that is not there has some, too, that
    /// nobody sees.
    pub fn registers<T>(
        &mut self,
        thread: ThreadId,
        change: impl FnOnce(&mut GeneralRegisters) -> T,
    ) -> T {
        match self.threads.get_mut(&thread) {
            Some(thread) => change(&mut thread.general),
            None => change(&mut GeneralRegisters::default()),
        }
    }

    /// Bytes of a process's memory. What was never written cannot be read.
    pub fn write(&mut self, process: ProcessId, address: u64, bytes: &[u8]) {
        if let Some(process) = self.processes.get_mut(&process) {
            process.memory.map(address, bytes);
        }
    }

    /// An ELF file that a process has mapped from its beginning on; the debugger reads its symbols.
    pub fn map_file(&mut self, process: ProcessId, module: Module) {
        if let Some(process) = self.processes.get_mut(&process) {
            process.modules.push(module);
        }
    }

    /// What the next call of a function of the program gives.
    pub fn answer_call(&mut self, reply: InferiorCallReply) {
        self.calls.push_back(reply);
    }

    /// Whether a thread runs.
    pub fn runs(&self, thread: ThreadId) -> bool {
        let thread = self.threads.get(&thread);
        thread.is_some_and(|thread| thread.state() == ThreadState::Running)
    }

    /// Whether a thread is kept though it may have been resumed.
    pub fn is_held(&self, thread: ThreadId) -> bool {
        let thread = self.threads.get(&thread);
        thread.is_some_and(|thread| thread.state() == ThreadState::Held)
    }

    /// Whether a thread was resumed, and no stop has taken that back.
    pub(crate) fn goes(&self, thread: ThreadId) -> bool {
        self.threads.get(&thread).is_some_and(|thread| thread.goes)
    }

    pub(crate) fn set_goes(&mut self, thread: ThreadId, goes: bool) {
        if let Some(thread) = self.threads.get_mut(&thread) {
            thread.goes = goes;
        }
    }

    /// Where a breakpoint is, in order.
    pub fn places_of(&self, breakpoint: BreakpointId) -> Vec<(ProcessId, u64)> {
        let breakpoint = self.breakpoints.get(&breakpoint);
        let places = breakpoint.into_iter().flat_map(|found| found.places.keys());
        places.map(|at| (at.process, at.address)).collect()
    }

    /// A process as the debugger is told of it.
    pub(crate) fn describe(&self, id: ProcessId) -> Option<Process> {
        let mut described = self.processes.get(&id)?.described.clone();
        let threads = self.threads_of(id).into_iter();
        described.threads = threads
            .filter_map(|thread| {
                let thread = self.threads.get(&thread)?;
                Some(Thread {
                    state: thread.state(),
                    ..thread.described.clone()
                })
            })
            .collect();
        Some(described)
    }

    /// The threads that are meant, and who of the targets is not there.
    pub(crate) fn meant(&self, targets: &Targets) -> (Vec<ThreadId>, Vec<Target>) {
        let present = |process: &ProcessId| {
            let process = self.processes.get(process);
            process.is_some_and(|process| process.in_session)
        };
        let meant = self.threads.values().map(|thread| &thread.described);
        let meant = meant
            .filter(|thread| present(&thread.process) && targets.names(thread.process, thread.id))
            .map(|thread| thread.id)
            .collect();
        let mut missing = Vec::new();
        if let Targets::Named { processes, threads } = targets {
            let gone = processes.iter().filter(|process| !present(process));
            missing.extend(gone.map(|process| Target::Process(*process)));
            let gone = threads.iter().filter(|id| !self.threads.contains_key(id));
            missing.extend(gone.map(|thread| Target::Thread(*thread)));
        }
        (meant, missing)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }
}
