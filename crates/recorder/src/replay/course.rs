//! A replay as those see it who hold its processes: passive. It is told what happened, and says what may go on.
//!
//! [`super::prepare`] makes it, with the [`wayfarer_ptrace::Launch`] of the first program. Whoever starts that (`drive`,
//! which only waits for children, or an agent, which traces them) says so with [`Course::begun`], tells of every end
//! with [`Course::ended`] and of halts, and looks with [`Course::look`] as often as that asks for it. The decisions are
//! `wayfarer_replay::Monitor`'s; here is what connects them with the session file and with the kernel.

use std::fs::File;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use wayfarer_model::{ProcessId, ThreadId};
use wayfarer_replay::monitor::{End, Next, Then};
use wayfarer_replay::observed::Questions;
use wayfarer_replay::{Monitor, Plan, ThreadState, Wait};
use wayfarer_trace::Trace;

use super::look::{self, observe, process_of};
use super::orders::{carry_out, kill_all, kill_descendant, stop};
use super::report::{ReplayReport, report};
use crate::children::{asleep, wake_all};
use crate::session::Session;

/// A replay that is prepared, runs or is over.
pub struct Course {
    plan: Plan,
    session: Session,
    /// The library, which the first program gets as an open descriptor.
    _runtime: File,
    monitor: Monitor,
    /// From here the monitor's time counts.
    since: Instant,
    root: Option<i32>,
    asked: Questions,
}

/// What follows from a look.
#[derive(Debug)]
pub enum Look {
    /// Look again after this time, or as soon as a process has ended.
    Again(Duration),
    /// It is over.
    Over(End),
}

impl Course {
    /// A replay that has not begun. `recorded`: how long the recording took, if that is known.
    pub(super) fn new(
        plan: Plan,
        session: Session,
        runtime: File,
        recorded: Option<Duration>,
    ) -> Course {
        Course {
            monitor: Monitor::new(&plan, recorded, Duration::ZERO),
            plan,
            session,
            _runtime: runtime,
            since: Instant::now(),
            root: None,
            asked: Questions::default(),
        }
    }

    /// The first program runs, or stands at its first instruction.
    pub fn begun(&mut self, root: i32) {
        self.root = Some(root);
    }

    /// How long to wait before the first look.
    pub fn first_pause(&self) -> Duration {
        self.monitor.first_pause()
    }

    /// A process has ended.
    pub fn ended(&mut self, pid: i32, wait_status: i32) {
        if let Some(id) = self.process_of(pid) {
            self.monitor.ended(id, wait_status);
        }
    }

    /// Somebody has stopped all threads: that nothing moves says nothing.
    pub fn halted(&mut self) {
        self.monitor.halted(self.since.elapsed());
    }

    /// They run again.
    pub fn resumed(&mut self) {
        self.monitor.resumed(self.since.elapsed());
    }

    /// Looks at the session, and does what is to be done; `anybody_left`: some process has not been reaped.
    pub fn look(&mut self, anybody_left: bool) -> Look {
        let seen = observe(&self.session, &self.plan, anybody_left, &self.asked);
        let Next { orders, then } = self.monitor.observe(seen, self.since.elapsed());
        for order in orders {
            carry_out(&self.session, order);
        }
        match then {
            Then::Observe { within, questions } => {
                self.asked = questions;
                Look::Again(within)
            }
            Then::Over(end) => Look::Over(end),
        }
    }

    /// Tells every thread to stop at its next event.
    pub fn stop(&self) {
        stop(&self.session);
    }

    /// Kills every process that has begun.
    pub fn kill(&self) {
        kill_all(&self.session);
        let root_lives = !self.monitor.ends().contains_key(&self.plan.root);
        if root_lives && let Some(root) = self.root {
            kill_descendant(root);
        }
    }

    /// The number in the trace of a process that runs.
    pub fn process_of(&self, pid: i32) -> Option<ProcessId> {
        if self.root == Some(pid) {
            return Some(self.plan.root);
        }
        process_of(&self.session, pid)
    }

    /// The process that this thread is making, if it is in the middle of a fork.
    pub fn child_of(&self, maker: i32) -> Option<ProcessId> {
        let thread = look::thread_of(&self.session, maker)?;
        let events = look::events_of(&self.session, thread)?;
        self.plan.children.get(&(thread, events)).copied()
    }

    /// How many events a thread that runs has made; `None`: it is not in the trace, or not yet.
    pub fn events_of(&self, tid: i32) -> Option<u64> {
        look::events_of(&self.session, look::thread_of(&self.session, tid)?)
    }

    /// The kernel's number of a thread of the trace, if it runs.
    pub fn tid_of(&self, thread: ThreadId) -> Option<i32> {
        look::tid_of(&self.session, thread)
    }

    /// Lets this thread make so many events and no more; nobody else is held back any longer.
    pub fn hold_back(&self, thread: ThreadId, events: u64) {
        let header = self.session.header();
        header.held_events.store(events, Ordering::Release);
        self.hold(thread.0);
    }

    /// How many events the trace has of a thread.
    pub fn promised(&self, thread: ThreadId) -> u64 {
        self.plan.events.get(&thread).copied().unwrap_or(0)
    }

    /// Holds nobody back.
    pub fn let_go(&self) {
        self.hold(0);
    }

    fn hold(&self, thread: u32) {
        let header = self.session.header();
        header.held_thread.store(thread, Ordering::Release);
        header.held_changes.fetch_add(1, Ordering::AcqRel);
        wake_all(&header.held_changes);
    }

    /// How many writes to the output have been made.
    pub fn outputs(&self) -> u32 {
        self.session.header().output_turn.load(Ordering::Acquire)
    }

    /// Does not show the writes before this one: they were shown before.
    pub fn hide_outputs(&self, before: u32) {
        self.session
            .header()
            .shown_before
            .store(before, Ordering::Relaxed);
    }

    /// Where a thread that cannot go on stands, for comparison with another look; `None`: it runs, or has not begun, or
    /// it was woken and will run.
    pub fn rest_of(&self, tid: i32) -> Option<(u64, Wait)> {
        let thread = look::thread_of(&self.session, tid)?;
        let state = look::thread(&self.session, &self.plan, thread)?;
        let waits = state.wait != Wait::No && asleep(tid);
        waits.then_some((state.events, state.wait))
    }

    /// All threads of the trace, as they are now.
    pub fn threads(&self) -> Vec<ThreadState> {
        look::threads(&self.session, &self.plan)
    }

    /// What is unreadable in the trace.
    pub fn damage(&self) -> &[String] {
        &self.plan.damage
    }

    /// Sums up a replay that ended like this.
    pub fn report(&self, trace: &Trace, end: End) -> ReplayReport {
        report(trace, &self.plan, &self.session, end, self.monitor.ends())
    }
}
