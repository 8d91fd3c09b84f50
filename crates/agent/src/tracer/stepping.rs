//! Steps: when they are over.

use super::Tracer;
use super::thread::Extent;
use wayfarer_backend::{StepDone, StepEnd, StopReason, ThreadId};

impl Tracer {
    /// The thread has executed an instruction of its step: tells of the end if it is reached.
    pub(super) fn step_is_over(&mut self, id: ThreadId) -> bool {
        let Some(thread) = self.threads.get_mut(&id) else {
            return true;
        };
        let Some(registers) = thread.registers() else {
            return true;
        };
        let Some(step) = thread.step() else {
            return false;
        };
        let (pc, stack) = (registers.0.rip, registers.0.rsp);
        let end = match &mut step.extent {
            Extent::Instructions(left) => {
                *left = left.saturating_sub(1);
                (*left == 0).then_some(StepEnd::Left)
            }
            Extent::Ranges {
                ranges,
                stack_above,
            } => {
                if stack_above.is_some_and(|above| stack > above) {
                    Some(StepEnd::Returned)
                } else if ranges
                    .iter()
                    .any(|range| range.low <= pc && pc < range.high)
                {
                    None
                } else {
                    Some(StepEnd::Left)
                }
            }
        };
        let Some(end) = end else {
            return false;
        };
        let told = StepDone {
            end,
            entered_call: step.entered_call,
            instructions: step.instructions,
        };
        // A breakpoint where the step ends is hit by it, as if the thread had run into it.
        thread.skip_at = Some(pc);
        let verdict = self.judge_breakpoints(id, pc, &registers);
        if !self.follow_verdict(id, verdict) {
            self.stop_at(id, StopReason::Step(told), None);
        }
        true
    }
}
