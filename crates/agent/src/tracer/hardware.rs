//! Breakpoints in debug registers: the code stays as it is, so they work where it is written anew or cannot be written.

use super::Tracer;
use super::watch::Watched;
use crate::failure;
use wayfarer_backend::{BreakpointId, Failure, FailureKind, ProcessId, ThreadId};
use wayfarer_ptrace::debug_registers::SLOTS;
use wayfarer_ptrace::{Watch, WatchCondition};

/// The resume flag: the next instruction triggers no breakpoint of a debug register.
const RESUME_FLAG: u64 = 1 << 16;

/// Owns the debug registers of breakpoints: which those are say the places of the breakpoints themselves.
const BREAKPOINTS: BreakpointId = BreakpointId(0);

impl Watched {
    /// Whether a debug register stops who comes to this address.
    pub fn stops_at(&self, address: u64) -> bool {
        self.slots.iter().flatten().any(|(_, watch)| {
            watch.condition == WatchCondition::Execute && watch.address == address
        })
    }

    /// What a child of fork begins with: breakpoints are inherited, watchpoints are not.
    pub fn inherited(&self) -> Watched {
        let mut child = Watched::default();
        child.slots = self
            .slots
            .map(|slot| slot.filter(|(_, watch)| watch.condition == WatchCondition::Execute));
        if child.armed() {
            child.edition = 1;
        }
        child
    }
}

impl Tracer {
    /// Makes sure that a debug register holds this address, however many breakpoints need it.
    pub(super) fn claim_register(
        &mut self,
        process_id: ProcessId,
        address: u64,
    ) -> Result<(), Failure> {
        let process = self
            .processes
            .get_mut(&process_id)
            .ok_or_else(|| failure::no_process(process_id))?;
        let watched = &mut process.watched;
        if watched.stops_at(address) {
            return Ok(());
        }
        let Some(free) = watched.slots.iter_mut().find(|slot| slot.is_none()) else {
            let message = format!(
                "all {SLOTS} debug registers are in use: delete another hardware breakpoint or watchpoint first"
            );
            return Err(Failure::new(FailureKind::NoHardware, message));
        };
        let watch = Watch {
            address,
            length: 1,
            condition: WatchCondition::Execute,
        };
        *free = Some((BREAKPOINTS, watch));
        watched.edition += 1;
        self.watches_changed(process_id);
        Ok(())
    }

    /// The breakpoints in debug registers at an address of a process.
    pub(super) fn in_registers(&self, process: ProcessId, address: u64) -> Vec<BreakpointId> {
        let place = (process, address);
        self.breakpoints
            .iter()
            .filter(|(_, breakpoint)| breakpoint.hardware && breakpoint.places.contains_key(&place))
            .map(|(id, _)| *id)
            .collect()
    }

    /// Gives a debug register back that no breakpoint needs any more.
    pub(super) fn release_register(&mut self, process_id: ProcessId, address: u64) {
        if !self.in_registers(process_id, address).is_empty() {
            return;
        }
        let Some(process) = self.processes.get_mut(&process_id) else {
            return;
        };
        if !process.watched.stops_at(address) {
            return;
        }
        for slot in &mut process.watched.slots {
            if slot.is_some_and(|(owner, watch)| owner == BREAKPOINTS && watch.address == address) {
                *slot = None;
            }
        }
        process.watched.edition += 1;
        self.watches_changed(process_id);
    }

    /// The address at which the thread stands if a debug register stops there.
    pub(super) fn stands_at_register(&mut self, id: ThreadId) -> Option<u64> {
        let thread = self.threads.get_mut(&id)?;
        let process = self.processes.get(&thread.process)?;
        if !process.watched.armed() {
            return None;
        }
        let pc = thread.pc()?;
        process.watched.stops_at(pc).then_some(pc)
    }

    /// A thread that was let past a breakpoint in a debug register may be stopped again before it has executed the
    /// instruction there. The processor takes the resume flag back with the instruction, so the flag tells: such a thread
    /// has still to be let past, and has not come here a second time.
    pub(super) fn still_passing(&mut self, id: ThreadId) {
        if let Some(address) = self.stands_at_register(id)
            && let Some(thread) = self.threads.get_mut(&id)
            && let Some(registers) = thread.registers()
            && registers.0.eflags & RESUME_FLAG != 0
        {
            thread.skip_at = Some(address);
        }
    }

    /// Lets the next instruction of the thread run although a debug register holds its address, or not.
    pub(super) fn set_resume_flag(&mut self, id: ThreadId, on: bool) {
        let Some(thread) = self.threads.get_mut(&id) else {
            return;
        };
        if let Some(mut registers) = thread.registers() {
            match on {
                true => registers.0.eflags |= RESUME_FLAG,
                false => registers.0.eflags &= !RESUME_FLAG,
            }
            thread.set_registers(registers);
        }
    }
}
