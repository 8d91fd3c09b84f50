//! Barriers: who belongs to one, who has come, who is missing.
//!
//! The back end holds whom it catches at a barrier and counts; a process is waited for where it has the code and is in the
//! set, children of fork included. Here arrivals are kept too, because the back end's count may be further than its report.

use wayfarer_backend::{self as backend, AgentId, BarrierArrived, BarrierComplete};

use super::Debugger;
use crate::breakpoint::{Breakpoint, Placed, number_of};
use crate::session::ThreadKey;
use crate::view::{BarrierView, StopReason};
use crate::{Event, Result, Set, ThreadId};

/// Who must arrive.
struct Awaited {
    /// Processes of which any thread counts, by number.
    processes: Vec<u32>,
    /// Single threads.
    threads: Vec<ThreadId>,
}

impl Debugger {
    /// Who must arrive: of the set, those that have the code (`fresh`: or are about to).
    fn awaited(&self, breakpoint: &Breakpoint, fresh: &[Placed]) -> Awaited {
        let members = self.members();
        let set = breakpoint.only.clone().unwrap_or_else(Set::all);
        let meant = set.members(&members, &mut |_, _| false);
        let mut awaited = Awaited {
            processes: Vec::new(),
            threads: Vec::new(),
        };
        for process in self.processes.values().filter(|process| process.is_alive()) {
            let own = meant.iter().copied();
            let own: Vec<ThreadId> = own.filter(|id| id.process == process.number).collect();
            let placed = breakpoint
                .places
                .iter()
                .chain(fresh)
                .any(|place| place.view.process_number == process.number);
            if own.is_empty() || !placed {
                continue;
            }
            if own.len() == process.live_threads().count() {
                awaited.processes.push(process.number);
            } else {
                awaited.threads.extend(own);
            }
        }
        awaited
    }

    /// The same as the back end calls them.
    pub(super) fn barrier_members(
        &self,
        breakpoint: &Breakpoint,
        fresh: &[Placed],
    ) -> backend::Barrier {
        let awaited = self.awaited(breakpoint, fresh);
        let processes = awaited.processes.iter();
        let threads = awaited.threads.iter();
        backend::Barrier {
            processes: processes
                .filter_map(|&number| Some(self.process(number).ok()?.key.id))
                .collect(),
            threads: threads
                .filter_map(|&id| Some(self.thread(id).ok()?.1.key.id))
                .collect(),
        }
    }

    /// Whether a breakpoint is meant for a process.
    pub(super) fn is_placed(&self, number: u32, process: u32) -> bool {
        self.breakpoints.get(&number).is_some_and(|breakpoint| {
            let mut places = breakpoint.places.iter();
            places.any(|place| place.view.process_number == process)
        })
    }

    /// Somebody waits at a barrier now.
    pub(super) fn arrived_at_barrier(
        &mut self,
        agent: AgentId,
        arrived: &BarrierArrived,
    ) -> Result<()> {
        let id = arrived.thread;
        let (Some(number), Some(id)) = (
            number_of(arrived.id),
            self.numbers_of(ThreadKey { agent, id }),
        ) else {
            return Ok(());
        };
        // A child that is not in the set may have come before its place was taken away.
        if !self.is_placed(number, id.process) {
            return Ok(());
        }
        if let Some(thread) = self.thread_mut(id) {
            thread.running = false;
            thread.held = true;
            thread.forget();
        }
        self.arrivals.entry(number).or_default().push(id);
        // Of the last one the stop tells.
        if arrived.arrived < arrived.expected
            && let Some(barrier) = self.barrier_view(number)
            && !barrier.missing.is_empty()
        {
            let who = self.who(id)?;
            self.emit(Event::BarrierArrival { who, barrier });
        }
        Ok(())
    }

    /// Whose stop a cause is: a complete barrier is told by one of those it is for. A child that is not in the set may
    /// have come as the last, before its place was taken away.
    pub(super) fn teller(
        &self,
        agent: AgentId,
        id: ThreadId,
        reason: &backend::StopReason,
    ) -> ThreadId {
        let backend::StopReason::Barrier(complete) = reason else {
            return id;
        };
        let mut those = vec![id];
        let arrived = complete.threads.iter();
        those.extend(arrived.filter_map(|&id| self.numbers_of(ThreadKey { agent, id })));
        let number = number_of(complete.id);
        let meant = |id: &ThreadId| number.is_some_and(|number| self.is_placed(number, id.process));
        those.into_iter().find(meant).unwrap_or(id)
    }

    /// All have arrived, or those who have not are gone: they are free to go on.
    pub(super) fn barrier_completed(
        &mut self,
        agent: AgentId,
        complete: &BarrierComplete,
    ) -> Option<StopReason> {
        let number = number_of(complete.id)?;
        self.arrivals.remove(&number);
        let mut arrived: Vec<String> = Vec::new();
        for &id in &complete.threads {
            let Some(id) = self.numbers_of(ThreadKey { agent, id }) else {
                continue;
            };
            if let Some(thread) = self.thread_mut(id) {
                thread.held = false;
            }
            if self.is_placed(number, id.process) {
                arrived.extend(self.name_of(id));
            }
        }
        arrived.dedup();
        Some(StopReason::Barrier(BarrierView {
            number,
            arrived,
            missing: Vec::new(),
        }))
    }

    /// Whether the stop of a complete barrier is on its way.
    pub(super) fn awaits_barrier(&self) -> bool {
        let waits = |number: &u32| {
            let here = self.waiting_at(*number);
            let missing = self.barrier_view(*number).map(|view| view.missing);
            !here.is_empty() && missing.is_some_and(|missing| missing.is_empty())
        };
        self.arrivals.keys().any(waits)
    }

    /// The barrier is gone or switched off: nobody is held by it any more.
    pub(super) fn free_arrivals(&mut self, number: u32) {
        for id in self.arrivals.remove(&number).unwrap_or_default() {
            if let Some(thread) = self.thread_mut(id) {
                thread.held = false;
            }
        }
    }

    /// Who waits at a barrier and lives.
    fn waiting_at(&self, number: u32) -> Vec<ThreadId> {
        let live = |id: &ThreadId| {
            self.thread(*id)
                .is_ok_and(|(process, thread)| process.is_alive() && !thread.exited && thread.held)
        };
        let here = self.arrivals.get(&number).map_or(&[][..], Vec::as_slice);
        here.iter().copied().filter(live).collect()
    }

    fn name_of(&self, id: ThreadId) -> Option<String> {
        Some(self.process(id.process).ok()?.name.clone())
    }

    /// Who has come to a barrier and who has not.
    pub(super) fn barrier_view(&self, number: u32) -> Option<BarrierView> {
        let breakpoint = self.breakpoints.get(&number)?;
        if !breakpoint.gathers() {
            return None;
        }
        let awaited = self.awaited(breakpoint, &[]);
        let here = self.waiting_at(number);
        let mut missing = Vec::new();
        for &number in &awaited.processes {
            if !here.iter().any(|arrived| arrived.process == number) {
                missing.push(self.process(number).ok()?.name.clone());
            }
        }
        for &id in &awaited.threads {
            if !here.contains(&id) {
                missing.push(format!("{}.{}", self.name_of(id)?, id.thread));
            }
        }
        let mut arrived: Vec<String> = here.iter().filter_map(|&id| self.name_of(id)).collect();
        arrived.dedup();
        Some(BarrierView {
            number,
            arrived,
            missing,
        })
    }
}
