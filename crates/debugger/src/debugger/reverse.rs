//! Running backwards: the run is searched from its beginning to the present, and the last stop before it is gone to.
//!
//! A search goes in rounds. In each, everybody goes on until nobody can: each thread has come to its next stop, or waits
//! for one that has. Which stops a round has is fixed by the trace, so the last one before the present is, too.

use wayfarer_backend::{AgentId, BreakpointId, Hold};

use super::Debugger;
use super::travel::Moment;
use crate::breakpoint::{Breakpoint, Purpose};
use crate::view::{StopReason, StopView};
use crate::{DebuggerError, OpenTrace, Result, ThreadId};

/// The number of a run's first process, which is there from the beginning on.
const FIRST: u32 = 1;

/// A stop that was passed.
struct Passed {
    moment: Moment,
    reason: StopReason,
}

impl Debugger {
    /// Goes back to the last stop before where a thread stands. If it has ended, or there is none, from the end of the run.
    pub fn reverse_continue(&mut self, from: Option<ThreadId>) -> Result<StopView> {
        let trace = self.trace()?;
        let alive = from.filter(|id| self.is_live(*id));
        let present = alive.map(|id| self.moment_of(id)).transpose()?;
        let searched = trace.clone();
        let found =
            self.on_the_way(true, |debugger| debugger.search(searched, present.as_ref()))?;
        let Some(last) = found else {
            self.end_run()?;
            let start = self.open_again(trace)?;
            self.say("No more reverse-execution history: this is the start of the recording.");
            return Ok(start);
        };
        let searches = last.moment.precedes_all();
        let id = self.on_the_way(searches, |debugger| debugger.revisit(trace, &last.moment))?;
        self.arrive(id, last.reason)
    }

    /// Begins anew, with everything placed that the user has set.
    pub(super) fn begin_search(&mut self, trace: OpenTrace, hold: Option<Hold>) -> Result<AgentId> {
        self.end_run()?;
        let agent = self.open_held(trace, hold)?;
        for process in self.processes.keys().copied().collect::<Vec<_>>() {
            self.take_over(process);
        }
        Ok(agent)
    }

    /// The last stop before the present.
    fn search(&mut self, trace: OpenTrace, present: Option<&Moment>) -> Result<Option<Passed>> {
        let mut bound = present.map(Moment::bound);
        let mut gate = self.gate(present);
        let agent = self.begin_search(trace, gate.clone().or(bound.clone()))?;
        let mut marker: Option<BreakpointId> = None;
        if let (Some(present), Some(held)) = (present, &bound)
            && present.precedes_all()
        {
            // Nobody waits for it there, so that it is marked at once. What is not mapped yet cannot be.
            let id = self.held_thread(held)?;
            let rip = present.registers.rip;
            marker = self.insert_internal(id, rip, 0, Purpose::Moment).ok();
        }
        let mut last = None;
        loop {
            self.settle(agent, &[], None)?;
            let noted = self
                .traveling
                .as_mut()
                .map(|travel| std::mem::take(&mut travel.noted));
            let here = present.and_then(|present| self.present_at(present));
            for (id, reason) in noted.unwrap_or_default() {
                if Some(id) != here {
                    let moment = self.moment_of(id)?;
                    last = Some(Passed { moment, reason });
                }
            }
            if here.is_some() {
                break;
            }
            if self.has_moved() {
                continue;
            }
            if let Some(gate) = gate.take() {
                if let Some((id, _)) = self.find_held(&gate) {
                    self.watch_again(id.process);
                }
                self.hold_back(agent, bound.clone())?;
                continue;
            }
            // Everybody waits for the thread that is held back: now it may come to the present.
            match (present, &bound) {
                (Some(present), Some(held)) if *held != present.place => {
                    let id = self.held_thread(held)?;
                    marker = Some(self.insert_internal(
                        id,
                        present.registers.rip,
                        0,
                        Purpose::Moment,
                    )?);
                    self.hold_back(agent, Some(present.place.clone()))?;
                    bound = Some(present.place.clone());
                }
                _ => break,
            }
        }
        if let Some(marker) = marker {
            self.remove_internal(marker);
        }
        Ok(last)
    }

    /// Holds a forked process back before its first event, so that what is watched in it can be watched from there on.
    /// That is for the process of the present only: no thread but one can be held back.
    fn gate(&self, present: Option<&Moment>) -> Option<Hold> {
        let enabled = self.breakpoints.values().filter(|point| point.enabled);
        let mut watched = enabled.filter_map(Breakpoint::watch);
        let gated = watched.find(|watch| {
            let name = &watch.process_name;
            let again = watch.process > FIRST && watch.scope.is_none();
            again && present.is_none_or(|present| present.place.process == *name)
        })?;
        Some(Hold {
            process: gated.process_name.clone(),
            thread: 1,
            events: 0,
        })
    }

    fn held_thread(&mut self, held: &Hold) -> Result<ThreadId> {
        let found = self.find_held(held).map(|(id, _)| id);
        found.ok_or_else(|| DebuggerError::NotReached(held.process.clone()))
    }
}
