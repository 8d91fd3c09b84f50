//! Getting a thread past a breakpoint that stays for the others.
//!
//! Three ways, in this order: the instruction is carried out for the thread (`emulate`); it is executed out of line
//! (`displaced`); it is executed in place, with the breakpoint out and everybody else in that memory stopped.

use super::Tracer;
use super::displaced::Place;
use super::emulate::{LONGEST, decode, emulate};
use super::process::{BREAKPOINT, Exclusive, SpaceId};
use super::thread::Wanted;
use iced_x86::Instruction;
use wayfarer_backend::ThreadId;
use wayfarer_ptrace::Tid;
use wayfarer_ptrace::thread::Going;

/// What has become of an attempt.
pub(super) enum Passed {
    /// The thread is behind the instruction and still stopped.
    Already,
    /// It is on its way; its stop will tell.
    UnderWay,
}

impl Tracer {
    pub(super) fn space_of(&self, id: ThreadId) -> Option<SpaceId> {
        let process = self.threads.get(&id)?.process;
        self.processes.get(&process).map(|process| process.space)
    }

    /// The instruction at an address, ours hidden.
    pub(super) fn instruction_at(&mut self, id: ThreadId, address: u64) -> Option<Instruction> {
        let space = self.spaces.get_mut(&self.space_of(id)?)?;
        if let Some(instruction) = space
            .inserted
            .get(&address)
            .and_then(|inserted| inserted.instruction)
        {
            return Some(instruction);
        }
        let mut bytes = [0; LONGEST];
        let length = space.read(address, &mut bytes);
        let instruction = decode(&bytes[..length], address)?;
        if let Some(inserted) = space.inserted.get_mut(&address) {
            inserted.instruction = Some(instruction);
        }
        Some(instruction)
    }

    /// Gets the thread, which stands at the breakpoint at `address`, past it.
    pub(super) fn step_over(&mut self, id: ThreadId, address: u64) -> Passed {
        let instruction = self.instruction_at(id, address);
        let (Some(instruction), Some(space_id)) = (instruction, self.space_of(id)) else {
            return self.step_in_place(id, address);
        };
        let Some(thread) = self.threads.get_mut(&id) else {
            return Passed::UnderWay;
        };
        let Some(registers) = thread.registers() else {
            return Passed::UnderWay;
        };
        let process = self.processes.get(&thread.process);
        let watched = process.is_some_and(|process| process.watched.any());
        let pid = process.map(|process| process.pid);
        let (Some(space), Some(pid)) = (self.spaces.get_mut(&space_id), pid) else {
            return Passed::UnderWay;
        };
        // Writes of ours trigger no watchpoints: with such, the processor does the work.
        if !watched && let Some(after) = emulate(&instruction, &registers, &space.memory) {
            thread.set_registers(after);
            return Passed::Already;
        }
        let traces = space.guarded.then_some(&mut self.traces);
        let Some(displaced) = space.slots.place(&instruction, &space.memory, pid, traces) else {
            return self.step_in_place(id, address);
        };
        let mut there = registers;
        there.0.rip = displaced.slot;
        thread.set_registers(there);
        thread.displaced = Some(displaced);
        self.single_step(id);
        Passed::UnderWay
    }

    /// One instruction; a signal that is due waits until it is done.
    fn single_step(&mut self, id: ThreadId) {
        let Some(thread) = self.threads.get_mut(&id) else {
            return;
        };
        if thread.signal.take().is_some()
            && let Some(Ok(info)) = thread.handle().map(|handle| handle.signal_info())
        {
            thread.deferred.push(info);
        }
        thread.resume_with(Going::OneInstruction, None);
    }

    /// Whether the thread is in the middle of an instruction over a breakpoint.
    pub(super) fn steps_over(&self, id: ThreadId) -> bool {
        let displaced = self
            .threads
            .get(&id)
            .is_some_and(|thread| thread.displaced.is_some());
        displaced || self.exclusive_of(id).is_some_and(|step| step.under_way)
    }

    fn exclusive_of(&self, id: ThreadId) -> Option<Exclusive> {
        let space = self.spaces.get(&self.space_of(id)?)?;
        space.exclusive.filter(|step| step.thread == id)
    }

    /// Puts a thread that was stopped in the middle of a step out of line where it belongs.
    pub(super) fn cancel_displaced(&mut self, id: ThreadId) {
        let Some(thread) = self.threads.get_mut(&id) else {
            return;
        };
        let Some(displaced) = thread.displaced.clone() else {
            return;
        };
        let Some(registers) = thread.registers() else {
            return;
        };
        match displaced.correct(registers) {
            Place::NotDone(registers) => thread.set_registers(registers),
            Place::Done(registers) => {
                thread.set_registers(registers);
                thread.skip_at = None;
            }
        }
        self.abandon_step(id);
    }

    /// Frees what a step over a breakpoint has taken; the thread itself is left as it is.
    pub(super) fn abandon_step(&mut self, id: ThreadId) {
        self.finish_exclusive(id);
        let space = self.space_of(id);
        let displaced = self.threads.get_mut(&id).and_then(|thread| {
            // It must have left before the place is cleared, for the kernel, too: we may die in between.
            thread.handle();
            thread.displaced.take()
        });
        if let (Some(displaced), Some(space)) = (
            displaced,
            space.and_then(|space| self.spaces.get_mut(&space)),
        ) {
            space
                .slots
                .release(displaced.slot, &space.memory, &mut self.traces);
        }
    }

    /// A child made by an instruction out of line begins behind that instruction.
    pub(super) fn correct_newborn(&mut self, maker: ThreadId, child: Tid) {
        if let Some(displaced) = self
            .threads
            .get(&maker)
            .and_then(|thread| thread.displaced.clone())
        {
            self.corrections.insert(child, displaced);
        }
    }

    fn step_in_place(&mut self, id: ThreadId, address: u64) -> Passed {
        let Some(space_id) = self.space_of(id) else {
            return Passed::UnderWay;
        };
        let Some(space) = self.spaces.get_mut(&space_id) else {
            return Passed::UnderWay;
        };
        if space.exclusive.is_none() {
            space.exclusive = Some(Exclusive {
                thread: id,
                address,
                under_way: false,
            });
            for other in self.inhabitants(space_id) {
                if let Some(thread) = self
                    .threads
                    .get(&other)
                    .filter(|thread| thread.can_be_stopped())
                {
                    thread.interrupt();
                }
            }
            self.advance_exclusive(space_id);
        }
        Passed::UnderWay
    }

    /// All threads that live in a memory.
    fn inhabitants(&self, space: SpaceId) -> Vec<ThreadId> {
        self.processes
            .values()
            .filter(|process| process.space == space)
            .flat_map(|process| process.threads.iter().copied())
            .collect()
    }

    /// Starts a step in place if everybody else has stopped.
    pub(super) fn advance_exclusive(&mut self, space_id: SpaceId) {
        let Some(step) = self.spaces.get(&space_id).and_then(|space| space.exclusive) else {
            return;
        };
        let waiting = self.inhabitants(space_id).into_iter().any(|other| {
            other != step.thread
                && self
                    .threads
                    .get(&other)
                    .is_some_and(|thread| thread.can_be_stopped())
        });
        if waiting || step.under_way {
            return;
        }
        let halted = self
            .threads
            .get(&step.thread)
            .is_none_or(|thread| thread.wanted == Wanted::Stopped || !thread.is_stopped());
        let Some(space) = self.spaces.get_mut(&space_id) else {
            return;
        };
        if halted {
            space.exclusive = None;
            self.resume_inhabitants(space_id, None);
            return;
        }
        space.exclusive = Some(Exclusive {
            under_way: true,
            ..step
        });
        if let Some(inserted) = space.inserted.get(&step.address) {
            let _ = space.memory.write(step.address, &[inserted.original]);
        }
        self.single_step(step.thread);
    }

    /// The thread has done its step in place: puts the breakpoint back and lets the others go on.
    pub(super) fn finish_exclusive(&mut self, id: ThreadId) -> bool {
        let Some(step) = self.exclusive_of(id) else {
            return false;
        };
        let Some(space_id) = self.space_of(id) else {
            return false;
        };
        if let Some(space) = self.spaces.get_mut(&space_id) {
            if step.under_way && space.inserted.contains_key(&step.address) {
                let _ = space.memory.write(step.address, &[BREAKPOINT]);
            }
            space.exclusive = None;
        }
        if let Some(thread) = self.threads.get_mut(&id)
            && thread.pc() != Some(step.address)
        {
            thread.skip_at = None;
        }
        self.resume_inhabitants(space_id, Some(id));
        step.under_way
    }

    fn resume_inhabitants(&mut self, space_id: SpaceId, except: Option<ThreadId>) {
        for other in self.inhabitants(space_id) {
            if Some(other) != except {
                self.go_on(other);
            }
        }
    }

    /// An interruption meant for the step in place of somebody else is no reason to go on. True if the thread stays.
    pub(super) fn exclusive_interrupted(&mut self, id: ThreadId) -> bool {
        let Some(space_id) = self.space_of(id) else {
            return false;
        };
        let Some(step) = self.spaces.get(&space_id).and_then(|space| space.exclusive) else {
            return false;
        };
        if step.thread == id {
            // It was stopped before it could execute the instruction: what happens next decides.
            self.finish_exclusive(id);
            return false;
        }
        true
    }
}
