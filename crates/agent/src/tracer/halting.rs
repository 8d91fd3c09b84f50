//! Stopping threads, and telling when they all have.
//!
//! A [`Halting`] is the set of threads that have been asked to stop and have not reported yet, with
//! the [`Purpose`] that tells what follows: an event, an answer, or a detach. Its first and last
//! stop are timed, because how close together they are is what makes a halt good. Reports that
//! arrive meanwhile are kept with their threads and told when those are resumed, so that no stop is
//! lost and none is told twice. A thread that does not stop in time is given up.

use super::Tracer;
use super::detach::Leave;
use super::targets::of_thread;
use super::thread::{Activity, Wanted};
use crate::command::Reply;
use std::collections::BTreeSet;
use wayfarer_backend::{
    Answer, AttachReply, AttachResult, EventKind, Failure, FailureKind, HaltReply, HaltRequest,
    Origin, Process, ProcessId, StopReason, StopScope, Stopped, TargetResult, TargetResults,
    ThreadId,
};
use wayfarer_ptrace::Tid;
use wayfarer_ptrace::wait::monotonic_ns;

/// Nobody is waited for longer than this.
const PATIENCE_NS: u64 = 2_000_000_000;

/// Why threads are being stopped, and so what follows when they are.
pub enum Purpose {
    /// A stop is told.
    Report(ThreadId, StopReason),
    /// The debugger asked for it.
    Halt {
        /// Targets that do not exist.
        results: Vec<TargetResult>,
        /// Who waits.
        reply: Reply<Answer<HaltReply>>,
    },
    /// They have just been attached to.
    Attach {
        /// Each pid's outcome.
        results: Vec<(Tid, Result<ProcessId, Failure>)>,
        /// Who waits.
        reply: Reply<Answer<AttachReply>>,
    },
    /// They shall be let go.
    Detach(Leave),
}

/// Threads on their way to a stop.
pub struct Halting {
    waiting: BTreeSet<ThreadId>,
    stopped: Vec<ThreadId>,
    /// When the first of them stopped; where it is not known, before the first was asked to.
    first_ns: u64,
    last_ns: u64,
    deadline_ns: u64,
    purpose: Purpose,
}

impl Tracer {
    /// The thread is stopped for a reason that the debugger must hear of. If it is told of another stop already, this
    /// one is kept until the thread is resumed.
    pub(super) fn stop_at(&mut self, id: ThreadId, why: StopReason, scope: Option<StopScope>) {
        let Some(thread) = self.threads.get_mut(&id) else {
            return;
        };
        if thread.wanted == Wanted::Stopped {
            // A step that was overtaken is given up.
            if !matches!(why, StopReason::Step(_)) {
                thread.pending = Some(why);
            }
            return;
        }
        if matches!(thread.activity, Activity::Call(_)) {
            self.call_interrupted(id, why);
            return;
        }
        thread.reason = Some(why.clone());
        let process = thread.process;
        self.drop_goal(id);
        if let Some(thread) = self.threads.get_mut(&id) {
            thread.activity = Activity::Continue;
        }
        // Who settles looks where the others get to.
        let usual = match self.settling {
            Some(_) => StopScope::Thread,
            None => self.settings.scope,
        };
        let threads = match scope.unwrap_or(usual) {
            StopScope::Thread => vec![id],
            StopScope::Process => self
                .processes
                .get(&process)
                .map_or(vec![id], |process| process.threads.clone()),
            StopScope::All => self.threads.keys().copied().collect(),
        };
        self.halt_threads(threads, Purpose::Report(id, why));
    }

    /// Stops threads; `purpose` follows when they are.
    pub(super) fn halt_threads(&mut self, threads: Vec<ThreadId>, purpose: Purpose) {
        let now = monotonic_ns();
        let mut waiting = BTreeSet::new();
        let mut stopped = Vec::new();
        for id in threads {
            let Some(thread) = self.threads.get_mut(&id) else {
                continue;
            };
            if thread.wanted == Wanted::Running {
                stopped.push(id);
                thread.wanted = Wanted::Stopped;
            }
            if thread.can_be_stopped() {
                thread.interrupt();
                waiting.insert(id);
            }
        }
        self.halting.push(Halting {
            waiting,
            stopped,
            first_ns: now,
            last_ns: now,
            deadline_ns: now + PATIENCE_NS,
            purpose,
        });
        self.complete_halts();
    }

    /// Somebody was born whose maker is being stopped: it is stopped too, and told of as stopped, or the debugger would
    /// take it for one that runs and never resume it.
    pub(super) fn join_halt(&mut self, maker: ThreadId, child: ThreadId) {
        if self
            .threads
            .get(&maker)
            .is_none_or(|maker| maker.wanted == Wanted::Running)
        {
            return;
        }
        let mut told = false;
        for halting in &mut self.halting {
            if !halting.waiting.contains(&maker) {
                continue;
            }
            halting.waiting.insert(child);
            let tells = matches!(halting.purpose, Purpose::Report(..) | Purpose::Halt { .. });
            if tells && halting.stopped.contains(&maker) {
                halting.stopped.push(child);
                told = true;
            }
        }
        if told {
            return;
        }
        if let Some(thread) = self.threads.get_mut(&child) {
            thread.wanted = Wanted::Running;
            self.halt_threads(vec![child], Purpose::Report(child, StopReason::Halted));
        }
    }

    /// A thread has stopped, gone on, or gone: those who wait for it look again.
    pub(super) fn settled(&mut self, id: ThreadId) {
        let here = self
            .threads
            .get(&id)
            .is_none_or(|thread| !thread.can_be_stopped());
        if here && !self.halting.is_empty() {
            let now = monotonic_ns();
            for halting in &mut self.halting {
                if halting.waiting.remove(&id) {
                    halting.last_ns = now;
                }
            }
            self.complete_halts();
        }
        let stepping: Vec<_> = self
            .spaces
            .iter()
            .filter(|(_, space)| space.exclusive.is_some_and(|step| !step.under_way))
            .map(|(id, _)| *id)
            .collect();
        for space in stepping {
            self.advance_exclusive(space);
        }
    }

    fn complete_halts(&mut self) {
        while let Some(index) = self
            .halting
            .iter()
            .position(|halting| halting.waiting.is_empty())
        {
            let halting = self.halting.remove(index);
            self.complete_halt(halting);
        }
    }

    /// Gives up on those that cannot be stopped in time.
    pub(super) fn expire_halts(&mut self, now: u64) {
        while let Some(index) = self
            .halting
            .iter()
            .position(|halting| halting.deadline_ns < now)
        {
            let halting = self.halting.remove(index);
            self.complete_halt(halting);
        }
    }

    fn complete_halt(&mut self, halting: Halting) {
        let first_to_last_ns = halting.last_ns.saturating_sub(halting.first_ns);
        let stopped: Vec<ThreadId> = halting
            .stopped
            .into_iter()
            .filter(|id| self.threads.contains_key(id))
            .collect();
        match halting.purpose {
            Purpose::Report(id, why) => {
                if self.threads.contains_key(&id) {
                    self.tell_stopped(id, why, &stopped, first_to_last_ns);
                }
            }
            Purpose::Halt { mut results, reply } => {
                if let Some(first) = stopped.first() {
                    self.tell_stopped(*first, StopReason::Halted, &stopped, first_to_last_ns);
                }
                results.extend(halting.waiting.into_iter().map(stuck));
                let _ = reply.send(Ok(HaltReply {
                    results: TargetResults(results),
                    first_to_last_ns,
                    threads: stopped.len() as u32,
                }));
            }
            Purpose::Attach { results, reply } => {
                let results = self.finish_attach(results);
                let _ = reply.send(Ok(AttachReply {
                    results,
                    first_to_last_ns,
                }));
            }
            Purpose::Detach(leave) => self.leave(leave),
        }
    }

    /// Tells of a stop.
    pub(super) fn tell_stopped(
        &mut self,
        cause: ThreadId,
        why: StopReason,
        stopped: &[ThreadId],
        first_to_last_ns: u64,
    ) {
        let cause = self.describe_stop(cause, why);
        self.tell(EventKind::Stopped(Stopped {
            causes: cause.into_iter().collect(),
            stopped: stopped.to_vec(),
            first_to_last_ns,
        }));
    }

    fn finish_attach(
        &mut self,
        results: Vec<(Tid, Result<ProcessId, Failure>)>,
    ) -> Vec<AttachResult> {
        results
            .into_iter()
            .map(|(pid, result)| AttachResult {
                pid: pid.0,
                outcome: result.and_then(|id| self.attached(pid, id)),
            })
            .collect()
    }

    /// All threads of a process have stopped after an attach, if it has lived so long.
    fn attached(&mut self, pid: Tid, id: ProcessId) -> Answer<Process> {
        let ended = || {
            let message = format!("process {pid} ended while it was being attached to");
            Failure::new(FailureKind::Gone, message)
        };
        let threads = match self.processes.get(&id) {
            Some(process) => process.threads.clone(),
            None => return Err(ended()),
        };
        for thread in threads {
            if let Some(thread) = self.threads.get_mut(&thread) {
                thread.reason = Some(StopReason::Initial);
            }
        }
        self.protect(id);
        self.follow_libraries(id);
        self.announce_process(id, Origin::Attach);
        self.describe_process(id).ok_or_else(ended)
    }

    pub(super) fn halt(&mut self, request: &HaltRequest, reply: Reply<Answer<HaltReply>>) {
        self.settling = None;
        let (threads, results) = self.threads_of(request);
        self.halt_threads(threads, Purpose::Halt { results, reply });
    }
}

fn stuck(id: ThreadId) -> TargetResult {
    let message = format!(
        "thread {id} sleeps in the kernel and cannot be stopped now; it will stop when it wakes"
    );
    of_thread(id, Err(Failure::new(FailureKind::TimedOut, message)))
}
