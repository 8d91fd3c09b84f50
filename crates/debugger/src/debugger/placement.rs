//! Placing logical breakpoints: in every process that has the code, again whenever code comes or goes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use wayfarer_backend::{
    self as backend, AgentId, BreakpointPlace, FailureKind, InsertBreakpointRequest, Location,
    PlaceResult, RemoveBreakpointRequest, StopScope,
};

use super::Debugger;
use super::locations::{place_at, places_of, worth_asking};
use crate::breakpoint::{Breakpoint, Placed, Target, What, id_of};
use crate::session::{Process, ProcessKey, ThreadKey};
use crate::view::PlaceView;
use crate::{DebuggerError, Event, Result};

/// Whom a breakpoint is restricted to.
pub(super) enum Restriction {
    None,
    Processes(BTreeSet<u32>),
    /// Single threads, and the processes they are in.
    Threads(Vec<ThreadKey>, BTreeSet<u32>),
}

impl Restriction {
    /// The threads of a back end that it is for; none named: all.
    fn threads_of(&self, agent: AgentId) -> Vec<backend::ThreadId> {
        let Restriction::Threads(threads, _) = self else {
            return Vec::new();
        };
        let own = threads.iter().filter(|thread| thread.agent == agent);
        own.map(|thread| thread.id).collect()
    }
}

impl Debugger {
    /// Places every breakpoint that belongs into a process and is not there yet.
    pub(super) fn place_everything_in(&mut self, process: u32) {
        if self.passes_by() {
            return;
        }
        for number in self.breakpoints.keys().copied().collect::<Vec<_>>() {
            let before = self
                .breakpoints
                .get(&number)
                .map_or(0, |breakpoint| breakpoint.places.len());
            self.drop_unmapped(number, process);
            if let Err(error) = self.place(number, &[process]) {
                self.note_problem(number, error.to_string());
            }
            let after = self
                .breakpoints
                .get(&number)
                .map_or(0, |breakpoint| breakpoint.places.len());
            if before == 0 && after > 0 {
                self.emit(Event::BreakpointChanged {
                    number,
                    places: after as u32,
                });
            }
        }
    }

    pub(super) fn note_problem(&mut self, number: u32, problem: String) {
        if let Some(breakpoint) = self.breakpoints.get_mut(&number)
            && !breakpoint.problems.contains(&problem)
        {
            breakpoint.problems.push(problem.clone());
            // A hardware breakpoint that has no place at all is refused as a whole.
            if breakpoint.hardware && breakpoint.places.is_empty() {
                return;
            }
            self.say(format!("Breakpoint {number}: {problem}"));
        }
    }

    /// Forgets places whose module is no longer mapped.
    fn drop_unmapped(&mut self, number: u32, process: u32) {
        let Ok(space) = self.process(process).map(|process| process.space.clone()) else {
            return;
        };
        if let Some(breakpoint) = self.breakpoints.get_mut(&number)
            && matches!(
                &breakpoint.what,
                What::Code {
                    target: Target::Spec(_) | Target::Functions(_),
                    ..
                }
            )
        {
            breakpoint.places.retain(|place| {
                place.view.process_number != process
                    || space.mapped_at(place.view.address).is_some()
            });
        }
    }

    /// Places one breakpoint in these processes, as far as it belongs there and is not there yet.
    pub(super) fn place(&mut self, number: u32, processes: &[u32]) -> Result<()> {
        let Some(breakpoint) = self.breakpoints.get(&number) else {
            return Ok(());
        };
        if !breakpoint.enabled || !matches!(breakpoint.what, What::Code { .. }) {
            return Ok(());
        }
        let restriction = self.restriction(number);
        let mut fresh: Vec<Placed> = Vec::new();
        let mut problems = Vec::new();
        for &process in processes {
            let allowed = match &restriction {
                Restriction::None => true,
                Restriction::Processes(those) | Restriction::Threads(_, those) => {
                    those.contains(&process)
                }
            };
            if !allowed || !self.process(process).is_ok_and(Process::is_alive) {
                continue;
            }
            for view in self.wanted_places(number, process)? {
                let known = |place: &Placed| {
                    place.view.process_number == process && place.view.address == view.address
                };
                let Some(breakpoint) = self.breakpoints.get(&number) else {
                    continue;
                };
                if breakpoint.places.iter().any(known) || fresh.iter().any(known) {
                    continue;
                }
                let condition = breakpoint.condition.clone();
                let predicate = condition.and_then(|condition| {
                    self.compile_condition(process, view.address, &condition)
                });
                fresh.push(Placed {
                    view,
                    predicate: predicate.unwrap_or_default(),
                });
            }
        }
        if fresh.is_empty() {
            return Ok(());
        }
        let anew = self.decide_who_decides(number, &fresh)?;
        for (agent, result) in self.insert(number, &fresh, anew, &restriction)? {
            if let Err(failure) = result.outcome {
                let id = result.at.process;
                let at = (ProcessKey { agent, id }, result.at.address);
                fresh.retain(|place| self.place_of(place) != Some(at));
                // A process that died in this moment is told by its own event.
                if failure.kind != FailureKind::Gone {
                    problems.push(failure.message);
                }
            }
        }
        if let Some(breakpoint) = self.breakpoints.get_mut(&number) {
            breakpoint.places.extend(fresh);
        }
        for problem in problems {
            self.note_problem(number, problem);
        }
        Ok(())
    }

    fn place_of(&self, place: &Placed) -> Option<(ProcessKey, u64)> {
        let process = self.processes.get(&place.view.process_number)?;
        Some((process.key, place.view.address))
    }

    /// Settles whether hits are decided here, now that these places come to those that a breakpoint has.
    ///
    /// What only we can do makes us decide at all places: a condition that one of them has no bytecode for, something
    /// to print, a number of hits to pass over that several back ends would each count for themselves. It stays so while
    /// there are places, so that nothing is counted twice. True: what back ends have been told must be told anew.
    fn decide_who_decides(&mut self, number: u32, fresh: &[Placed]) -> Result<bool> {
        self.refresh_ignore(number);
        let Some(breakpoint) = self.breakpoints.get(&number) else {
            return Ok(false);
        };
        let every = || fresh.iter().chain(&breakpoint.places);
        let placed = !breakpoint.places.is_empty();
        let agents: BTreeSet<AgentId> = every()
            .filter_map(|place| Some(self.place_of(place)?.0.agent))
            .collect();
        if agents.len() > 1 && breakpoint.gathers() {
            return Err(DebuggerError::Usage(
                "A barrier can hold processes of one agent only.".to_owned(),
            ));
        }
        let compiled = every().all(|place| !place.predicate.is_empty());
        let in_agent = breakpoint.condition.is_some()
            && compiled
            && (!placed || breakpoint.condition_in_agent);
        let asks_us = (placed && breakpoint.asks_us)
            || breakpoint.prints()
            || (breakpoint.condition.is_some() && !in_agent)
            || (breakpoint.ignore > 0 && agents.len() > 1);
        let anew = placed && asks_us && !breakpoint.asks_us;
        if anew {
            self.keep_hits(number)?;
        }
        if let Some(breakpoint) = self.breakpoints.get_mut(&number) {
            breakpoint.condition_in_agent = in_agent;
            breakpoint.asks_us = asks_us;
        }
        Ok(anew)
    }

    /// Tells back ends about places with all options; each place's outcome.
    fn insert(
        &self,
        number: u32,
        fresh: &[Placed],
        anew: bool,
        restriction: &Restriction,
    ) -> Result<Vec<(AgentId, PlaceResult)>> {
        let Some(breakpoint) = self.breakpoints.get(&number) else {
            return Ok(Vec::new());
        };
        let again = breakpoint.places.iter().filter(|_| anew);
        let mut told: BTreeMap<AgentId, Vec<BreakpointPlace>> = BTreeMap::new();
        for place in fresh.iter().chain(again) {
            let Some((key, address)) = self.place_of(place) else {
                continue;
            };
            let process = key.id;
            let predicate = Some(&place.predicate).filter(|_| breakpoint.condition_in_agent);
            told.entry(key.agent).or_default().push(BreakpointPlace {
                at: Location { process, address },
                predicate: predicate.cloned(),
            });
        }
        let barrier = breakpoint
            .gathers()
            .then(|| self.barrier_members(breakpoint, fresh));
        let mut results = Vec::new();
        for (agent, places) in told {
            let request = InsertBreakpointRequest {
                ignore_count: if breakpoint.asks_us {
                    0
                } else {
                    breakpoint.ignore
                },
                threads: restriction.threads_of(agent),
                barrier: barrier.clone(),
                scope: breakpoint.asks_us.then_some(StopScope::Thread),
                hardware: breakpoint.hardware,
                ..InsertBreakpointRequest::new(id_of(number), places)
            };
            let reply = self.backend(agent)?.insert_breakpoint(request)?;
            results.extend(reply.into_iter().map(|result| (agent, result)));
        }
        Ok(results)
    }

    /// Whom a breakpoint is for, now.
    fn restriction(&mut self, number: u32) -> Restriction {
        let Some(set) = self
            .breakpoints
            .get(&number)
            .and_then(|breakpoint| breakpoint.only.clone())
        else {
            return Restriction::None;
        };
        if set.is_all() {
            return Restriction::None;
        }
        let members = self.members();
        let meant = set.members(&members, &mut |location, id| self.stands_at(id, location));
        let processes: BTreeSet<u32> = meant.iter().map(|id| id.process).collect();
        let whole = members
            .iter()
            .filter(|member| processes.contains(&member.id.process))
            .count()
            == meant.len();
        if whole {
            return Restriction::Processes(processes);
        }
        let threads = meant
            .iter()
            .filter_map(|&id| Some(self.thread(id).ok()?.1.key))
            .collect();
        Restriction::Threads(threads, processes)
    }

    /// Where a breakpoint belongs in a process. Each module is asked once, however many processes map it.
    pub(super) fn wanted_places(&mut self, number: u32, process: u32) -> Result<Vec<PlaceView>> {
        let found = self.process(process)?;
        let (space, name) = (found.space.clone(), found.name.clone());
        let Some(Breakpoint {
            what: What::Code { target, known, .. },
            ..
        }) = self.breakpoints.get_mut(&number)
        else {
            return Ok(Vec::new());
        };
        let mut wanted = Vec::new();
        let mut add = |address: u64, place: &wayfarer_symbols::CodePlace, module: Option<&str>| {
            wanted.push(PlaceView {
                process: name.clone(),
                process_number: process,
                address,
                function: place.function.clone(),
                file: place
                    .position
                    .as_ref()
                    .map(|position| position.file.name.clone()),
                line: place.position.as_ref().map(|position| position.line as u32),
                module: module.map(str::to_owned),
            });
        };
        if let Target::Addresses {
            process: whose,
            addresses,
        } = target
        {
            if *whose == process {
                for &address in addresses.iter() {
                    let module = space.mapped_at(address).map(|mapped| mapped.path.clone());
                    add(address, &place_at(&space, address), module.as_deref());
                }
            }
            return Ok(wanted);
        }
        let mut in_program = false;
        for mapped in space.modules.iter() {
            let module = &mapped.loaded.module;
            let key = Arc::as_ptr(module) as usize;
            if in_program && !known.contains_key(&key) && !worth_asking(target, mapped) {
                continue;
            }
            let (_, places) = known.entry(key).or_insert_with(|| {
                (
                    module.clone(),
                    places_of(target, module).unwrap_or_default(),
                )
            });
            in_program |= mapped.is_program && !places.is_empty();
            for place in places.iter() {
                add(
                    place.address.in_process(mapped.loaded.bias),
                    place,
                    Some(&mapped.path),
                );
            }
        }
        Ok(wanted)
    }

    /// A forked process has its parent's breakpoints already; this writes them down, or takes away what is not for it.
    pub(super) fn inherit_places(&mut self, child: u32) {
        let Ok(process) = self.process(child) else {
            return;
        };
        let (key, parent, name) = (process.key, process.parent, process.name.clone());
        for number in self.breakpoints.keys().copied().collect::<Vec<_>>() {
            let meant = match self.restriction(number) {
                Restriction::None => true,
                Restriction::Processes(those) => those.contains(&child),
                Restriction::Threads(..) => false,
            };
            let Some(breakpoint) = self.breakpoints.get_mut(&number) else {
                continue;
            };
            let mut copies: Vec<Placed> = breakpoint
                .places
                .iter()
                .filter(|place| Some(place.view.process_number) == parent)
                .cloned()
                .collect();
            if copies.is_empty() {
                continue;
            }
            for copy in &mut copies {
                copy.view.process_number = child;
                copy.view.process.clone_from(&name);
            }
            if meant {
                breakpoint.places.extend(copies);
                continue;
            }
            let places = copies
                .iter()
                .map(|place| Location {
                    process: key.id,
                    address: place.view.address,
                })
                .collect();
            if let Ok(backend) = self.backend(key.agent) {
                // The child may have gone on to another program: then there is nothing to remove.
                let _ = backend.remove_breakpoint(RemoveBreakpointRequest {
                    id: id_of(number),
                    places: Some(places),
                });
            }
        }
    }

    /// Takes a breakpoint out of the processes.
    pub(super) fn unplace(&mut self, number: u32) -> Result<()> {
        let Some(breakpoint) = self.breakpoints.get_mut(&number) else {
            return Ok(());
        };
        let places = std::mem::take(&mut breakpoint.places);
        let agents: BTreeSet<AgentId> = places
            .iter()
            .filter_map(|place| Some(self.place_of(place)?.0.agent))
            .collect();
        let id = id_of(number);
        for backend in agents
            .into_iter()
            .filter_map(|agent| self.backends.get(agent))
        {
            backend.remove_breakpoint(RemoveBreakpointRequest { id, places: None })?;
        }
        Ok(())
    }

    /// Places a breakpoint anew after its options have changed.
    pub(super) fn replace(&mut self, number: u32) -> Result<()> {
        self.unplace(number)?;
        let processes: Vec<u32> = self.processes.keys().copied().collect();
        self.place(number, &processes)?;
        self.insert_watch(number)
    }
}
