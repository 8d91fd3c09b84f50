//! Stopping threads, and telling when they all have.
//!
//! A [`Halting`] is the set of threads that have been asked to stop and have not reported yet, with
//! the [`Purpose`] that tells what follows: an event, an answer, or a detach. Its first and last
//! stop are timed, because how close together they are is what makes a halt good. Reports that
//! arrive meanwhile are kept with their threads and told when those are resumed, so that no stop is
//! lost and none is told twice. A thread that does not stop in time is given up.

use super::Tracer;
use super::detach::Leave;
use super::events::reason;
use super::process::ProcessId;
use super::thread::{Activity, ThreadId, Wanted};
use crate::command::{Answer, Reply};
use std::collections::BTreeSet;
use wayfarer_protocol as wire;
use wayfarer_ptrace::Tid;
use wayfarer_ptrace::wait::monotonic_ns;
use wire::event::Kind;
use wire::stop_reason::Reason;

/// Nobody is waited for longer than this.
const PATIENCE_NS: u64 = 2_000_000_000;

/// Why threads are being stopped, and so what follows when they are.
pub enum Purpose {
    /// A stop is told.
    Report(ThreadId, wire::StopReason),
    /// The debugger asked for it.
    Halt {
        /// Targets that do not exist.
        results: Vec<wire::TargetResult>,
        /// Who waits.
        reply: Reply<Answer<wire::HaltReply>>,
    },
    /// They have just been attached to.
    Attach {
        /// Each pid's outcome.
        results: Vec<(Tid, Result<ProcessId, wire::Failure>)>,
        /// Who waits.
        reply: Reply<Answer<wire::AttachReply>>,
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
    pub(super) fn stop_at(&mut self, id: ThreadId, why: wire::StopReason, scope: wire::StopScope) {
        let Some(thread) = self.threads.get_mut(&id) else {
            return;
        };
        if thread.wanted == Wanted::Stopped {
            // A step that was overtaken is given up.
            if !matches!(why.reason, Some(Reason::StepDone(_))) {
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
        let scope = match scope {
            wire::StopScope::Unspecified => self.settings.scope,
            scope => scope,
        };
        let threads = match scope {
            wire::StopScope::Thread => vec![id],
            wire::StopScope::Process => self
                .processes
                .get(&process)
                .map_or(vec![id], |process| process.threads.clone()),
            _ => self.threads.keys().copied().collect(),
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
            let why = reason(Reason::Halted(wire::Halted {}));
            self.halt_threads(vec![child], Purpose::Report(child, why));
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
                    let why = reason(Reason::Halted(wire::Halted {}));
                    self.tell_stopped(*first, why, &stopped, first_to_last_ns);
                }
                results.extend(halting.waiting.iter().map(|id| self.stuck(*id)));
                let _ = reply.send(Ok(wire::HaltReply {
                    results,
                    first_to_last_ns,
                    threads: stopped.len() as u32,
                }));
            }
            Purpose::Attach { results, reply } => {
                let results = self.finish_attach(results);
                let _ = reply.send(Ok(wire::AttachReply {
                    results,
                    first_to_last_ns,
                }));
            }
            Purpose::Detach(leave) => self.leave(leave),
        }
    }

    fn stuck(&self, id: ThreadId) -> wire::TargetResult {
        let process = self.threads.get(&id).map_or(0, |thread| thread.process.0);
        let message = format!(
            "thread {id} sleeps in the kernel and cannot be stopped now; it will stop when it wakes"
        );
        wire::TargetResult {
            process,
            thread: id.0,
            failure: Some(wire::Failure::new(wire::FailureKind::TimedOut, message)),
        }
    }

    /// Tells of a stop.
    pub(super) fn tell_stopped(
        &mut self,
        cause: ThreadId,
        why: wire::StopReason,
        stopped: &[ThreadId],
        first_to_last_ns: u64,
    ) {
        let cause = self.describe_stop(cause, why);
        self.tell(Kind::Stopped(wire::Stopped {
            causes: vec![cause],
            stopped: stopped.iter().map(|id| id.0).collect(),
            first_to_last_ns,
        }));
    }

    fn finish_attach(
        &mut self,
        results: Vec<(Tid, Result<ProcessId, wire::Failure>)>,
    ) -> Vec<wire::AttachResult> {
        let mut answers = Vec::new();
        for (pid, result) in results {
            let (process, failure) = match result {
                Ok(id) if self.processes.contains_key(&id) => {
                    let threads = self
                        .processes
                        .get(&id)
                        .map(|process| process.threads.clone());
                    for thread in threads.unwrap_or_default() {
                        if let Some(thread) = self.threads.get_mut(&thread) {
                            thread.reason = Some(reason(Reason::Initial(wire::Initial {})));
                        }
                    }
                    self.protect(id);
                    self.follow_libraries(id);
                    self.announce_process(id, wire::Origin::Attach);
                    (self.describe_process(id), None)
                }
                Ok(_) => {
                    let message = format!("process {pid} ended while it was being attached to");
                    (
                        None,
                        Some(wire::Failure::new(wire::FailureKind::Gone, message)),
                    )
                }
                Err(failure) => (None, Some(failure)),
            };
            answers.push(wire::AttachResult {
                pid: pid.0 as u32,
                process,
                failure,
            });
        }
        answers
    }

    pub(super) fn halt(
        &mut self,
        request: &wire::HaltRequest,
        reply: Reply<Answer<wire::HaltReply>>,
    ) {
        let (threads, results) = self.threads_of(request.targets.as_ref());
        self.halt_threads(threads, Purpose::Halt { results, reply });
    }
}
