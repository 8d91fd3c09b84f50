//! Going to a place in a recorded run: the replay begins anew, and goes on to there.
//!
//! On the way nothing is told: what the user sees is only where it arrives. The thread that the place names is held back
//! there, and everybody else goes on until nobody can, which is the same at each visit. Nothing is placed either, unless
//! the way is a search, whose stops are noted instead.

use wayfarer_backend::{
    AgentId, GeneralRegisters, Hold, HoldBackRequest, Recorded, SettleRequest, Targets,
};

use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use wayfarer_symbols::location::Memory;

use super::Debugger;
use super::positions::Place;
use super::processes::Beginning;
use crate::agent::News;
use crate::breakpoint::Purpose;
use crate::view::{StopReason, StopView};
use crate::{DebuggerError, Event, OpenTrace, Result, ThreadId};

/// How often a way is taken up again that something interrupted.
const MOST_LEGS: usize = 10_000;

/// Bytes of stack that are compared.
const STACK_BYTES: usize = 512;

/// How long a stop waits for others to come to where they cannot go on.
const STABLE_WITHIN: Duration = Duration::from_secs(5);
/// How long a halt's report may lag behind its answer.
const REPORT_PATIENCE: Duration = Duration::from_secs(2);

/// A way to a place, or to where everybody is determined to come.
#[derive(Default)]
pub(super) struct Travel {
    /// Only the arrival is told.
    silent: bool,
    /// Everybody stands, and nobody can go on.
    settled: bool,
    /// Breakpoints are placed, and their stops noted.
    searches: bool,
    /// Stops that the user would have been told of since everybody went on.
    pub noted: Vec<(ThreadId, StopReason)>,
    /// Somebody stopped for a reason of its own since everybody went on.
    moved: bool,
}

/// Where a thread stood, such that it can be found again: behind that event, the first time with these registers.
#[derive(Clone, Debug)]
pub(super) struct Moment {
    pub place: Hold,
    pub registers: GeneralRegisters,
    /// The bytes above its stack pointer.
    stack: Vec<u8>,
    /// It waits before its next event: the place says all.
    rests: bool,
}

impl Moment {
    /// How far its thread may go without passing it.
    pub fn bound(&self) -> Hold {
        Hold {
            events: self.place.events.saturating_sub(u64::from(!self.rests)),
            ..self.place.clone()
        }
    }

    /// It comes before its thread's first event: no event can lead there.
    pub fn precedes_all(&self) -> bool {
        self.place.events == 0 && !self.rests
    }

    fn is_here(&self, events: u64, registers: &GeneralRegisters, stack: &[u8]) -> bool {
        let same = || same_place(&self.registers, registers) && self.stack == stack;
        self.place.events == events && (self.rests || same())
    }
}

/// Registers that a function keeps for its caller, and where it is. The others may hold what our own code left in them.
fn same_place(one: &GeneralRegisters, other: &GeneralRegisters) -> bool {
    let kept = |r: &GeneralRegisters| [r.rip, r.rsp, r.rbp, r.rbx, r.r12, r.r13, r.r14, r.r15];
    kept(one) == kept(other)
}

impl Debugger {
    /// Goes to a place in a recorded run, forward or back.
    pub fn go_to(&mut self, place: &Place) -> Result<StopView> {
        let trace = self.trace()?;
        let Some(hold) = place.hold() else {
            self.end_run()?;
            return self.open_again(trace);
        };
        // A place that the trace does not have is refused before anything is given up for it.
        for agent in self.holders() {
            self.hold_back(agent, Some(hold.clone()))?;
        }
        let arrived = self.on_the_way(false, |debugger| debugger.travel(trace, hold))?;
        self.arrive(arrived, StopReason::LocationReached)
    }

    pub(super) fn trace(&self) -> Result<OpenTrace> {
        match &self.begun {
            Some(Beginning::Trace(trace)) => Ok(trace.clone()),
            _ => Err(DebuggerError::NotRecorded),
        }
    }

    /// Does what is a way. When it is over everybody stands, goes on freely from there, and all that the user has set is
    /// placed.
    pub(super) fn on_the_way<T>(
        &mut self,
        searches: bool,
        way: impl FnOnce(&mut Debugger) -> Result<T>,
    ) -> Result<T> {
        self.traveling = Some(Travel {
            silent: true,
            searches,
            ..Travel::default()
        });
        let outcome = self.configure().and_then(|()| way(self));
        self.traveling = None;
        self.configure()?;
        for agent in self.holders() {
            self.hold_back(agent, None)?;
        }
        self.place_everywhere();
        outcome
    }

    /// Whether breakpoints are placed on the way.
    pub(super) fn passes_by(&self) -> bool {
        self.traveling
            .as_ref()
            .is_some_and(|travel| !travel.searches)
    }

    /// Begins anew and goes on until nobody can.
    fn travel(&mut self, trace: OpenTrace, hold: Hold) -> Result<ThreadId> {
        self.end_run()?;
        let agent = self.open_held(trace, Some(hold.clone()))?;
        for _ in 0..MOST_LEGS {
            self.settle(agent, &[], None)?;
            match self.find_held(&hold) {
                Some((id, events)) if events == hold.events => return Ok(id),
                // Somebody stopped on the way, whom that does not concern.
                _ if self.has_moved() => {}
                _ => break,
            }
        }
        Err(DebuggerError::NotReached(Place::of(&hold).to_string()))
    }

    /// Goes to where a thread stood.
    pub(super) fn revisit(&mut self, trace: OpenTrace, moment: &Moment) -> Result<ThreadId> {
        let place = &moment.place;
        if moment.rests {
            return self.travel(trace, place.clone());
        }
        let (agent, marker) = if moment.precedes_all() {
            // What stopped it there stops it again.
            (self.begin_search(trace, Some(place.clone()))?, None)
        } else {
            let id = self.travel(trace, moment.bound())?;
            let agent = self.thread(id)?.1.key.agent;
            let marker = self.insert_internal(id, moment.registers.rip, 0, Purpose::Moment)?;
            self.hold_back(agent, Some(place.clone()))?;
            (agent, Some(marker))
        };
        let mut found = Err(DebuggerError::NotReached(Place::of(place).to_string()));
        loop {
            self.settle(agent, &[], None)?;
            if let Some(id) = self.present_at(moment) {
                found = Ok(id);
                break;
            }
            if !self.has_moved() {
                break;
            }
        }
        if let Some(marker) = marker {
            self.remove_internal(marker);
        }
        found
    }

    /// The thread of a moment, if it is there.
    pub(super) fn present_at(&mut self, moment: &Moment) -> Option<ThreadId> {
        let (id, events) = self.find_held(&moment.place)?;
        let registers = self.thread(id).ok()?.1.general?;
        let stack = self.stack_of(id, &registers);
        moment.is_here(events, &registers, &stack).then_some(id)
    }

    /// Where a thread stands.
    pub(super) fn moment_of(&mut self, id: ThreadId) -> Result<Moment> {
        self.fetch_registers(id)?;
        let (process, thread) = self.thread(id)?;
        let (Some(events), Some(registers)) = (thread.events, thread.general) else {
            return Err(DebuggerError::NotRecorded);
        };
        let mapped = process.space.mapped_at(registers.rip);
        let rests = mapped.is_some_and(|module| module.loaded.hidden);
        let place = Hold {
            process: process.name.clone(),
            thread: thread.number,
            events,
        };
        Ok(Moment {
            place,
            stack: self.stack_of(id, &registers),
            registers,
            rests,
        })
    }

    /// So much of the stack as tells one round of a loop from another.
    fn stack_of(&self, id: ThreadId, registers: &GeneralRegisters) -> Vec<u8> {
        let mut bytes = vec![0; STACK_BYTES];
        let process = self.process(id.process);
        let read = process.map(|process| process.space.memory.read(registers.rsp, &mut bytes));
        match read {
            Ok(Ok(())) => bytes,
            _ => Vec::new(),
        }
    }

    pub(super) fn hold_back(&self, agent: AgentId, hold: Option<Hold>) -> Result<()> {
        let backend = self.backend(agent)?;
        let recorded: &dyn Recorded = backend.recorded().ok_or(DebuggerError::NotRecorded)?;
        Ok(recorded.hold_back(HoldBackRequest { hold })?)
    }

    /// Whether only the arrival is told.
    pub(super) fn is_silent(&self) -> bool {
        self.traveling.as_ref().is_some_and(|travel| travel.silent)
    }

    /// A stop in a recorded run takes everybody along: whoever did not stop goes on as far as the recording lets it
    /// without those who did. So the same stop always finds everybody at the same place. Others may come to stops of
    /// their own on the way; those are told together with the first.
    pub(super) fn stabilize(
        &mut self,
        agent: AgentId,
        told: &mut Vec<(ThreadId, StopReason)>,
    ) -> Result<()> {
        let goes_on = |reason: &StopReason| {
            !matches!(
                reason,
                StopReason::EndOfTrace { .. } | StopReason::Diverged { .. }
            )
        };
        let wanted = self.replays() && self.settings.stops_are_stable();
        if !wanted || !told.iter().all(|(_, reason)| goes_on(reason)) {
            return Ok(());
        }
        let deadline = Instant::now() + STABLE_WITHIN;
        self.traveling = Some(Travel {
            searches: true,
            ..Travel::default()
        });
        let mut outcome = Ok(());
        for _ in 0..MOST_LEGS {
            let held: Vec<ThreadId> = told.iter().map(|(id, _)| *id).collect();
            outcome = self.settle(agent, &held, Some(deadline));
            let travel = self.traveling.as_mut();
            let noted = travel.map_or(Vec::new(), |travel| std::mem::take(&mut travel.noted));
            told.extend(noted);
            if outcome.is_err() || !self.has_moved() {
                break;
            }
        }
        self.traveling = None;
        match outcome {
            Err(DebuggerError::Interrupted) => {
                self.say("Some threads still ran, and were stopped where they were.");
                Ok(())
            }
            outcome => outcome,
        }
    }

    /// Lets everybody but these go on until nobody can. What takes longer than until `deadline`, or is interrupted, is
    /// stopped where it is.
    pub(super) fn settle(
        &mut self,
        agent: AgentId,
        held: &[ThreadId],
        deadline: Option<Instant>,
    ) -> Result<()> {
        let backend = self.backend(agent)?;
        let recorded: &dyn Recorded = backend.recorded().ok_or(DebuggerError::NotRecorded)?;
        if let Some(travel) = &mut self.traveling {
            (travel.settled, travel.moved) = (false, false);
        }
        let going: Vec<ThreadId> = self.members().iter().map(|member| member.id).collect();
        let going: Vec<ThreadId> = going.into_iter().filter(|id| !held.contains(id)).collect();
        self.forget_stop(&going);
        let held = self.by_holder(held).remove(&agent).unwrap_or_default();
        recorded.settle(SettleRequest {
            held: Targets::threads(held),
        })?;
        loop {
            if !self.hear(deadline)? {
                backend.halt(Targets::All)?;
                let deadline = Instant::now() + REPORT_PATIENCE;
                while self.is_running() && self.hear(Some(deadline))? {}
                return Err(DebuggerError::Interrupted);
            }
            let settled = self.traveling.as_ref().is_some_and(|travel| travel.settled);
            if settled || self.members().is_empty() {
                return Ok(());
            }
        }
    }

    /// Takes one piece of news; false if the user interrupts, or none has come in time.
    fn hear(&mut self, deadline: Option<Instant>) -> Result<bool> {
        let news = match deadline {
            None => self.news.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(deadline) => {
                let patience = deadline.saturating_duration_since(Instant::now());
                self.news.recv_timeout(patience)
            }
        };
        match news {
            Ok(News::Interrupt) | Err(RecvTimeoutError::Timeout) => Ok(false),
            Ok(news) => self.take_news(news).map(|()| true),
            Err(RecvTimeoutError::Disconnected) => Err(DebuggerError::AgentLost(
                "nothing can arrive any more".to_owned(),
            )),
        }
    }

    /// Whether anybody stopped for a reason of its own while everybody went on, and can go on from there.
    pub(super) fn has_moved(&self) -> bool {
        let moved = self.traveling.as_ref().is_some_and(|travel| travel.moved);
        moved && !self.members().is_empty()
    }

    /// The thread that is held back, and how many events it has made.
    pub(super) fn find_held(&mut self, hold: &Hold) -> Option<(ThreadId, u64)> {
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
    pub(super) fn stopped_on_the_way(&mut self, settled: bool, told: Vec<(ThreadId, StopReason)>) {
        if let Some(travel) = &mut self.traveling {
            travel.settled |= settled;
            travel.moved |= !settled;
            travel.noted.extend(told);
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
    pub(super) fn arrive(&mut self, id: ThreadId, reason: StopReason) -> Result<StopView> {
        self.followed = Some(id);
        let view = StopView {
            current: true,
            ..self.stop_view(id, reason)?
        };
        self.emit(Event::Stopped(view.clone()));
        Ok(view)
    }
}
