//! Going to a place in a recorded run: the replay begins anew, and goes on to there.
//!
//! On the way nothing is placed and nothing is told: breakpoints would stop it, and what the user sees is only where it
//! arrives. The thread that the place names is held back there, and everybody else goes on until nobody can, which is
//! the same at each visit.

use wayfarer_backend::{AgentId, Hold, HoldBackRequest, Recorded, SettleRequest, Targets};

use super::Debugger;
use super::positions::Place;
use super::processes::Beginning;
use crate::agent::News;
use crate::view::{StopReason, StopView};
use crate::{DebuggerError, OpenTrace, Result, ThreadId};

/// How often a way is taken up again that something interrupted.
const MOST_LEGS: usize = 10_000;

/// A way to a place of which only the arrival is told.
#[derive(Default)]
pub(super) struct Travel {
    /// Everybody stands, and nobody can go on.
    settled: bool,
}

impl Debugger {
    /// Goes to a place in a recorded run, forward or back.
    pub fn go_to(&mut self, place: &Place) -> Result<StopView> {
        let Some(Beginning::Trace(trace)) = self.begun.clone() else {
            return Err(DebuggerError::NotRecorded);
        };
        let Some(hold) = place.hold() else {
            self.end_run()?;
            return self.open_again(trace);
        };
        // A place that the trace does not have is refused before anything is given up for it.
        for agent in self.holders() {
            self.hold_back(agent, Some(hold.clone()))?;
        }
        self.traveling = Some(Travel::default());
        let arrived = self.travel(trace, hold.clone());
        self.traveling = None;
        self.configure()?;
        // Everybody stands: what goes on from here goes on freely.
        for agent in self.holders() {
            self.hold_back(agent, None)?;
        }
        let arrived = arrived?;
        self.place_everywhere();
        self.arrive(arrived)
    }

    /// Begins anew and goes on until nobody can.
    fn travel(&mut self, trace: OpenTrace, hold: Hold) -> Result<ThreadId> {
        self.configure()?;
        self.end_run()?;
        let agent = self.open_held(trace, Some(hold.clone()))?;
        for _ in 0..MOST_LEGS {
            self.settle(agent)?;
            match self.find_held(&hold) {
                Some((id, events)) if events == hold.events => return Ok(id),
                _ if !self.is_interrupted() => break,
                _ => {}
            }
        }
        Err(DebuggerError::NotReached(Place::of(&hold).to_string()))
    }

    fn hold_back(&self, agent: AgentId, hold: Option<Hold>) -> Result<()> {
        let backend = self.backend(agent)?;
        let recorded: &dyn Recorded = backend.recorded().ok_or(DebuggerError::NotRecorded)?;
        Ok(recorded.hold_back(HoldBackRequest { hold })?)
    }

    /// Lets everybody go on until nobody can.
    fn settle(&mut self, agent: AgentId) -> Result<()> {
        let backend = self.backend(agent)?;
        let recorded: &dyn Recorded = backend.recorded().ok_or(DebuggerError::NotRecorded)?;
        self.traveling = Some(Travel::default());
        let held = Targets::threads(Vec::new());
        let standing: Vec<ThreadId> = self.members().iter().map(|member| member.id).collect();
        self.forget_stop(&standing);
        recorded.settle(SettleRequest { held })?;
        loop {
            match self.news.recv() {
                Ok(News::Interrupt) => {
                    self.halt_now(None)?;
                    return Err(DebuggerError::Interrupted);
                }
                Ok(news) => self.take_news(news)?,
                Err(_) => {
                    return Err(DebuggerError::AgentLost(
                        "nothing can arrive any more".to_owned(),
                    ));
                }
            }
            let settled = self.traveling.as_ref().is_some_and(|travel| travel.settled);
            if settled || self.members().is_empty() {
                return Ok(());
            }
        }
    }

    /// Somebody stopped on the way, whom that does not concern: the way is to be taken up again.
    fn is_interrupted(&self) -> bool {
        !self.members().is_empty()
    }

    /// The thread that is held back, and how many events it has made.
    fn find_held(&mut self, hold: &Hold) -> Option<(ThreadId, u64)> {
        let named = |name: &str| {
            let mut alive = self.processes.values().filter(|process| process.is_alive());
            alive
                .find(|process| process.name == name)
                .map(|process| process.number)
        };
        let id = match (named(&hold.process), hold.process.rsplit_once('.')) {
            (Some(process), _) => ThreadId {
                process,
                thread: hold.thread,
            },
            (None, Some((name, thread))) => ThreadId {
                process: named(name)?,
                thread: thread.parse().ok()?,
            },
            (None, None) => return None,
        };
        self.fetch_registers(id).ok()?;
        Some((id, self.thread(id).ok()?.1.events?))
    }

    /// What a stop is on the way to a place: noted, not told.
    pub(super) fn stopped_on_the_way(&mut self, settled: bool) {
        if let Some(travel) = &mut self.traveling {
            travel.settled |= settled;
        }
    }

    /// All that the user has set is placed where the run stands now.
    fn place_everywhere(&mut self) {
        let alive: Vec<u32> = self
            .processes
            .values()
            .filter(|process| process.is_alive())
            .map(|process| process.number)
            .collect();
        for number in alive {
            self.take_over(number);
        }
    }

    /// Tells where the run stands.
    fn arrive(&mut self, id: ThreadId) -> Result<StopView> {
        self.followed = Some(id);
        let view = StopView {
            current: true,
            ..self.stop_view(id, StopReason::LocationReached)?
        };
        self.emit(crate::Event::Stopped(view.clone()));
        Ok(view)
    }
}
