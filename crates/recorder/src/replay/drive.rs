//! Drives a replay that nobody debugs: waits for children and for time to pass, and does what the monitor says.

use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use nix::unistd::Pid;
use wayfarer_replay::monitor::{End, Next, Then};
use wayfarer_replay::observed::Questions;
use wayfarer_replay::{Monitor, Plan};

use super::look::{observe, process_of};
use super::orders::{carry_out, kill_all, kill_descendant, stop};
use crate::children::{Watch, reap};
use crate::session::Session;

/// How long killed processes may take to be gone.
const CLEARING: Duration = Duration::from_secs(5);
/// How often they are killed again.
const CLEARING_PAUSE: Duration = Duration::from_millis(20);

/// A replay that runs.
pub struct Run<'a> {
    pub plan: &'a Plan,
    pub session: &'a Session,
    pub watch: &'a Watch,
    pub monitor: &'a mut Monitor,
    pub root: Pid,
    /// From here the monitor's time counts.
    pub began: Instant,
}

impl Run<'_> {
    /// Looks on until the replay is over; an error is the signal that the user sent.
    pub fn until_end(&mut self) -> Result<End, Signal> {
        let mut pause = self.monitor.first_pause();
        let mut asked = Questions::default();
        loop {
            match self.watch.next(pause) {
                Some(Signal::SIGCHLD) | None => {}
                Some(signal) => return Err(signal),
            }
            let anybody_left = self.collect();
            let seen = observe(self.session, self.plan, anybody_left, &asked);
            let Next { orders, then } = self.monitor.observe(seen, self.began.elapsed());
            for order in orders {
                carry_out(self.session, order);
            }
            match then {
                Then::Observe { within, questions } => (pause, asked) = (within, questions),
                Then::Over(end) => return Ok(end),
            }
        }
    }

    /// Tells the monitor who has ended; whether anybody is left.
    fn collect(&mut self) -> bool {
        let (ended, left) = reap();
        for end in ended {
            let id = if end.pid == self.root {
                Some(self.plan.root)
            } else {
                process_of(self.session, end.pid.as_raw())
            };
            if let Some(id) = id {
                self.monitor.ended(id, end.wait_status);
            }
        }
        left
    }

    /// Ends whatever still runs, and waits until it is gone.
    pub fn clear(&mut self) {
        stop(self.session);
        let began = Instant::now();
        while self.collect() && began.elapsed() < CLEARING {
            kill_all(self.session);
            if !self.monitor.ends().contains_key(&self.plan.root) {
                kill_descendant(self.root.as_raw());
            }
            self.watch.next(CLEARING_PAUSE);
        }
    }
}
