//! Letting a replay go on until nobody can any more: the place where everybody stands then is always the same.
//!
//! Which event waits for which other one is fixed by the trace. So when some threads stand still (one is held back before
//! an event, another one hit a breakpoint), how far all others can get does not depend on who is quicker. They are there
//! when each of them waits in sight of the host, sleeps, and has not moved between two looks.

use super::Tracer;
use super::thread::Activity;
use super::thread::Wanted;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use wayfarer_backend::{
    Answer, EventKind, Failure, FailureKind, SettleRequest, StopReason, StopScope, ThreadId,
};
use wayfarer_replay::Wait;

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(2);
/// A thread that computes for so long while nobody makes an event waits for somebody who stands, in a loop of its own.
const SPINS: Duration = Duration::from_secs(5);

/// A thread that rests: how many events it has made, and for what it waits.
type Rest = (ThreadId, u64, Wait);

/// Everybody is on the way to where nobody can go on.
pub struct Settling {
    due: Instant,
    /// Where all were at the last look, if all rested.
    last: Option<Vec<Rest>>,
    /// How many events all have made, and since when.
    made: (u64, Instant),
}

impl Tracer {
    /// Sets everybody running but those who are named; told when nobody can go on.
    pub(super) fn settle(&mut self, request: &SettleRequest) -> Answer<()> {
        if self.replay.is_none() {
            let message = "only a replay settles: what a live program does next is open";
            return Err(Failure::new(FailureKind::Invalid, message));
        }
        let (held, _) = self.threads_of(&request.held);
        let held: BTreeSet<ThreadId> = held.into_iter().collect();
        let others: Vec<ThreadId> = self
            .threads
            .values()
            .filter(|thread| thread.wanted == Wanted::Stopped && !held.contains(&thread.id))
            .map(|thread| thread.id)
            .collect();
        self.settling = Some(Settling {
            due: Instant::now(),
            last: None,
            made: (0, Instant::now()),
        });
        let mut resumed = Vec::new();
        for id in others {
            if self.tell_pending(id, &[id]) {
                continue;
            }
            self.drop_goal(id);
            if let Some(thread) = self.threads.get_mut(&id) {
                thread.activity = Activity::Continue;
                thread.wanted = Wanted::Running;
                thread.reason = None;
                resumed.push(id);
            }
        }
        self.tell(EventKind::Resumed(resumed.clone()));
        for id in resumed {
            self.go_on(id);
        }
        Ok(())
    }

    /// How long settling may be left alone.
    pub(super) fn settling_patience(&self) -> Option<Duration> {
        let settling = self.settling.as_ref()?;
        Some(settling.due.saturating_duration_since(Instant::now()))
    }

    /// Looks whether everybody rests, if it is time.
    pub(super) fn attend_to_settling(&mut self) {
        let now = Instant::now();
        if self
            .settling
            .as_ref()
            .is_none_or(|settling| now < settling.due)
        {
            return;
        }
        let rest = self.rest();
        let made = self.events_made();
        let Some(settling) = &mut self.settling else {
            return;
        };
        settling.due = now + PAUSE;
        if settling.made.0 != made {
            settling.made = (made, now);
        }
        let spins = now - settling.made.1 > SPINS;
        if !spins && (rest.is_none() || settling.last != rest) {
            settling.last = rest;
            return;
        }
        self.settling = None;
        self.tell_settled();
    }

    /// Where all are who may run, if all of them rest.
    fn rest(&self) -> Option<Vec<Rest>> {
        if !self.starting.is_empty() || !self.early.is_empty() || !self.halting.is_empty() {
            return None;
        }
        // Whom the debugger has not let go on yet after an exec or a new library will run.
        let mut threads = self.threads.values();
        if threads.any(|thread| thread.wanted == Wanted::Running && thread.holds.load) {
            return None;
        }
        let running = self.threads.values().filter(|thread| thread.may_run());
        running
            .map(|thread| {
                let (events, wait) = self.rest_of(thread.tid)?;
                Some((thread.id, events, wait))
            })
            .collect()
    }

    /// The events that all who may run have made.
    fn events_made(&self) -> u64 {
        let running = self.threads.values().filter(|thread| thread.may_run());
        running.filter_map(|thread| self.events_of(thread.id)).sum()
    }

    fn tell_settled(&mut self) {
        let mut running = self.threads.values().filter(|thread| thread.may_run());
        if let Some(thread) = running.next().map(|thread| thread.id) {
            self.stop_at(thread, StopReason::Settled, Some(StopScope::All));
        } else if let Some(thread) = self.threads.keys().next().copied() {
            self.tell_stopped(thread, StopReason::Settled, &[], 0);
        }
    }
}
