//! What the kernel reports, judged.

use super::Tracer;
use super::displaced::Place;
use super::thread::Wanted;
use wayfarer_backend::{
    BreakpointId, Catch, EventKind, ForkStop, Origin, ProcessId, StopReason, ThreadId,
};
use wayfarer_ptrace::thread::Going;
use wayfarer_ptrace::{Report, Stop, Stopped, Tid};

impl Tracer {
    /// One report of the kernel.
    pub(super) fn report(&mut self, report: Report) {
        match report {
            Report::Ended(tid, end) => self.ended(tid, end),
            Report::Stopped(stopped, stop) => self.thread_stopped(stopped, stop),
        }
    }

    /// A thread has stopped: finds out whose it is, and what follows.
    pub(super) fn thread_stopped(&mut self, stopped: Stopped, stop: Stop) {
        let tid = stopped.tid();
        if self.starting.contains_key(&tid) {
            self.starting_stopped(stopped, stop);
            return;
        }
        if let Stop::Exec(former) = stop {
            self.executed(tid, former);
        }
        let Some(id) = self.tids.get(&tid).copied() else {
            self.stranger_stopped(stopped, stop);
            return;
        };
        let Some(thread) = self.threads.get_mut(&id) else {
            return;
        };
        thread.stopped(stopped, stop);
        thread.in_vfork = false;
        let newborn = std::mem::replace(&mut thread.newborn, false);
        if let Some(displaced) = self.corrections.remove(&tid)
            && let Some(registers) = thread.registers()
            && let Place::Done(registers) = displaced.correct(registers)
        {
            thread.set_registers(registers);
        }
        if self.leaving(id) {
            self.detach_late(id, stop);
            self.settled(id);
            return;
        }
        self.still_passing(id);
        self.refresh_watches(id);
        self.protect_late(id);
        self.judge(id, stop, newborn);
        self.call_overtaken(id);
        self.make_safe(id);
        self.settled(id);
    }

    /// A thread that stays stopped is left such that our sudden death does it no harm.
    fn make_safe(&mut self, id: ThreadId) {
        let Some(thread) = self.threads.get_mut(&id) else {
            return;
        };
        thread.handle();
        let guarded = self
            .processes
            .get(&thread.process)
            .is_some_and(|process| !process.launched);
        if guarded && let Some(report) = thread.park() {
            self.report(report);
        }
    }

    /// A launched program on its way to exec: anything else that stops it is let pass.
    fn starting_stopped(&mut self, stopped: Stopped, stop: Stop) {
        if matches!(stop, Stop::Exec(_)) {
            self.launched(stopped, stop);
            return;
        }
        let signal = match stop {
            Stop::Signal(signal) => Some(signal),
            _ => None,
        };
        let _ = stopped.resume(Going::On, signal);
    }

    fn judge(&mut self, id: ThreadId, stop: Stop, newborn: bool) {
        match stop {
            Stop::Signal(signal) => self.signal_stop(id, signal),
            Stop::Interrupted | Stop::Group(_) => self.interrupted(id, newborn),
            Stop::Clone(child) => {
                self.correct_newborn(id, child);
                let process = self.cloned(id, child);
                let told = process.and_then(|process| {
                    let catch = self.caught(|event| matches!(event, Catch::Fork));
                    fork_stop(catch, Some(process), child, false)
                });
                self.told_or_on(id, told);
            }
            Stop::Fork(child) => {
                self.correct_newborn(id, child);
                let process = self.forked(id, child, Origin::Fork);
                let catch = self.caught(|event| matches!(event, Catch::Fork));
                self.choose_side(id, process);
                self.told_or_on(id, fork_stop(catch, process, child, false));
            }
            Stop::Vfork(child) => {
                self.correct_newborn(id, child);
                let process = self.forked(id, child, Origin::Vfork);
                let catch = self.caught(|event| matches!(event, Catch::Vfork));
                self.told_or_on(id, fork_stop(catch, process, child, true));
            }
            Stop::VforkDone => self.told_or_on(id, None),
            Stop::Exec(_) => self.exec_stop(id),
            Stop::Exit(status) => self.exit_stop(id, status),
            Stop::Syscall => self.system_call_stop(id),
        }
    }

    /// After a step out of line, or nothing special: tells of the stop, or lets the thread go on.
    fn told_or_on(&mut self, id: ThreadId, told: Option<StopReason>) {
        match told {
            Some(told) => self.stop_at(id, told, None),
            None => self.go_on(id),
        }
    }

    /// Stopped by us, at birth, by job control, or for a reason that has passed.
    fn interrupted(&mut self, id: ThreadId, newborn: bool) {
        if let Some(thread) = self.threads.get_mut(&id)
            && thread.has_unreported_trap()
        {
            thread.resume_with(Going::On, None);
            return;
        }
        self.cancel_displaced(id);
        if self.exclusive_interrupted(id) {
            return;
        }
        let Some(thread) = self.threads.get(&id) else {
            return;
        };
        if newborn && !self.settings.follow_children && self.is_unwanted_child(id) {
            self.release_child(id);
            return;
        }
        if thread.wanted == Wanted::Running && !self.call_timed_out(id) {
            self.go_on(id);
        }
    }

    fn exec_stop(&mut self, id: ThreadId) {
        let Some(process) = self.threads.get(&id).map(|thread| thread.process) else {
            return;
        };
        let hold = self.settings.hold_on_load;
        if hold && let Some(thread) = self.threads.get_mut(&id) {
            thread.holds.load = true;
        }
        if let Some(process) = self.describe_process(process) {
            self.tell(EventKind::Exec {
                process,
                held: hold,
            });
        }
        let catch = self.caught(|event| matches!(event, Catch::Exec));
        self.told_or_on(id, catch.map(StopReason::Exec));
    }

    fn exit_stop(&mut self, id: ThreadId, status: i32) {
        self.take_in_children(id);
        // Nothing can be learnt from a thread that was killed, and it must not linger.
        let killed = libc::WIFSIGNALED(status) && libc::WTERMSIG(status) == libc::SIGKILL;
        if killed && let Some(thread) = self.threads.get_mut(&id) {
            thread.resume(Going::On);
            self.abandon_step(id);
            return;
        }
        // An instruction out of line that ends the thread never comes back.
        self.abandon_step(id);
        self.told_or_on(id, None);
    }
}

fn fork_stop(
    ids: Option<Vec<BreakpointId>>,
    child: Option<ProcessId>,
    pid: Tid,
    vfork: bool,
) -> Option<StopReason> {
    ids.map(|ids| {
        StopReason::Fork(ForkStop {
            ids,
            child,
            child_pid: pid.0,
            vfork,
        })
    })
}
