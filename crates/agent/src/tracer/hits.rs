//! A thread has reached a breakpoint: whose, does it count, does it stop?

use super::Tracer;
use super::breakpoints::Breakpoint;
use super::process::{Owner, Space};
use super::thread::Activity;
use wayfarer_backend::{
    BreakpointHit, BreakpointId, PredicateFailure, StepDone, StepEnd, StopReason, StopScope,
    ThreadId,
};
use wayfarer_predicate::{Target, holds};
use wayfarer_ptrace::Registers;

/// What the breakpoints at an address say of a thread that reached it.
#[derive(Default)]
pub(super) struct Verdict {
    /// Those that stop it.
    ids: Vec<BreakpointId>,
    failures: Vec<PredicateFailure>,
    /// The widest of theirs; none if they leave it to the session.
    scope: Option<StopScope>,
    /// It waits at this one's barrier.
    barrier: Option<BreakpointId>,
}

/// The thread as a predicate sees it.
struct Scene<'a> {
    registers: &'a Registers,
    space: &'a Space,
}

impl Target for Scene<'_> {
    fn register(&mut self, number: u16) -> Option<u64> {
        self.registers.by_dwarf(number)
    }

    fn read(&mut self, address: u64, buffer: &mut [u8]) -> bool {
        let whole = self.space.memory.read(address, buffer).is_ok();
        if whole {
            self.space.hide(address, buffer);
        }
        whole
    }
}

impl Tracer {
    /// The thread has executed the breakpoint instruction at `address`, and stands before it again.
    pub(super) fn hit(&mut self, id: ThreadId, address: u64) {
        let Some(thread) = self.threads.get_mut(&id) else {
            return;
        };
        let Some(registers) = thread.registers() else {
            return;
        };
        let goal = thread.goal().filter(|goal| goal.reached(&registers));
        let (reached, after_signal) = (goal.is_some(), goal.is_some_and(|goal| goal.after_signal));
        if after_signal {
            // Back from a signal handler: nothing has happened here.
            self.drop_goal(id);
            self.go_on(id);
            return;
        }
        thread.skip_at = Some(address);
        if self.libraries_reported(id, address) {
            return;
        }
        let verdict = self.judge_breakpoints(id, address, &registers);
        if self.follow_verdict(id, verdict) {
            return;
        }
        if reached {
            self.goal_reached(id);
        } else {
            self.go_on(id);
        }
    }

    /// Evaluates all breakpoints of the debugger's at an address for a thread that stands there.
    pub(super) fn judge_breakpoints(
        &mut self,
        id: ThreadId,
        address: u64,
        registers: &Registers,
    ) -> Verdict {
        let mut verdict = Verdict::default();
        let Some(process) = self.threads.get(&id).map(|thread| thread.process) else {
            return verdict;
        };
        let Some(space) = self
            .processes
            .get(&process)
            .and_then(|process| self.spaces.get(&process.space))
        else {
            return verdict;
        };
        let in_code = space.inserted.get(&address);
        let owners = in_code.map_or(&[][..], |inserted| &inserted.owners);
        let in_code = owners.iter().filter_map(|owner| match owner {
            Owner::Breakpoint(owner, id) if *owner == process => Some(*id),
            _ => None,
        });
        let mut ids: Vec<BreakpointId> =
            in_code.chain(self.in_registers(process, address)).collect();
        ids.sort_unstable();
        for breakpoint_id in ids {
            let Some(breakpoint) = self.breakpoints.get_mut(&breakpoint_id) else {
                continue;
            };
            let filtered = !breakpoint.threads.is_empty() && !breakpoint.threads.contains(&id)
                || breakpoint
                    .stack_above
                    .is_some_and(|above| registers.0.rsp <= above);
            let Some(place) = breakpoint.places.get(&(process, address)) else {
                continue;
            };
            if filtered {
                continue;
            }
            breakpoint.evaluations += 1;
            let value = match &place.predicate {
                None => Ok(true),
                Some(program) => holds(program, &mut Scene { registers, space }),
            };
            match value {
                Ok(false) => continue,
                Ok(true) => {}
                Err(fault) => verdict.failures.push(PredicateFailure {
                    id: breakpoint_id,
                    message: fault.to_string(),
                }),
            }
            breakpoint.hits += 1;
            count(breakpoint_id, breakpoint, &mut verdict);
        }
        verdict
    }

    /// Stops the thread, or holds it at a barrier; false if nothing wants either.
    pub(super) fn follow_verdict(&mut self, id: ThreadId, verdict: Verdict) -> bool {
        if verdict.ids.is_empty() {
            return match verdict.barrier {
                Some(barrier) => {
                    self.arrive(id, barrier);
                    true
                }
                None => false,
            };
        }
        let told = StopReason::Breakpoint(BreakpointHit {
            ids: verdict.ids,
            failures: verdict.failures,
        });
        self.stop_at(id, told, verdict.scope);
        true
    }

    /// The thread is where it was running to.
    fn goal_reached(&mut self, id: ThreadId) {
        let Some(thread) = self.threads.get_mut(&id) else {
            return;
        };
        match &mut thread.activity {
            Activity::Step(step) => {
                step.instructions += 1;
                self.drop_goal(id);
                if !self.step_is_over(id) {
                    self.go_on(id);
                }
            }
            Activity::RunTo(_) => {
                let told = StopReason::Step(StepDone {
                    end: StepEnd::Reached,
                    entered_call: false,
                    instructions: 0,
                });
                self.stop_at(id, told, None);
            }
            Activity::Call(_) => self.call_returned(id),
            Activity::Continue => self.go_on(id),
        }
    }
}

/// A hit of one breakpoint: passed, counted, held or stopping.
fn count(id: BreakpointId, breakpoint: &mut Breakpoint, verdict: &mut Verdict) {
    if breakpoint.ignore > 0 {
        breakpoint.ignore -= 1;
        return;
    }
    if breakpoint.barrier.is_some() {
        verdict.barrier = Some(id);
        return;
    }
    verdict.ids.push(id);
    verdict.scope = verdict.scope.max(breakpoint.scope);
}
