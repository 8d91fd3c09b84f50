//! SIGTRAP: a breakpoint instruction, the end of a step, a watchpoint, or the program's own business.

use super::Tracer;
use super::displaced::Place;
use super::process::BREAKPOINT;
use super::thread::Wanted;
use wayfarer_backend::{StopReason, ThreadId};
use wayfarer_ptrace::SignalInfo;
use wayfarer_ptrace::signals::{CODE_BREAKPOINT, CODE_HARDWARE, CODE_KERNEL, CODE_TRACE};
use wayfarer_ptrace::thread::Going;

impl Tracer {
    /// Judges a SIGTRAP; false if somebody has sent it like any other signal.
    pub(super) fn trap(&mut self, id: ThreadId, info: &SignalInfo) -> bool {
        match info.code() {
            CODE_KERNEL => self.breakpoint_trap(id),
            CODE_BREAKPOINT | CODE_TRACE => self.step_trap(id, false),
            CODE_HARDWARE => self.step_trap(id, true),
            _ => return false,
        }
        true
    }

    fn breakpoint_trap(&mut self, id: ThreadId) {
        let Some(thread) = self.threads.get_mut(&id) else {
            return;
        };
        let Some(mut registers) = thread.registers() else {
            return;
        };
        let rewound = self.rewound.take() == Some(thread.tid);
        let address = registers.0.rip.wrapping_sub(u64::from(!rewound));
        let Some(space) = self
            .processes
            .get(&thread.process)
            .and_then(|process| self.spaces.get(&process.space))
        else {
            return;
        };
        if !space.inserted.contains_key(&address) {
            let mut now = [0];
            if space.memory.read(address, &mut now).is_ok() && now == [BREAKPOINT] {
                // The recorded program got it.
                thread.signal = self.replay.is_some().then_some(libc::SIGTRAP);
                let told = StopReason::Trap;
                self.stop_at(id, told, None);
                return;
            }
            // It was ours and has been removed since: the thread executes what was beneath.
            registers.0.rip = address;
            thread.set_registers(registers);
            self.go_on(id);
            return;
        }
        registers.0.rip = address;
        thread.set_registers(registers);
        if thread.wanted == Wanted::Stopped {
            // Others are being told of. It will come here again when it goes on.
            thread.skip_at = None;
            return;
        }
        self.hit(id, address);
    }

    /// A step or a debug register (`register`).
    fn step_trap(&mut self, id: ThreadId, register: bool) {
        let watches = self.watches_triggered(id);
        if !self.finish_step_over(id) {
            return;
        }
        if self.deliver_deferred(id) {
            return;
        }
        if let Some(address) = register.then(|| self.stands_at_register(id)).flatten()
            && watches.is_none()
        {
            self.register_trap(id, address);
            return;
        }
        if let Some(told) = watches {
            let scope = told.1;
            self.stop_at(id, StopReason::Watchpoint(told.0), scope);
            return;
        }
        let stepping = self
            .threads
            .get_mut(&id)
            .and_then(|thread| thread.step())
            .is_some_and(|step| {
                step.instructions += 1;
                step.goal.is_none()
            });
        if stepping && self.step_is_over(id) {
            return;
        }
        self.go_on(id);
    }

    /// The thread has come to a breakpoint in a debug register.
    fn register_trap(&mut self, id: ThreadId, address: u64) {
        let Some(thread) = self.threads.get_mut(&id) else {
            return;
        };
        if thread.wanted == Wanted::Stopped {
            // Others are being told of. It will come here again when it goes on.
            thread.skip_at = None;
            self.set_resume_flag(id, false);
            return;
        }
        self.hit(id, address);
    }

    /// If the thread was executing an instruction out of line or in place, puts everything right. False if the
    /// instruction is not finished and the thread goes on with it.
    fn finish_step_over(&mut self, id: ThreadId) -> bool {
        if self.finish_exclusive(id) {
            return true;
        }
        let Some(thread) = self.threads.get_mut(&id) else {
            return false;
        };
        let Some(displaced) = thread.displaced.clone() else {
            return true;
        };
        let Some(registers) = thread.registers() else {
            return false;
        };
        match displaced.correct(registers) {
            Place::NotDone(_) if thread.wanted == Wanted::Running => {
                // One round of a repeated instruction.
                thread.resume_with(Going::OneInstruction, None);
                return false;
            }
            Place::NotDone(registers) => thread.set_registers(registers),
            Place::Done(registers) => {
                thread.set_registers(registers);
                thread.skip_at = None;
            }
        }
        self.abandon_step(id);
        true
    }

    /// A signal came in the middle of a step over a breakpoint: now it is its turn. True if it stops the thread.
    fn deliver_deferred(&mut self, id: ThreadId) -> bool {
        let Some(thread) = self.threads.get_mut(&id) else {
            return true;
        };
        if thread.deferred.is_empty() {
            return false;
        }
        let mut deferred = std::mem::take(&mut thread.deferred);
        let info = deferred.remove(0);
        let tid = thread.tid;
        for other in deferred {
            let _ = wayfarer_ptrace::wait::send_thread_signal(tid, other.signal());
        }
        if let Some(handle) = thread.handle() {
            let _ = handle.set_signal_info(&info);
        }
        self.judge_signal(id, &info)
    }
}
