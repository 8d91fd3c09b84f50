//! Letting processes go without a trace of us, and the end of a session.

use super::Tracer;
use super::halting::Purpose;
use super::process::{BREAKPOINT, Owner};
use super::targets::of_process;
use super::thread::State;
use crate::command::Reply;
use tokio::sync::oneshot;
use wayfarer_backend::{
    Answer, DetachRequest, EventKind, KillRequest, ProcessId, TargetResult, TargetResults, ThreadId,
};
use wayfarer_ptrace::signals::CODE_KERNEL;
use wayfarer_ptrace::thread::Going;
use wayfarer_ptrace::wait::{kill, monotonic_ns};
use wayfarer_ptrace::{Stop, debug_registers};

/// Processes that are let go when all their threads have stopped.
pub struct Leave {
    /// Whom.
    pub processes: Vec<ProcessId>,
    /// Failures so far.
    pub results: Vec<TargetResult>,
    /// Who waits; nobody at the end of a session.
    pub reply: Option<Reply<Answer<TargetResults>>>,
}

impl Tracer {
    pub(super) fn detach(&mut self, request: &DetachRequest, reply: Reply<Answer<TargetResults>>) {
        let (processes, results) = self.processes_of(request);
        self.let_go(Leave {
            processes,
            results,
            reply: Some(reply),
        });
    }

    fn let_go(&mut self, leave: Leave) {
        let threads = leave
            .processes
            .iter()
            .filter_map(|process| self.processes.get(process))
            .flat_map(|process| process.threads.iter().copied())
            .collect();
        self.halt_threads(threads, Purpose::Detach(leave));
    }

    /// All threads have stopped, or will not in time.
    pub(super) fn leave(&mut self, leave: Leave) {
        let mut results = leave.results;
        let mut processes = leave.processes;
        if self.ending.is_some() {
            // Their children that were born meanwhile have no reason to stay.
            let late = self.processes.values().filter(|process| {
                !process.launched && !process.leaving && !processes.contains(&process.id)
            });
            processes.extend(late.map(|process| process.id).collect::<Vec<_>>());
        }
        for process in &processes {
            results.push(of_process(*process, Ok(())));
            self.release_process(*process, "asked for");
        }
        if let Some(reply) = leave.reply {
            let _ = reply.send(Ok(TargetResults(results)));
        }
        self.check_ending(monotonic_ns());
    }

    /// Removes all traces and detaches every thread; those that cannot be now are when they stop.
    pub(super) fn release_process(&mut self, id: ProcessId, reason: &str) {
        let Some(process) = self.processes.get_mut(&id) else {
            return;
        };
        process.leaving = true;
        let threads = process.threads.clone();
        for thread in &threads {
            self.cancel_displaced(*thread);
            self.finish_exclusive(*thread);
            self.drop_goal(*thread);
            self.call_overtaken(*thread);
        }
        self.clear_breakpoints(id);
        self.unprotect(id);
        for thread in threads {
            let stopped = self
                .threads
                .get(&thread)
                .is_some_and(|thread| thread.is_stopped());
            if stopped {
                self.detach_thread(thread);
            }
        }
        let left = self.processes.get(&id).is_some_and(|process| {
            process.threads.iter().any(|thread| {
                self.threads
                    .get(thread)
                    .is_some_and(|thread| matches!(thread.state, State::Running(_)))
            })
        });
        if !left {
            self.forget_process(id);
        }
        self.tell(EventKind::ProcessDetached {
            process: id,
            reason: reason.to_string(),
        });
    }

    /// Takes a process's breakpoints out of its memory.
    fn clear_breakpoints(&mut self, id: ProcessId) {
        for breakpoint in self.breakpoints.values_mut() {
            breakpoint.drop_process(id);
        }
        let Some(space_id) = self.processes.get(&id).map(|process| process.space) else {
            return;
        };
        let owned: Vec<(u64, Owner)> = self.spaces.get(&space_id).map_or(Vec::new(), |space| {
            space
                .inserted
                .iter()
                .flat_map(|(address, inserted)| {
                    inserted.owners.iter().map(|owner| (*address, *owner))
                })
                .filter(|(_, owner)| match owner {
                    Owner::Breakpoint(process, _) | Owner::Libraries(process) => *process == id,
                    Owner::Goal(thread) => self
                        .threads
                        .get(thread)
                        .is_none_or(|thread| thread.process == id),
                })
                .collect()
        });
        for (address, owner) in owned {
            self.release_address(space_id, address, owner);
        }
    }

    /// Whether the thread's process is being let go.
    pub(super) fn leaving(&self, id: ThreadId) -> bool {
        self.threads
            .get(&id)
            .and_then(|thread| self.processes.get(&thread.process))
            .is_some_and(|process| process.leaving)
    }

    /// Lets one stopped thread go, with clean debug registers, and with the signal that it was about to get.
    pub(super) fn detach_thread(&mut self, id: ThreadId) {
        let Some(thread) = self.threads.get_mut(&id) else {
            return;
        };
        let process = thread.process;
        let signal = thread.signal.take();
        if thread.watch_edition != 0
            && let Some(handle) = thread.handle()
        {
            let _ = handle.set_watches(&[None; debug_registers::SLOTS]);
        }
        self.block_again(id);
        let Some(thread) = self.threads.get_mut(&id) else {
            return;
        };
        thread.detach(signal);
        let last = self.processes.get(&process).is_some_and(|process| {
            process.leaving
                && process.threads.iter().all(|thread| {
                    self.threads
                        .get(thread)
                        .is_none_or(|thread| matches!(thread.state, State::Exiting))
                })
        });
        if last {
            self.forget_process(process);
        }
        self.check_ending(monotonic_ns());
    }

    /// A thread of a process that is leaving has stopped only now: lets it go with what it stopped for.
    pub(super) fn detach_late(&mut self, id: ThreadId, stop: Stop) {
        let Some(thread) = self.threads.get_mut(&id) else {
            return;
        };
        if thread.has_unreported_trap() {
            // The program would get it. It comes next, and then the thread is let go.
            thread.resume_with(Going::On, None);
            return;
        }
        self.cancel_displaced(id);
        let Some(thread) = self.threads.get_mut(&id) else {
            return;
        };
        match stop {
            Stop::Signal(libc::SIGTRAP) => self.undo_trap(id),
            Stop::Signal(signal) => thread.signal = Some(signal),
            _ => {}
        }
        self.detach_thread(id);
    }

    /// The thread may have run into a breakpoint that is gone by now: it is put back before it.
    fn undo_trap(&mut self, id: ThreadId) {
        let Some(thread) = self.threads.get_mut(&id) else {
            return;
        };
        let Some(Ok(info)) = thread.handle().map(|handle| handle.signal_info()) else {
            return;
        };
        let Some(mut registers) = thread.registers() else {
            return;
        };
        if self.rewound.take() == Some(thread.tid) {
            return;
        }
        let address = registers.0.rip.wrapping_sub(1);
        let space = self
            .processes
            .get(&thread.process)
            .and_then(|process| self.spaces.get(&process.space));
        let mut now = [0];
        let own = space.is_some_and(|space| {
            space.memory.read(address, &mut now).is_ok() && now == [BREAKPOINT]
        });
        match info.code() {
            CODE_KERNEL if !own => {
                registers.0.rip = address;
                thread.set_registers(registers);
            }
            CODE_KERNEL => thread.signal = Some(libc::SIGTRAP),
            code if code <= 0 => thread.signal = Some(libc::SIGTRAP),
            _ => {}
        }
    }

    /// Threads on their way out are not kept from it.
    fn let_die(&mut self, id: ProcessId) {
        for thread in self
            .threads
            .values_mut()
            .filter(|thread| thread.process == id)
        {
            if matches!(thread.state, State::Stopped(_, Stop::Exit(_))) {
                thread.resume(Going::On);
            }
        }
    }

    pub(super) fn kill(&mut self, request: &KillRequest) -> TargetResults {
        let (processes, mut results) = self.processes_of(request);
        if processes.len() == self.processes.len() {
            self.abandon_replay();
        }
        for process in processes {
            let failure = self
                .processes
                .get_mut(&process)
                .and_then(|process| {
                    process.killed = true;
                    kill(process.pid).err()
                })
                .filter(|error| !error.is_gone())
                .map(|error| crate::failure::of(&error));
            self.let_die(process);
            results.push(of_process(process, failure.map_or(Ok(()), Err)));
        }
        TargetResults(results)
    }

    /// A child that nobody wants to follow.
    pub(super) fn is_unwanted_child(&self, id: ThreadId) -> bool {
        let Some(process) = self
            .threads
            .get(&id)
            .and_then(|thread| self.processes.get(&thread.process))
        else {
            return false;
        };
        process.parent.is_some()
            && process.threads.first() == Some(&id)
            && process.threads.len() == 1
    }

    /// Lets a child go at its first stop.
    pub(super) fn release_child(&mut self, id: ThreadId) {
        if let Some(process) = self.threads.get(&id).map(|thread| thread.process) {
            self.release_process(process, "children are not followed");
        }
    }

    /// After a fork: lets the parent go if the child is to be followed instead.
    pub(super) fn choose_side(&mut self, maker: ThreadId, child: Option<ProcessId>) {
        if !self.settings.detach_parent_on_fork || child.is_none() {
            return;
        }
        if let Some(parent) = self.threads.get(&maker).map(|thread| thread.process) {
            self.let_go(Leave {
                processes: vec![parent],
                results: Vec::new(),
                reply: None,
            });
        }
    }

    /// The session is over: launched programs are killed, attached ones let go.
    pub(super) fn end_session(&mut self, reply: Option<oneshot::Sender<()>>) {
        if let Some(waiting) = &mut self.ending {
            waiting.extend(reply);
            return;
        }
        self.ending = Some(reply.into_iter().collect());
        self.ending_deadline_ns = monotonic_ns() + 5_000_000_000;
        self.events = None;
        self.abandon_replay();
        for starting in self.starting.keys() {
            let _ = kill(*starting);
        }
        let (launched, attached): (Vec<_>, Vec<_>) = self
            .processes
            .values()
            .map(|process| (process.id, process.pid))
            .partition(|(id, _)| {
                self.processes
                    .get(id)
                    .is_some_and(|process| process.launched)
            });
        for (process, pid) in launched {
            let _ = kill(pid);
            self.let_die(process);
        }
        let attached: Vec<ProcessId> = attached.into_iter().map(|(process, _)| process).collect();
        if !attached.is_empty() {
            self.let_go(Leave {
                processes: attached,
                results: Vec::new(),
                reply: None,
            });
        }
        self.check_ending(monotonic_ns());
    }

    /// Answers those who wait for the end of the session once everybody is gone, or the patience is.
    pub(super) fn check_ending(&mut self, now: u64) {
        if self.ending.is_some() && (self.processes.is_empty() || now > self.ending_deadline_ns) {
            for waiting in self.ending.iter_mut().flat_map(|waiting| waiting.drain(..)) {
                let _ = waiting.send(());
            }
            self.ended = true;
        }
    }

    /// Whether there is nothing left to do, ever.
    pub(super) fn finished(&self) -> bool {
        self.ended
    }
}
