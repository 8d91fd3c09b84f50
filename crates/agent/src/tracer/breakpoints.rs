//! Breakpoints: what the debugger asked for, and the instructions in memory that serve it.
//!
//! An address holds one breakpoint instruction however many need it: each need is an [`Owner`], and the original byte
//! comes back with the last of them.

use super::Tracer;
use super::process::{BREAKPOINT, Inserted, Owner, Protection, SpaceId};
use super::thread::{Activity, Thread};
use crate::failure;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use wayfarer_backend::{
    BreakpointId, BreakpointPlace, Failure, FailureKind, GetHitsReply, Hits, InsertBreakpointReply,
    InsertBreakpointRequest, Location, PlaceResult, ProcessId, StopScope, ThreadId,
};
use wayfarer_predicate::Program;

/// A breakpoint as the debugger asked for it.
#[derive(Default)]
pub struct Breakpoint {
    /// Where it is.
    pub places: BTreeMap<(ProcessId, u64), Place>,
    /// Times that it was reached with its predicate true.
    pub hits: u64,
    /// Times that it was reached.
    pub evaluations: u64,
    /// Hits still to be passed.
    pub ignore: u64,
    /// Only these threads, unless empty.
    pub threads: BTreeSet<ThreadId>,
    /// Only with the stack pointer above this.
    pub stack_above: Option<u64>,
    /// Whom a stop takes along, if not what the session says.
    pub scope: Option<StopScope>,
    /// Who must arrive.
    pub barrier: Option<Barrier>,
    /// In debug registers instead of the code.
    pub hardware: bool,
}

/// One place of a breakpoint.
#[derive(Clone, Default)]
pub struct Place {
    /// The condition; `None`: always.
    pub predicate: Option<Arc<Program>>,
}

/// Who must arrive, and who has.
#[derive(Clone, Default)]
pub struct Barrier {
    /// Processes of which any thread counts.
    pub processes: BTreeSet<ProcessId>,
    /// Single threads.
    pub threads: BTreeSet<ThreadId>,
    /// Who waits.
    pub arrived: BTreeSet<ThreadId>,
}

impl Breakpoint {
    /// A child of fork gets its parent's places, and is waited for where its parent is.
    pub fn inherit(&mut self, parent: ProcessId, child: ProcessId) {
        let inherited: Vec<_> = self
            .places
            .range((parent, 0)..=(parent, u64::MAX))
            .map(|((_, address), place)| {
                let place = Place {
                    predicate: place.predicate.clone(),
                };
                ((child, *address), place)
            })
            .collect();
        if let Some(barrier) = &mut self.barrier
            && !inherited.is_empty()
            && barrier.processes.contains(&parent)
        {
            barrier.processes.insert(child);
        }
        self.places.extend(inherited);
    }

    /// The process has no such code any more.
    pub fn drop_process(&mut self, process: ProcessId) {
        self.places.retain(|(owner, _), _| *owner != process);
        if let Some(barrier) = &mut self.barrier {
            barrier.processes.remove(&process);
        }
    }
}

impl Tracer {
    pub(super) fn insert_breakpoint(
        &mut self,
        request: InsertBreakpointRequest,
    ) -> InsertBreakpointReply {
        let breakpoint = self.breakpoints.entry(request.id).or_default();
        breakpoint.ignore = request.ignore_count;
        breakpoint.threads = request.threads.into_iter().collect();
        breakpoint.stack_above = request.stack_above;
        breakpoint.scope = request.scope;
        breakpoint.hardware = request.hardware;
        let arrived = breakpoint.barrier.take().map(|barrier| barrier.arrived);
        breakpoint.barrier = request.barrier.map(|barrier| Barrier {
            processes: barrier.processes.into_iter().collect(),
            threads: barrier.threads.into_iter().collect(),
            arrived: arrived.unwrap_or_default(),
        });
        request
            .places
            .iter()
            .map(|place| PlaceResult {
                at: place.at,
                outcome: self.insert_place(request.id, place),
            })
            .collect()
    }

    fn insert_place(&mut self, id: BreakpointId, place: &BreakpointPlace) -> Result<(), Failure> {
        let Location { process, address } = place.at;
        let space = self
            .processes
            .get(&process)
            .ok_or_else(|| failure::no_process(process))?
            .space;
        let predicate = match place.predicate.as_deref() {
            None => None,
            Some(bytes) => Some(Arc::new(Program::from_bytes(bytes).map_err(|error| {
                let message = format!("the condition of breakpoint {id} is damaged: {error}");
                Failure::new(FailureKind::Invalid, message)
            })?)),
        };
        if self
            .breakpoints
            .get(&id)
            .is_some_and(|breakpoint| breakpoint.hardware)
        {
            self.claim_register(process, address)?;
        } else {
            self.claim_address(space, address, Owner::Breakpoint(process, id))?;
        }
        let entry = self.breakpoints.entry(id).or_default();
        entry
            .places
            .entry((process, address))
            .or_default()
            .predicate = predicate;
        Ok(())
    }

    /// Takes a breakpoint out of these places, or out of all, and forgets it.
    pub(super) fn remove_breakpoint(&mut self, id: BreakpointId, places: Option<&[Location]>) {
        let Some(breakpoint) = self.breakpoints.get_mut(&id) else {
            return;
        };
        let everywhere = places.is_none();
        let gone: Vec<(ProcessId, u64)> = match places {
            None => breakpoint.places.keys().copied().collect(),
            Some(places) => places
                .iter()
                .map(|place| (place.process, place.address))
                .filter(|place| breakpoint.places.contains_key(place))
                .collect(),
        };
        for place in &gone {
            breakpoint.places.remove(place);
        }
        // Who does not have the place any more is not waited for, and waits no longer.
        let mut free: Vec<ThreadId> = Vec::new();
        if let Some(barrier) = breakpoint.barrier.as_mut().filter(|_| !everywhere) {
            for (process, _) in &gone {
                barrier.processes.remove(process);
            }
            let of_gone = |thread: &&ThreadId| {
                let owner = self.threads.get(thread).map(|thread| thread.process);
                gone.iter().any(|(process, _)| owner == Some(*process))
            };
            free.extend(barrier.arrived.iter().filter(of_gone));
            barrier.arrived.retain(|thread| !free.contains(thread));
        }
        if everywhere {
            let waiting = self
                .breakpoints
                .remove(&id)
                .and_then(|breakpoint| breakpoint.barrier);
            for thread in waiting.map(|barrier| barrier.arrived).unwrap_or_default() {
                self.leave_barrier(thread);
            }
        }
        for (process, address) in gone {
            self.release_register(process, address);
            if let Some(space) = self.processes.get(&process).map(|process| process.space) {
                self.release_address(space, address, Owner::Breakpoint(process, id));
            }
        }
        for thread in free {
            self.leave_barrier(thread);
        }
        if !everywhere {
            self.barriers_changed();
        }
    }

    /// Makes sure that an address has a breakpoint instruction.
    pub(super) fn claim_address(
        &mut self,
        space_id: SpaceId,
        address: u64,
        owner: Owner,
    ) -> Result<(), Failure> {
        let gone = || Failure::new(FailureKind::Gone, "the process is gone");
        let answered = self.answered_in(space_id, address).is_some();
        let space = self.spaces.get_mut(&space_id).ok_or_else(gone)?;
        if let Some(inserted) = space.inserted.get_mut(&address) {
            if !inserted.owners.contains(&owner) {
                inserted.owners.push(owner);
            }
            return Ok(());
        }
        let mut original = [0];
        space
            .memory
            .read(address, &mut original)
            .map_err(|error| failure::of(&error))?;
        if space.guarded {
            self.traces
                .breakpoint_placed(space.memory.tid(), address, original[0]);
        }
        if let Protection::Laid(cushion) = &mut space.cushion {
            cushion.breakpoint_placed(&space.memory, address, original[0]);
        }
        if !answered && let Err(error) = space.memory.write(address, &[BREAKPOINT]) {
            self.traces.breakpoint_removed(space.memory.tid(), address);
            return Err(failure::of(&error));
        }
        let inserted = Inserted {
            original: original[0],
            owners: vec![owner],
            instruction: None,
            answered,
        };
        space.inserted.insert(address, inserted);
        Ok(())
    }

    /// Drops a need; the last one takes the instruction out.
    pub(super) fn release_address(&mut self, space_id: SpaceId, address: u64, owner: Owner) {
        let Some(space) = self.spaces.get_mut(&space_id) else {
            return;
        };
        let Some(inserted) = space.inserted.get_mut(&address) else {
            return;
        };
        inserted.owners.retain(|other| *other != owner);
        if inserted.owners.is_empty() {
            let mut now = [0];
            // Only our own instruction is undone: the program may have put other code there.
            if space.memory.read(address, &mut now).is_ok() && now == [BREAKPOINT] {
                let _ = space.memory.write(address, &[inserted.original]);
            }
            let pid = space.memory.tid();
            if let Protection::Laid(cushion) = &mut space.cushion {
                cushion.breakpoint_removed(&space.memory, address);
            }
            space.inserted.remove(&address);
            self.traces.breakpoint_removed(pid, address);
        }
    }

    /// Places the private breakpoints for where a thread runs to.
    pub(super) fn place_goal(&mut self, id: ThreadId) -> Result<(), Failure> {
        let Some(thread) = self.threads.get(&id) else {
            return Ok(());
        };
        let addresses = thread
            .goal()
            .map(|goal| goal.addresses.clone())
            .unwrap_or_default();
        let Some(space) = self
            .processes
            .get(&thread.process)
            .map(|process| process.space)
        else {
            return Ok(());
        };
        for address in addresses {
            self.claim_address(space, address, Owner::Goal(id))?;
            // A handler that answers the instruction, under way already, returns behind it.
            if let Some(length) = self.answered_at(id, address) {
                let behind = address + length as u64;
                self.claim_address(space, behind, Owner::Goal(id))?;
                if let Some(goal) = self.threads.get_mut(&id).and_then(Thread::goal_mut) {
                    goal.addresses.push(behind);
                }
            }
        }
        Ok(())
    }

    /// Removes them, and what the thread was doing if that was running to somewhere.
    pub(super) fn drop_goal(&mut self, id: ThreadId) {
        let Some(thread) = self.threads.get_mut(&id) else {
            return;
        };
        let addresses = thread
            .goal()
            .map(|goal| goal.addresses.clone())
            .unwrap_or_default();
        match &mut thread.activity {
            Activity::Step(step) => step.goal = None,
            Activity::RunTo(_) => thread.activity = Activity::Continue,
            Activity::Continue | Activity::Call(_) => {}
        }
        let Some(space) = self
            .processes
            .get(&thread.process)
            .map(|process| process.space)
        else {
            return;
        };
        for address in addresses {
            self.release_address(space, address, Owner::Goal(id));
        }
    }

    pub(super) fn hits_of(&self, ids: &[BreakpointId]) -> GetHitsReply {
        let asked = |id: &BreakpointId| ids.is_empty() || ids.contains(id);
        self.breakpoints
            .iter()
            .filter(|(id, _)| asked(id))
            .map(|(id, breakpoint)| Hits {
                id: *id,
                hits: breakpoint.hits,
                evaluations: breakpoint.evaluations,
                ignore_left: breakpoint.ignore,
            })
            .chain(
                self.processes
                    .values()
                    .flat_map(|process| process.watched.hits())
                    .filter(|hits| asked(&hits.id)),
            )
            .collect()
    }
}
