//! Stops of the invented world.

use wayfarer_backend::{
    EventKind, SignalDisposition, SignalReceived, StepDone, StepEnd, StopReason, StopScope,
    Stopped, Target, ThreadId, ThreadStop,
};

use crate::world::World;

impl World {
    /// A running thread stops, and takes along whom the session's scope says.
    pub fn stop(&mut self, thread: ThreadId, reason: StopReason) {
        self.stop_in(thread, reason, None);
    }

    pub(crate) fn stop_in(
        &mut self,
        thread: ThreadId,
        reason: StopReason,
        scope: Option<StopScope>,
    ) {
        self.stop_together(vec![(thread, reason)], scope);
    }

    /// Several threads stop at once, each for its own reason; one event tells of all. Without a
    /// scope the session's says who is taken along.
    pub fn stop_together(&mut self, causes: Vec<(ThreadId, StopReason)>, scope: Option<StopScope>) {
        let scope = scope.unwrap_or(self.settings.scope);
        let mut stopped = Vec::new();
        for (thread, _) in &causes {
            for other in self.taken_along(*thread, scope) {
                if self.goes(other) {
                    self.set_goes(other, false);
                    stopped.push(other);
                }
            }
        }
        let causes: Vec<ThreadStop> = causes
            .into_iter()
            .filter_map(|(id, reason)| {
                let thread = self.threads.get_mut(&id)?;
                thread.described.reason = Some(reason.clone());
                Some(ThreadStop {
                    events: None,
                    process: thread.described.process,
                    thread: id,
                    reason,
                    registers: Some(thread.general),
                })
            })
            .collect();
        self.happened.push(EventKind::Stopped(Stopped {
            causes,
            stopped,
            first_to_last_ns: 0,
        }));
    }

    fn taken_along(&self, thread: ThreadId, scope: StopScope) -> Vec<ThreadId> {
        let Some(process) = self
            .threads
            .get(&thread)
            .map(|thread| thread.described.process)
        else {
            return Vec::new();
        };
        match scope {
            StopScope::Thread => vec![thread],
            StopScope::Process => self.threads_of(process),
            StopScope::All => self.threads.keys().copied().collect(),
        }
    }

    /// A thread has done what its step asked for, and stands here now.
    pub fn step_ends(&mut self, thread: ThreadId, end: StepEnd, address: u64) {
        self.registers(thread, |general| general.rip = address);
        self.stop(
            thread,
            StopReason::Step(StepDone {
                end,
                entered_call: false,
                instructions: 1,
            }),
        );
    }

    /// A thread gets a signal, which does what the debugger has said that it does.
    pub fn signal(&mut self, thread: ThreadId, signal: i32) {
        let disposition = self.signals.get(&signal).copied();
        let disposition = disposition.unwrap_or(SignalDisposition {
            signal,
            stop: true,
            print: true,
            pass: true,
        });
        let Some(process) = self
            .threads
            .get(&thread)
            .map(|thread| thread.described.process)
        else {
            return;
        };
        if disposition.stop {
            let received = SignalReceived {
                signal,
                will_pass: disposition.pass,
                ..SignalReceived::default()
            };
            self.stop(thread, StopReason::Signal(received));
        } else if disposition.print {
            self.happened.push(EventKind::SignalSeen {
                process,
                thread,
                signal,
            });
        }
    }

    /// Something happens to a thread that stands. It is told when the thread is to go on, which
    /// then does not.
    pub fn happen_while_stopped(&mut self, thread: ThreadId, reason: StopReason) {
        if let Some(thread) = self.threads.get_mut(&thread) {
            thread.pending = Some(reason);
        }
    }

    /// Stops threads because somebody asked; who was not there.
    pub(crate) fn halt(&mut self, threads: &[ThreadId]) -> u32 {
        let running: Vec<ThreadId> = threads
            .iter()
            .copied()
            .filter(|thread| self.goes(*thread))
            .collect();
        for thread in &running {
            self.set_goes(*thread, false);
        }
        if let Some(first) = running.first()
            && let Some(thread) = self.threads.get(first)
        {
            let cause = ThreadStop {
                events: None,
                process: thread.described.process,
                thread: *first,
                reason: StopReason::Halted,
                registers: Some(thread.general),
            };
            self.happened.push(EventKind::Stopped(Stopped {
                causes: vec![cause],
                stopped: running.clone(),
                first_to_last_ns: 0,
            }));
        }
        running.len() as u32
    }

    /// Holds threads, or not any more: who was resumed meanwhile goes on then.
    pub(crate) fn set_held(&mut self, threads: &[ThreadId], held: bool) {
        for thread in threads {
            if let Some(thread) = self.threads.get_mut(thread) {
                thread.held = held;
            }
        }
    }

    /// Who is not there, as failures.
    pub(crate) fn missing_of(missing: Vec<Target>) -> wayfarer_backend::TargetResults {
        use wayfarer_backend::{Failure, FailureKind, TargetResult, TargetResults};
        let gone = |target| TargetResult {
            target,
            outcome: Err(Failure::new(FailureKind::Gone, "it is not there any more")),
        };
        TargetResults(missing.into_iter().map(gone).collect())
    }
}
