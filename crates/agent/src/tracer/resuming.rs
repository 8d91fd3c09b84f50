//! Setting threads going: what the debugger asks for, and what that means for a thread where it stands.

use super::Tracer;
use super::step_over::Passed;
use super::targets::of_thread;
use super::thread::{Activity, Extent, Goal, State, Step, Wanted};
use std::collections::BTreeSet;
use wayfarer_backend::{
    Action, Delivery, EventKind, Failure, ReleaseRequest, ResumeAction, ResumeRequest,
    SetHeldRequest, StopReason, TargetResults, ThreadId,
};
use wayfarer_ptrace::Stop;
use wayfarer_ptrace::thread::Going;

impl Tracer {
    pub(super) fn resume(&mut self, request: &ResumeRequest) -> TargetResults {
        let mut results = Vec::new();
        let mut chosen: Vec<(ThreadId, usize)> = Vec::new();
        let mut seen = BTreeSet::new();
        for (index, action) in request.iter().enumerate() {
            let (threads, missing) = self.threads_of(&action.targets);
            results.extend(missing);
            chosen.extend(
                threads
                    .into_iter()
                    .filter(|id| seen.insert(*id))
                    .map(|id| (id, index)),
            );
        }
        if let Some(id) = self.pending_among(&chosen) {
            let all: Vec<ThreadId> = chosen.iter().map(|(id, _)| *id).collect();
            self.tell_pending(id, &all);
            return TargetResults(results);
        }
        let mut resumed = Vec::new();
        for (id, index) in &chosen {
            if let Err(failure) = self.assign(*id, &request[*index]) {
                results.push(of_thread(*id, Err(failure)));
            } else {
                resumed.push(*id);
            }
        }
        self.tell(EventKind::Resumed(resumed.clone()));
        for id in resumed {
            self.go_on(id);
        }
        TargetResults(results)
    }

    /// A thread with a report that has not been told.
    fn pending_among(&mut self, chosen: &[(ThreadId, usize)]) -> Option<ThreadId> {
        for (id, _) in chosen {
            let Some(thread) = self.threads.get_mut(id) else {
                continue;
            };
            if thread.wanted == Wanted::Running {
                continue;
            }
            let process = thread.process;
            // What has been removed since is not told any more.
            if let Some(StopReason::Watchpoint(hit)) = &mut thread.pending {
                let watched = self.processes.get(&process).map(|process| &process.watched);
                hit.watches
                    .retain(|report| watched.is_some_and(|watched| watched.knows(report.id)));
                if hit.watches.is_empty() {
                    thread.pending = None;
                }
            }
            if thread.pending.is_some() {
                return Some(*id);
            }
        }
        None
    }

    /// Tells what a thread has kept to itself, if there is something, instead of resuming anybody: all of these that
    /// stand are told of.
    pub(super) fn tell_pending(&mut self, id: ThreadId, chosen: &[ThreadId]) -> bool {
        let Some(thread) = self.threads.get_mut(&id) else {
            return false;
        };
        let Some(why) = thread.pending.take() else {
            return false;
        };
        thread.reason = Some(why.clone());
        let stands = |id: &&ThreadId| {
            let thread = self.threads.get(id);
            thread.is_some_and(|thread| thread.wanted == Wanted::Stopped)
        };
        let stopped: Vec<ThreadId> = chosen.iter().filter(stands).copied().collect();
        self.tell_stopped(id, why, &stopped, 0);
        true
    }

    /// Gives a thread something to do.
    fn assign(&mut self, id: ThreadId, action: &ResumeAction) -> Result<(), Failure> {
        self.drop_goal(id);
        let Some(thread) = self.threads.get_mut(&id) else {
            return Ok(());
        };
        match action.signal {
            Delivery::AsStopped => {}
            Delivery::Nothing => thread.signal = None,
            Delivery::Signal(signal) => thread.signal = Some(signal),
        }
        thread.activity = match &action.action {
            Action::Continue => Activity::Continue,
            Action::Instructions { count, over_calls } => {
                Activity::Step(step_of(Extent::Instructions(*count), *over_calls))
            }
            Action::Ranges {
                ranges,
                over_calls,
                stack_above,
            } => {
                let extent = Extent::Ranges {
                    ranges: ranges.clone(),
                    stack_above: *stack_above,
                };
                Activity::Step(step_of(extent, *over_calls))
            }
            Action::To {
                addresses,
                stack_above,
            } => Activity::RunTo(Goal {
                addresses: addresses.clone(),
                stack_above: *stack_above,
                after_signal: false,
            }),
        };
        if let Err(failure) = self.place_goal(id) {
            self.drop_goal(id);
            return Err(failure);
        }
        if let Some(thread) = self.threads.get_mut(&id) {
            thread.wanted = Wanted::Running;
            thread.reason = None;
        }
        Ok(())
    }

    /// Lets a stopped thread do what it is meant to do, if nothing keeps it.
    pub(super) fn go_on(&mut self, id: ThreadId) {
        while self.next_move(id) {}
    }

    /// One move of a stopped thread; true if it is stopped still and another is due.
    fn next_move(&mut self, id: ThreadId) -> bool {
        let Some(thread) = self.threads.get_mut(&id) else {
            return false;
        };
        let State::Stopped(_, stop) = &thread.state else {
            return false;
        };
        let stop = *stop;
        if thread.wanted == Wanted::Stopped || thread.holds.any() {
            return false;
        }
        let Some(process) = self.processes.get(&thread.process) else {
            return false;
        };
        let Some(space) = self.spaces.get(&process.space) else {
            return false;
        };
        match space.exclusive {
            Some(step) if step.thread == id && step.under_way => {
                thread.resume_with(Going::OneInstruction, None);
                return false;
            }
            Some(_) => return false,
            None => {}
        }
        if thread.displaced.is_some() {
            thread.resume_with(Going::OneInstruction, None);
            return false;
        }
        if matches!(stop, Stop::Exit(_) | Stop::Group(_)) {
            thread.resume(Going::On);
            return false;
        }
        let Some(pc) = thread.pc() else {
            return false;
        };
        if thread.skip_at != Some(pc) {
            thread.skip_at = None;
        }
        let inserted = space.inserted.get(&pc);
        let answered = inserted.is_some_and(|inserted| inserted.answered);
        let at_breakpoint = thread.skip_at.is_some() && inserted.is_some() && !answered;
        let in_register = process.watched.stops_at(pc);
        let (skips, stepping) = (
            thread.skip_at.is_some(),
            thread.step().is_some_and(|step| step.goal.is_none()),
        );
        if in_register {
            self.set_resume_flag(id, skips);
        }
        if stepping {
            return self.next_step(id, pc, stop, at_breakpoint);
        }
        if at_breakpoint {
            return self.passed(id, pc);
        }
        let system_calls = self.wants_system_calls();
        if let Some(thread) = self.threads.get_mut(&id) {
            if !answered && !thread.goal().is_some_and(|goal| goal.after_signal) {
                thread.skip_at = None;
            }
            thread.resume(if system_calls {
                Going::ToSystemCall
            } else {
                Going::On
            });
        }
        false
    }

    /// Passes the breakpoint at which the thread stands; true if that is done already.
    fn passed(&mut self, id: ThreadId, pc: u64) -> bool {
        match self.step_over(id, pc) {
            Passed::UnderWay => false,
            Passed::Already => {
                if let Some(thread) = self.threads.get_mut(&id) {
                    thread.skip_at = None;
                }
                true
            }
        }
    }

    /// One move of a thread that steps.
    fn next_step(&mut self, id: ThreadId, pc: u64, stop: Stop, at_breakpoint: bool) -> bool {
        let Some(thread) = self.threads.get_mut(&id) else {
            return false;
        };
        if !matches!(stop, Stop::Signal(_) | Stop::Interrupted) {
            // In the middle of a system call, whose instruction is not finished.
            thread.resume(Going::OneInstruction);
            return false;
        }
        if thread.signal.is_some() {
            return self.step_past_signal(id, pc);
        }
        let instruction = self.instruction_at(id, pc);
        let call = instruction.filter(|instruction| {
            instruction.is_call_near() || instruction.is_call_near_indirect()
        });
        let Some(thread) = self.threads.get_mut(&id) else {
            return false;
        };
        let stack = thread.registers().map_or(0, |registers| registers.0.rsp);
        let Some(step) = thread.step() else {
            return false;
        };
        step.entered_call = call.is_some() && !step.over_calls;
        if let Some(call) = call.filter(|_| step.over_calls) {
            step.goal = Some(Goal {
                addresses: vec![call.next_ip()],
                stack_above: Some(stack.wrapping_sub(1)),
                after_signal: false,
            });
            if self.place_goal(id).is_ok() {
                return true;
            }
            self.drop_goal(id);
        }
        if at_breakpoint {
            if !self.passed(id, pc) {
                return false;
            }
            if let Some(step) = self.threads.get_mut(&id).and_then(|thread| thread.step()) {
                step.instructions += 1;
            }
            return !self.step_is_over(id);
        }
        let answered = self.answered_at(id, pc).is_some();
        if let Some(thread) = self.threads.get_mut(&id) {
            if !answered {
                thread.skip_at = None;
            }
            thread.resume(Going::OneInstruction);
        }
        false
    }

    /// A signal is due in the middle of a step: its handler, if it has one, runs through, and the step goes on.
    fn step_past_signal(&mut self, id: ThreadId, pc: u64) -> bool {
        let answered = self.answered_at(id, pc).map(|length| length as u64);
        if answered.is_none() && self.is_fault_of_runtime(id, pc) {
            // Nobody but the handler knows where it returns to.
            if let Some(thread) = self.threads.get_mut(&id) {
                thread.resume(Going::OneInstruction);
            }
            return false;
        }
        let Some(thread) = self.threads.get_mut(&id) else {
            return false;
        };
        let stack = thread.registers().map_or(0, |registers| registers.0.rsp);
        if let Some(step) = thread.step() {
            step.goal = Some(Goal {
                addresses: vec![pc + answered.unwrap_or(0)],
                stack_above: Some(stack.wrapping_sub(1)),
                after_signal: answered.is_none(),
            });
        }
        let placed = self.place_goal(id).is_ok();
        if let Some(thread) = self.threads.get_mut(&id) {
            thread.resume(if placed {
                Going::On
            } else {
                Going::OneInstruction
            });
        }
        false
    }

    /// Lets go on what was held for the debugger to look at.
    pub(super) fn release(&mut self, request: &ReleaseRequest) -> TargetResults {
        let (threads, results) = self.threads_of(request);
        for id in threads {
            if let Some(thread) = self.threads.get_mut(&id)
                && std::mem::replace(&mut thread.holds.load, false)
            {
                self.go_on(id);
            }
        }
        TargetResults(results)
    }

    pub(super) fn set_held(&mut self, request: &SetHeldRequest) -> TargetResults {
        let held = request.held;
        let (threads, results) = self.threads_of(&request.targets);
        for id in threads {
            let Some(thread) = self.threads.get_mut(&id) else {
                continue;
            };
            thread.holds.asked = held;
            if held && thread.can_be_stopped() {
                thread.interrupt();
            } else if !held {
                self.go_on(id);
            }
        }
        TargetResults(results)
    }
}

fn step_of(extent: Extent, over_calls: bool) -> Step {
    Step {
        extent,
        over_calls,
        instructions: 0,
        goal: None,
        entered_call: false,
    }
}
