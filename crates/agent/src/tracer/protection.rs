//! Attached programs outlive us, however suddenly we die.
//!
//! The kernel delivers the trap of a breakpoint if the tracer dies before it has taken note of the
//! stop, and drops it otherwise. So the tracer looks first, puts the thread back before the
//! breakpoint, and takes note then. What is delivered after our death meets a handler that every
//! attached program gets (`wayfarer_ptrace::cushion`). Instructions out of line end in a jump home.
//! Registers of a thread that works for us are kept where the guardian finds them
//! (`wayfarer_ptrace::loans`). The guardian, parent of the agent, repairs the rest
//! (`wayfarer_ptrace::guardian`). Launched programs die with us and need none of it.

use super::Tracer;
use super::process::{BREAKPOINT, Protection, Space};
use super::thread::State;
use wayfarer_backend::{ProcessId, ThreadId};
use wayfarer_ptrace::errand::{Errand, Provisions, can_run};
use wayfarer_ptrace::guardian::Traces;
use wayfarer_ptrace::signals::CODE_KERNEL;
use wayfarer_ptrace::wait::monotonic_ns;
use wayfarer_ptrace::{Cushion, Error, Memory, Stop, Stopped, Tid, process_files};

/// Selector of 64-bit code.
const CODE_64: u64 = 0x33;
/// How often it is looked whether a cushion is still there.
const LOOK_AGAIN_NS: u64 = 100_000_000;

impl Tracer {
    /// A thread has stopped with SIGTRAP. If that is for a breakpoint of ours it is put before it. What is said of the
    /// trap comes first, so that at no moment the thread would go on anywhere else.
    pub(super) fn rewind(&mut self, trapped: &mut Stopped) {
        let space = self
            .tids
            .get(&trapped.tid())
            .and_then(|id| self.threads.get(id))
            .and_then(|thread| self.processes.get(&thread.process))
            .and_then(|process| self.spaces.get(&process.space));
        let Some(space) = space.filter(|space| space.guarded) else {
            return;
        };
        let Some(info) = trapped
            .signal_info()
            .ok()
            .filter(|info| info.code() == CODE_KERNEL)
        else {
            return;
        };
        let Ok(mut registers) = trapped.registers() else {
            return;
        };
        let address = registers.0.rip.wrapping_sub(1);
        let mut now = [0];
        let ours = space.inserted.contains_key(&address)
            || space.memory.read(address, &mut now).is_ok() && now != [BREAKPOINT];
        if !ours {
            return;
        }
        registers.0.rip = address;
        if trapped.set_signal_info(&info.rewound(address)).is_ok()
            && trapped.set_registers(&registers).is_ok()
        {
            self.rewound = Some(trapped.tid());
        }
    }

    /// Lays a cushion in a process whose threads are stopped.
    pub(super) fn protect(&mut self, id: ProcessId) {
        let Some(thread) = self.messenger(id) else {
            return;
        };
        // Who blocks the signal while the program handles it is in the middle of that, and stops blocking it by itself.
        let handled = self
            .processes
            .get(&id)
            .is_some_and(|process| process_files::catches(process.pid, libc::SIGTRAP));
        self.lay_cushion(thread);
        let laid = self
            .space_of(thread)
            .and_then(|space| self.spaces.get(&space))
            .is_some_and(|space| !handled && matches!(space.cushion, Protection::Laid(_)));
        let threads = self
            .processes
            .get(&id)
            .map(|process| process.threads.clone());
        for thread in threads.unwrap_or_default().into_iter().filter(|_| laid) {
            self.unblock(thread);
        }
    }

    /// A handler for a blocked signal is no help: the kernel drops it and ends the program.
    fn unblock(&mut self, id: ThreadId) {
        let Some(pid) = self.pid_of(id) else {
            return;
        };
        let Some(thread) = self.threads.get_mut(&id) else {
            return;
        };
        let tid = thread.tid;
        let Some(handle) = thread.handle() else {
            return;
        };
        let blocks = |mask: u64| mask & 1 << (libc::SIGTRAP - 1) != 0;
        if handle.signal_mask().is_ok_and(blocks) {
            self.traces.unblocked(pid, tid);
            let _ = handle.block_signal(libc::SIGTRAP, false);
            thread.unblocked = true;
        }
    }

    /// A thread is about to be let go: it blocks what it did.
    pub(super) fn block_again(&mut self, id: ThreadId) {
        let Some(thread) = self.threads.get_mut(&id).filter(|thread| thread.unblocked) else {
            return;
        };
        if let Some(handle) = thread.handle() {
            let _ = handle.block_signal(libc::SIGTRAP, true);
        }
        if let Some(process) = self.processes.get(&thread.process) {
            self.traces.blocked(process.pid, thread.tid);
        }
    }

    /// The same at the first occasion afterwards: a new program, one that could not be reached before, or one whose
    /// cushion the kernel has dropped.
    pub(super) fn protect_late(&mut self, id: ThreadId) {
        let Some(thread) = self.threads.get_mut(&id) else {
            return;
        };
        // A trap that is still to be reported would come in the middle of the errand and be taken for one of its own.
        let ready = matches!(thread.state, State::Stopped(_, stop) if can_run(stop))
            && !thread.has_unreported_trap();
        let Some(process) = self.processes.get(&thread.process).filter(|_| ready) else {
            return;
        };
        let Some(space) = self.spaces.get_mut(&process.space) else {
            return;
        };
        match space.cushion {
            Protection::Absent if !space.inserted.is_empty() => self.lay_cushion(id),
            Protection::Laid(_) => {
                let now = monotonic_ns();
                if now.saturating_sub(space.cushion_seen_ns) > LOOK_AGAIN_NS {
                    space.cushion_seen_ns = now;
                    if !process_files::catches(process.pid, libc::SIGTRAP) {
                        self.spread_cushion(id);
                    }
                }
            }
            _ => {}
        }
    }

    /// A stopped thread of the process that can make system calls for us, best one without a signal.
    fn messenger(&self, id: ProcessId) -> Option<ThreadId> {
        let threads = &self.processes.get(&id)?.threads;
        let rank = |id: &ThreadId| match self.threads.get(id)?.state {
            State::Stopped(_, Stop::Interrupted) => Some(0),
            State::Stopped(_, stop) if can_run(stop) => Some(1),
            _ => None,
        };
        let able = threads.iter().filter_map(|id| Some((rank(id)?, *id)));
        able.min().map(|(_, id)| id)
    }

    /// Has a stopped thread make system calls, and lists what came of it; `None` if it did something else instead.
    fn send<T>(
        &mut self,
        id: ThreadId,
        task: impl FnOnce(&mut Errand, &Memory) -> Result<T, Error>,
        list: impl FnOnce(&mut Traces, &T),
    ) -> Option<Result<T, Error>> {
        let thread = self.threads.get_mut(&id)?;
        let tid = thread.tid;
        let process = self.processes.get(&thread.process)?;
        let space = self.spaces.get_mut(&process.space)?;
        let place = space
            .slots
            .place_call(&space.memory, process.pid, &mut self.traces);
        let memory = &space.memory;
        let provisions = Provisions {
            pid: process.pid,
            memory,
            place,
            traces: Some(&mut self.traces),
        };
        let result = thread.run_errand(provisions, |errand| task(errand, memory));
        if let Ok(Ok(value)) = &result {
            list(&mut self.traces, value);
        }
        self.traces.returned(tid);
        if let Some(place) = place {
            space.slots.release(place, &space.memory, &mut self.traces);
        }
        match result {
            Ok(result) => Some(result),
            Err(report) => {
                if let Some(report) = report {
                    self.report(report);
                }
                None
            }
        }
    }

    fn lay_cushion(&mut self, id: ThreadId) {
        let Some(thread) = self.threads.get_mut(&id) else {
            return;
        };
        let Some(process) = self.processes.get(&thread.process) else {
            return;
        };
        let (space_id, pid) = (process.space, process.pid);
        let Some(space) = self.spaces.get_mut(&space_id) else {
            return;
        };
        if !space.guarded || process.leaving || !matches!(space.cushion, Protection::Absent) {
            return;
        }
        space.cushion = Protection::Refused;
        let sixty_four = thread
            .registers()
            .is_some_and(|registers| registers.0.cs == CODE_64);
        if !sixty_four || !may_call(thread.tid) {
            return;
        }
        let list = |traces: &mut Traces, cushion: &Cushion| traces.cushioned(pid, cushion.base());
        let Some(Ok(mut cushion)) = self.send(id, Cushion::lay, list) else {
            return;
        };
        if let Some(space) = self.spaces.get_mut(&space_id) {
            for (address, inserted) in &space.inserted {
                cushion.breakpoint_placed(&space.memory, *address, inserted.original);
            }
            space.cushion = Protection::Laid(cushion);
            space.cushion_seen_ns = monotonic_ns();
        }
    }

    fn spread_cushion(&mut self, id: ThreadId) {
        let space = self.space_of(id).and_then(|space| self.spaces.get(&space));
        if let Some(Protection::Laid(cushion)) = space.map(|space| &space.cushion) {
            let base = cushion.base();
            self.send(id, |errand, _| Cushion::spread(base, errand), |_, ()| {});
        }
    }

    /// Takes the cushion out of a process that is about to be let go, breakpoints cleared.
    pub(super) fn unprotect(&mut self, id: ProcessId) {
        let Some(process) = self.processes.get(&id) else {
            return;
        };
        let (space_id, pid, borrows) = (process.space, process.pid, process.shares_memory);
        let shared = self
            .processes
            .values()
            .any(|other| other.id != id && other.space == space_id);
        let space = self.spaces.get(&space_id);
        let Some(Protection::Laid(cushion)) = space.map(|space| &space.cushion) else {
            return;
        };
        let base = cushion.base();
        let threads = process.threads.clone();
        let busy = shared || threads.iter().any(|thread| self.may_be_in(*thread, base));
        // A child that shares the memory keeps it: its parent's breakpoints are there still.
        let Some(thread) = self.messenger(id).filter(|_| !borrows) else {
            return;
        };
        if !shared && let Some(space) = self.spaces.get_mut(&space_id) {
            space.cushion = Protection::Refused;
        }
        if !shared && let Some(space) = self.spaces.get_mut(&space_id) {
            space.slots.release_all(&space.memory, &mut self.traces);
        }
        let take_off = |errand: &mut Errand, memory: &Memory| {
            Cushion::take_off(base, errand, memory)?;
            if busy {
                return Ok(());
            }
            Cushion::unmap(base, errand)
        };
        self.send(thread, take_off, |_, ()| {});
        self.traces.uncushioned(pid, base);
    }

    /// Whether a thread may be about to execute something of the cushion.
    fn may_be_in(&mut self, id: ThreadId, base: u64) -> bool {
        let Some(thread) = self.threads.get_mut(&id) else {
            return false;
        };
        match thread.state {
            State::Running(_) => true,
            State::Stopped(..) => thread.pc().is_some_and(|pc| Cushion::contains(base, pc)),
            State::Exiting => false,
        }
    }
}

/// Whether a call that the program itself may never make does it no harm: nothing stands between it and the kernel but
/// what stands there for us, too.
fn may_call(tid: Tid) -> bool {
    let us = Tid(std::process::id() as i32);
    process_files::filters(tid) <= process_files::filters(us)
}

impl Space {
    /// What is listed as original is what was written there last.
    pub fn list_again(&mut self, address: u64, length: usize, traces: &mut Traces) {
        let end = address.saturating_add(length as u64);
        let pid = self.memory.tid();
        for (at, inserted) in self.inserted.range(address..end) {
            if self.guarded {
                traces.breakpoint_removed(pid, *at);
                traces.breakpoint_placed(pid, *at, inserted.original);
            }
            if let Protection::Laid(cushion) = &mut self.cushion {
                cushion.breakpoint_removed(&self.memory, *at);
                cushion.breakpoint_placed(&self.memory, *at, inserted.original);
            }
        }
    }
}
