//! Threads whose registers are not their own while they execute a function for the debugger.
//!
//! If we die, the guardian puts an attached thread back (`wayfarer_ptrace::loans`). Until it does, a function that returns
//! finds a loop to wait in.

use super::Tracer;
use super::displaced::WAIT;
use wayfarer_backend::ThreadId;
use wayfarer_ptrace::loans::Loan;

impl Tracer {
    /// A place that a called function can return to and wait at; only attached programs need one.
    pub(super) fn place_to_wait(&mut self, id: ThreadId) -> Option<u64> {
        let pid = self.pid_of(id)?;
        let space = self.spaces.get_mut(&self.space_of(id)?)?;
        if !space.guarded {
            return None;
        }
        let slot = space
            .slots
            .place_call(&space.memory, pid, &mut self.traces)?;
        Some(slot + WAIT)
    }

    /// Gives it back. Nobody may be there, nor have a breakpoint there.
    pub(super) fn release_waiting_place(&mut self, id: ThreadId, place: Option<u64>) {
        let space = self
            .space_of(id)
            .and_then(|space| self.spaces.get_mut(&space));
        if let (Some(space), Some(place)) = (space, place) {
            space
                .slots
                .release(place - WAIT, &space.memory, &mut self.traces);
        }
    }

    /// To be called before the registers of a thread are changed for a call.
    pub(super) fn lend(&mut self, id: ThreadId) {
        let guarded = self
            .space_of(id)
            .and_then(|space| self.spaces.get(&space))
            .is_some_and(|space| space.guarded);
        let Some(pid) = self.pid_of(id).filter(|_| guarded) else {
            return;
        };
        let Some(thread) = self.threads.get_mut(&id) else {
            return;
        };
        let (tid, registers) = (thread.tid, thread.registers());
        let Some(handle) = thread.handle() else {
            return;
        };
        if let (Some(registers), Ok(mask)) = (registers, handle.signal_mask()) {
            self.traces.lend(&Loan {
                pid,
                tid,
                registers,
                mask,
                vector: handle.vector_state().ok(),
            });
        }
    }

    /// To be called when they are its own again.
    pub(super) fn give_back(&mut self, id: ThreadId) {
        if let Some(thread) = self.threads.get(&id) {
            self.traces.returned(thread.tid);
        }
    }

    pub(super) fn pid_of(&self, id: ThreadId) -> Option<wayfarer_ptrace::Tid> {
        let process = self.threads.get(&id)?.process;
        self.processes.get(&process).map(|process| process.pid)
    }
}
