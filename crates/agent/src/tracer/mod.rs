//! The one thread that traces: it waits for the kernel and for the debugger, and owns all state.
//!
//! # The event loop
//!
//! Everything that the thread reacts to is a [`Happening`]: a report of the kernel, a command of
//! the debugger, a signal to end, or a tick when a deadline may have passed. One loop
//! (`Tracer::run`) takes them one by one. Reports come first, because they are what everything else
//! waits for; after a hundred of them the debugger gets an answer. With nothing to do, the thread
//! sleeps until a child reports or a command arrives, and only wakes by time while something has a
//! deadline.
//!
//! A report is judged in `reports`, which ends in one of three ways. The thread goes on at once
//! (`resuming`): a condition was false, a step is under way, a signal only passes. Or it stays
//! stopped, because it is held or waits at a barrier. Or its stop is told to the debugger, after
//! the threads that the stop takes along have stopped too (`halting`).
//!
//! Nothing here blocks on a single thread. What takes more than one step (a halt, an attach, a step
//! over a breakpoint, a call in the debuggee) is kept as state until the report comes that ends it.
//! That is why a thread that never stops can delay one request, but not the agent.

mod barrier;
mod births;
mod borrowing;
mod breakpoints;
mod call;
mod catch;
mod deaths;
mod detach;
mod displaced;
mod emulate;
mod events;
mod flags;
mod foundlings;
mod halting;
mod hardware;
mod hits;
mod inheritance;
mod libraries;
mod memory;
mod modules;
mod operands;
mod process;
mod protection;
mod replay;
mod reports;
mod requests;
mod resuming;
mod settling;
mod signals;
mod step_over;
mod stepping;
mod targets;
mod thread;
mod traps;
mod watch;

use crate::command::{Command, Mailbox};
use births::Starting;
use breakpoints::Breakpoint;
use displaced::Displaced;
use halting::Halting;
use process::{Process, Space, SpaceId};
use replay::{Opening, Replay};
use settling::Settling;
use signals::Dispositions;
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;
use thread::Thread;
use tokio::sync::{mpsc, oneshot};
use wayfarer_backend::{BreakpointId, Catch, Event, ProcessId, StopScope, ThreadId};
use wayfarer_ptrace::guardian::{Traces, mourn};
use wayfarer_ptrace::wait::Woken;
use wayfarer_ptrace::{Report, Stop, Stopped, Tid, Wake, wait};

/// Reports that are taken before commands get their turn.
const MOST_REPORTS: usize = 100;

/// What the tracing thread reacts to.
pub enum Happening {
    /// The kernel reports of a thread.
    Report(Report),
    /// The debugger asks for something.
    Command(Box<Command>),
    /// We shall end.
    Terminate,
    /// A deadline may have passed.
    Tick,
}

/// What is set for the session.
struct Settings {
    scope: StopScope,
    follow_children: bool,
    hold_on_load: bool,
    detach_parent_on_fork: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            scope: StopScope::All,
            follow_children: true,
            hold_on_load: false,
            detach_parent_on_fork: false,
        }
    }
}

/// All that the agent knows.
pub struct Tracer {
    wake: Wake,
    mailbox: Mailbox,
    traces: Traces,
    events: Option<mpsc::UnboundedSender<Event>>,
    sequence: u64,
    settings: Settings,
    processes: BTreeMap<ProcessId, Process>,
    threads: BTreeMap<ThreadId, Thread>,
    spaces: BTreeMap<SpaceId, Space>,
    tids: HashMap<Tid, ThreadId>,
    /// First stops of children whose making has not been reported yet.
    early: HashMap<Tid, (Stopped, Stop)>,
    starting: HashMap<Tid, Starting>,
    breakpoints: BTreeMap<BreakpointId, Breakpoint>,
    catchpoints: BTreeMap<BreakpointId, Catch>,
    dispositions: Dispositions,
    halting: Vec<Halting>,
    /// The processes are a trace's.
    replay: Option<Replay>,
    /// A replay that begins when everybody who was killed has gone.
    opening: Option<Opening>,
    /// How much of its output the last replay of a trace has shown.
    shown: Option<(String, u32)>,
    /// Everybody goes on until nobody can.
    settling: Option<Settling>,
    /// Children that were made by an instruction out of line.
    corrections: HashMap<Tid, Displaced>,
    /// The thread being reported has been put before its breakpoint already.
    rewound: Option<Tid>,
    next_id: u64,
    /// Set when the session is over; told when everybody is gone.
    ending: Option<Vec<oneshot::Sender<()>>>,
    ending_deadline_ns: u64,
    ended: bool,
}

impl Tracer {
    /// A tracer for the calling thread.
    pub fn new(wake: Wake, mailbox: Mailbox, traces: Traces) -> Tracer {
        Tracer {
            wake,
            mailbox,
            traces,
            events: None,
            sequence: 0,
            settings: Settings::default(),
            processes: BTreeMap::new(),
            threads: BTreeMap::new(),
            spaces: BTreeMap::new(),
            tids: HashMap::new(),
            early: HashMap::new(),
            starting: HashMap::new(),
            breakpoints: BTreeMap::new(),
            catchpoints: BTreeMap::new(),
            dispositions: Dispositions::default(),
            halting: Vec::new(),
            replay: None,
            opening: None,
            shown: None,
            settling: None,
            corrections: HashMap::new(),
            rewound: None,
            next_id: 0,
            ending: None,
            ending_deadline_ns: 0,
            ended: false,
        }
    }

    /// Works until the session has ended and everybody has been let go.
    pub fn run(&mut self) {
        loop {
            // Reports first: they are what others wait for. But they may never end, and the debugger wants an answer.
            let mut reports = 0;
            while reports < MOST_REPORTS
                && let Some(report) = wait(|trapped| self.rewind(trapped))
            {
                self.happen(Happening::Report(report));
                self.rewound = None;
                reports += 1;
            }
            while let Some(command) = self.mailbox.take() {
                self.happen(Happening::Command(Box::new(command)));
            }
            if self.finished() {
                return;
            }
            self.attend_to_replay();
            self.attend_to_settling();
            if reports == MOST_REPORTS {
                continue;
            }
            match self.wake.next(self.patience()) {
                Woken::Child | Woken::Called => {}
                Woken::Terminate => self.happen(Happening::Terminate),
                Woken::TimedOut => self.happen(Happening::Tick),
            }
        }
    }

    /// Ends the session as if the debugger had gone, and works until everybody has been let go.
    pub fn abandon(&mut self) {
        self.end_session(None);
        self.run();
    }

    fn happen(&mut self, happening: Happening) {
        match happening {
            Happening::Report(report) => self.report(report),
            Happening::Command(command) => self.command(*command),
            Happening::Terminate => {
                mourn();
                self.end_session(None);
            }
            Happening::Tick => self.tick(),
        }
    }

    /// How long may be slept: for ever, unless something has a deadline.
    fn patience(&self) -> Option<Duration> {
        let waiting = !self.halting.is_empty()
            || self.ending.is_some()
            || self.threads.values().any(|thread| {
                matches!(thread.activity, thread::Activity::Call(_)) && !thread.is_stopped()
            });
        let own = waiting.then_some(Duration::from_millis(50));
        let replay = self.replay_patience();
        let settling = self.settling_patience();
        own.into_iter().chain(replay).chain(settling).min()
    }

    fn tick(&mut self) {
        let now = wayfarer_ptrace::wait::monotonic_ns();
        self.expire_calls(now);
        self.expire_halts(now);
        self.check_ending(now);
    }

    fn fresh_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }
}
