//! Processes and threads of the session.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use wayfarer_backend::{
    self as backend, AgentId, GeneralRegisters, StopReason, ThreadState, VectorRegisters,
};
use wayfarer_symbols::frames::Backtrace;
use wayfarer_symbols::registers::Registers;

use super::{ProcessKey, Space, ThreadKey};
use crate::ThreadId;
use crate::set::Member;
use crate::view::{Origin, ProcessState, Who};

/// A number that was never given before: what is remembered of a thread that stood must not be taken for another's, also
/// where that has the same numbers in the next run of the program.
fn next_run() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed)
}

/// One thread.
pub(crate) struct Thread {
    /// Whose thread it is, and what it is called there.
    pub key: ThreadKey,
    pub number: u32,
    pub tid: i32,
    pub name: String,
    /// What the user calls it.
    pub given_name: Option<String>,
    pub running: bool,
    pub held: bool,
    /// Why it stopped last; taken away when it runs.
    pub reason: Option<StopReason>,
    /// In a replay: how many events of the recording it has made; known for the time of a stop.
    pub events: Option<u64>,
    /// Known for the time of a stop.
    pub general: Option<GeneralRegisters>,
    pub vector: Option<Box<VectorRegisters>>,
    pub backtrace: Option<Arc<Backtrace>>,
    /// Inlined calls that begin at the program counter and have not been stepped into.
    pub skipped_inlines: usize,
    /// The frame that a front end looked at last since the thread ran.
    pub frame_looked_at: usize,
    /// Changes whenever its frames go stale, and is no other thread's.
    pub runs: u64,
    /// The function shown last, to say when a step changed it.
    pub shown_frame: Option<wayfarer_symbols::frames::FrameId>,
    pub exited: bool,
}

impl Thread {
    pub fn new(agent: AgentId, told: &backend::Thread, number: u32) -> Thread {
        Thread {
            key: ThreadKey { agent, id: told.id },
            number,
            tid: told.tid,
            name: told.name.clone(),
            given_name: None,
            running: told.state == ThreadState::Running,
            held: told.state == ThreadState::Held,
            reason: told.reason.clone(),
            events: None,
            general: None,
            vector: None,
            backtrace: None,
            skipped_inlines: 0,
            frame_looked_at: 0,
            runs: next_run(),
            shown_frame: None,
            exited: false,
        }
    }

    /// Forgets what was true only while it stood still.
    pub fn set_running(&mut self) {
        self.running = true;
        self.reason = None;
        self.moved();
    }

    /// It stands elsewhere: forgets all that belonged to its frames.
    pub fn moved(&mut self) {
        self.skipped_inlines = 0;
        self.frame_looked_at = 0;
        self.runs = next_run();
        self.forget();
    }

    /// Forgets registers and stack: something has changed them.
    pub fn forget(&mut self) {
        self.general = None;
        self.vector = None;
        self.backtrace = None;
    }

    /// All registers that are known.
    pub fn registers(&self) -> Option<Registers> {
        self.general
            .as_ref()
            .map(|general| crate::agent::from_backend(general, self.vector.as_deref()))
    }
}

/// One process.
pub(crate) struct Process {
    /// Who holds it, and what it is called there.
    pub key: ProcessKey,
    pub number: u32,
    pub pid: i32,
    pub name: String,
    /// The user chose the name: an exec doesn't change it.
    pub renamed: bool,
    pub program: String,
    pub parent: Option<u32>,
    pub origin: Origin,
    /// None while it lives.
    pub end: Option<ProcessState>,
    pub threads: BTreeMap<u32, Thread>,
    pub next_thread: u32,
    pub space: Space,
    pub modules_known: bool,
    /// The thread that a front end looked at last.
    pub last_looked_at: u32,
}

impl Process {
    pub fn is_alive(&self) -> bool {
        self.end.is_none()
    }

    pub fn state(&self) -> ProcessState {
        match &self.end {
            Some(end) => end.clone(),
            None if self
                .threads
                .values()
                .any(|thread| thread.running && !thread.exited) =>
            {
                ProcessState::Running
            }
            None => ProcessState::Stopped,
        }
    }

    /// Threads that live.
    pub fn live_threads(&self) -> impl Iterator<Item = &Thread> {
        self.threads
            .values()
            .filter(|thread| !thread.exited && self.end.is_none())
    }

    pub fn add_thread(&mut self, told: &backend::Thread) -> u32 {
        if let Some(known) = self
            .threads
            .values_mut()
            .find(|thread| thread.key.id == told.id)
        {
            known.name.clone_from(&told.name);
            return known.number;
        }
        let number = self.next_thread;
        self.next_thread += 1;
        self.threads
            .insert(number, Thread::new(self.key.agent, told, number));
        number
    }

    pub fn who(&self, thread: &Thread) -> Who {
        Who {
            process: self.name.clone(),
            process_number: self.number,
            thread_number: thread.number,
            pid: self.pid,
            tid: thread.tid,
            thread_name: thread.given_name.as_ref().unwrap_or(&thread.name).clone(),
        }
    }

    /// Who to name for something that happened to the process as a whole.
    pub fn who_first(&self) -> Who {
        let thread = self
            .threads
            .get(&self.last_looked_at)
            .or_else(|| self.threads.values().next());
        match thread {
            Some(thread) => self.who(thread),
            None => Who {
                process: self.name.clone(),
                process_number: self.number,
                thread_number: 1,
                pid: self.pid,
                tid: self.pid,
                thread_name: String::new(),
            },
        }
    }

    /// Its live threads for a set to choose from.
    pub fn members(&self) -> impl Iterator<Item = Member> + '_ {
        self.live_threads().map(|thread| Member {
            id: ThreadId {
                process: self.number,
                thread: thread.number,
            },
            process_name: self.name.clone(),
            stopped: !thread.running,
            held: thread.held,
        })
    }
}
