//! Breakpoints of the invented world: who hits one, who is counted, who waits at a barrier.

use std::collections::{BTreeMap, BTreeSet};

use wayfarer_backend::{
    Answer, Barrier, BarrierArrived, BarrierComplete, BreakpointHit, BreakpointId, BreakpointPlace,
    EventKind, Failure, FailureKind, GeneralRegisters, Hits, InsertBreakpointRequest, Location,
    PlaceResult, PredicateFailure, ProcessId, RemoveBreakpointRequest, StopReason, StopScope,
    ThreadId,
};
use wayfarer_predicate::{Program, Target, holds};

use crate::memory::Memory;
use crate::world::World;

/// A breakpoint with what has been counted at it.
#[derive(Default)]
pub(crate) struct Breakpoint {
    /// Each with its condition.
    pub places: BTreeMap<Location, Option<Program>>,
    threads: Vec<ThreadId>,
    stack_above: Option<u64>,
    scope: Option<StopScope>,
    barrier: Option<Barrier>,
    arrived: BTreeSet<ThreadId>,
    ignore: u64,
    hits: u64,
    evaluations: u64,
}

/// A thread as a condition sees it.
struct Scene<'a> {
    general: &'a GeneralRegisters,
    memory: &'a Memory,
}

impl Target for Scene<'_> {
    fn register(&mut self, number: u16) -> Option<u64> {
        let r = self.general;
        // The order of DWARF.
        let all = [
            r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8, r.r9, r.r10, r.r11,
            r.r12, r.r13, r.r14, r.r15, r.rip,
        ];
        all.get(usize::from(number)).copied()
    }

    fn read(&mut self, address: u64, buffer: &mut [u8]) -> bool {
        let bytes = self.memory.read(address, buffer.len() as u64);
        let whole = bytes.len() == buffer.len();
        if whole {
            buffer.copy_from_slice(&bytes);
        }
        whole
    }
}

/// What the breakpoints at a place say.
#[derive(Default)]
struct Verdict {
    hit: BreakpointHit,
    scope: Option<StopScope>,
    barrier: Option<BreakpointId>,
}

impl World {
    /// A running thread comes to an address. What the breakpoints there make of it happens: it
    /// stops, with those that its stop takes along, or waits at a barrier, or runs on.
    pub fn reach(&mut self, thread: ThreadId, address: u64) {
        self.registers(thread, |general| general.rip = address);
        if !self.runs(thread) {
            return;
        }
        let verdict = self.judge(thread, address);
        if !verdict.hit.ids.is_empty() {
            self.stop_in(thread, StopReason::Breakpoint(verdict.hit), verdict.scope);
        } else if let Some(barrier) = verdict.barrier {
            self.arrive(thread, barrier);
        }
    }

    fn judge(&mut self, id: ThreadId, address: u64) -> Verdict {
        let mut verdict = Verdict::default();
        let Some(thread) = self.threads.get(&id) else {
            return verdict;
        };
        let process = thread.described.process;
        let Some(memory) = self.processes.get(&process).map(|found| &found.memory) else {
            return verdict;
        };
        for (number, breakpoint) in &mut self.breakpoints {
            let Some(condition) = breakpoint.places.get(&Location { process, address }) else {
                continue;
            };
            let others = !breakpoint.threads.is_empty() && !breakpoint.threads.contains(&id);
            let below = |above: u64| thread.general.rsp <= above;
            if others || breakpoint.stack_above.is_some_and(below) {
                continue;
            }
            breakpoint.evaluations += 1;
            let general = &thread.general;
            let value = condition
                .as_ref()
                .map(|condition| holds(condition, &mut Scene { general, memory }));
            match value {
                Some(Ok(false)) => continue,
                None | Some(Ok(true)) => {}
                Some(Err(fault)) => verdict.hit.failures.push(PredicateFailure {
                    id: *number,
                    message: fault.to_string(),
                }),
            }
            breakpoint.hits += 1;
            if breakpoint.ignore > 0 {
                breakpoint.ignore -= 1;
            } else if breakpoint.barrier.is_some() {
                verdict.barrier = Some(*number);
            } else {
                verdict.hit.ids.push(*number);
                let scope = breakpoint.scope.unwrap_or(self.settings.scope);
                verdict.scope = verdict.scope.max(Some(scope));
            }
        }
        verdict
    }

    /// A thread waits at a barrier from now on, unless it is the last.
    fn arrive(&mut self, thread: ThreadId, id: BreakpointId) {
        let Some(process) = self
            .threads
            .get(&thread)
            .map(|thread| thread.described.process)
        else {
            return;
        };
        if let Some(breakpoint) = self.breakpoints.get_mut(&id) {
            breakpoint.arrived.insert(thread);
        }
        self.set_at_barrier(thread, true);
        let missing = self.missing(id);
        let arrived = self
            .breakpoints
            .get(&id)
            .map_or(0, |found| found.arrived.len());
        self.happened
            .push(EventKind::BarrierArrived(BarrierArrived {
                id,
                process,
                thread,
                arrived: arrived as u32,
                expected: (arrived + missing) as u32,
            }));
        if missing == 0 {
            self.complete(id, thread);
        }
    }

    /// Who waited at a barrier is free, and one stop tells of all.
    fn complete(&mut self, id: BreakpointId, last: ThreadId) {
        let Some(breakpoint) = self.breakpoints.get_mut(&id) else {
            return;
        };
        let scope = breakpoint.scope;
        let threads: Vec<ThreadId> = std::mem::take(&mut breakpoint.arrived)
            .into_iter()
            .collect();
        for thread in &threads {
            self.set_at_barrier(*thread, false);
        }
        let complete = StopReason::Barrier(BarrierComplete { id, threads });
        self.stop_in(last, complete, scope);
    }

    /// Somebody is gone: a barrier may be complete without it.
    pub(crate) fn complete_barriers(&mut self) {
        let waiting: Vec<(BreakpointId, ThreadId)> = self
            .breakpoints
            .iter()
            .filter_map(|(id, breakpoint)| Some((*id, *breakpoint.arrived.last()?)))
            .collect();
        for (id, last) in waiting {
            if self.missing(id) == 0 {
                self.complete(id, last);
            }
        }
    }

    fn set_at_barrier(&mut self, thread: ThreadId, at_barrier: bool) {
        if let Some(thread) = self.threads.get_mut(&thread) {
            thread.at_barrier = at_barrier;
        }
    }

    /// How many members of a barrier live and have not come.
    fn missing(&self, id: BreakpointId) -> usize {
        let Some(breakpoint) = self.breakpoints.get(&id) else {
            return 0;
        };
        let Some(barrier) = &breakpoint.barrier else {
            return 0;
        };
        let of = |thread: &ThreadId| Some(self.threads.get(thread)?.described.process);
        let here = |process: &ProcessId| {
            let mut arrived = breakpoint.arrived.iter();
            arrived.any(|thread| of(thread) == Some(*process))
        };
        let processes = barrier.processes.iter();
        let processes = processes.filter(|id| self.processes.contains_key(id) && !here(id));
        let threads = barrier.threads.iter().filter(|id| of(id).is_some());
        let threads = threads.filter(|id| !breakpoint.arrived.contains(id));
        processes.count() + threads.count()
    }

    pub(crate) fn insert_breakpoint(
        &mut self,
        request: InsertBreakpointRequest,
    ) -> Vec<PlaceResult> {
        let breakpoint = self.breakpoints.entry(request.id).or_default();
        breakpoint.ignore = request.ignore_count;
        breakpoint.threads = request.threads;
        breakpoint.stack_above = request.stack_above;
        breakpoint.scope = request.scope;
        breakpoint.barrier = request.barrier;
        let mut results = Vec::new();
        for place in request.places {
            let at = place.at;
            let outcome = match self.processes.contains_key(&at.process) {
                true => condition_of(place),
                false => Err(Failure::new(FailureKind::Gone, "there is no such process")),
            };
            let outcome = outcome.map(|condition| {
                breakpoint.places.insert(at, condition);
            });
            results.push(PlaceResult { at, outcome });
        }
        results
    }

    pub(crate) fn remove_breakpoint(&mut self, request: &RemoveBreakpointRequest) {
        match &request.places {
            Some(places) => {
                if let Some(breakpoint) = self.breakpoints.get_mut(&request.id) {
                    breakpoint.places.retain(|at, _| !places.contains(at));
                }
            }
            None => {
                let gone = self.breakpoints.remove(&request.id);
                for thread in gone.into_iter().flat_map(|gone| gone.arrived) {
                    self.set_at_barrier(thread, false);
                }
            }
        }
    }

    pub(crate) fn hits_of(&self, ids: &[BreakpointId]) -> Vec<Hits> {
        let meant = self.breakpoints.iter();
        let meant = meant.filter(|(id, _)| ids.is_empty() || ids.contains(id));
        meant
            .map(|(id, breakpoint)| Hits {
                id: *id,
                hits: breakpoint.hits,
                evaluations: breakpoint.evaluations,
                ignore_left: breakpoint.ignore,
            })
            .collect()
    }

    /// A child has the breakpoints of its parent.
    pub(crate) fn inherit_breakpoints(&mut self, parent: ProcessId, child: ProcessId) {
        for breakpoint in self.breakpoints.values_mut() {
            let inherited: Vec<_> = breakpoint
                .places
                .iter()
                .filter(|(at, _)| at.process == parent)
                .map(|(at, condition)| {
                    (
                        Location {
                            process: child,
                            ..*at
                        },
                        condition.clone(),
                    )
                })
                .collect();
            breakpoint.places.extend(inherited);
            if let Some(barrier) = &mut breakpoint.barrier
                && barrier.processes.contains(&parent)
            {
                barrier.processes.push(child);
            }
        }
    }

    /// A process has no such code any more.
    pub(crate) fn drop_breakpoints(&mut self, process: ProcessId) {
        for breakpoint in self.breakpoints.values_mut() {
            breakpoint.places.retain(|at, _| at.process != process);
        }
    }
}

fn condition_of(place: BreakpointPlace) -> Answer<Option<Program>> {
    let program = place.predicate.map(|bytes| Program::from_bytes(&bytes));
    let damaged = |error| Failure::new(FailureKind::Invalid, format!("{error}"));
    program.transpose().map_err(damaged)
}
