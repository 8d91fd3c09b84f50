//! How each kind of step begins and ends; what happens between lines is in `line_steps`.

use wayfarer_backend::RemoveBreakpointRequest;
use wayfarer_backend::{self as backend, BreakpointId, BreakpointPlace, InsertBreakpointRequest};
use wayfarer_symbols::ScopeKind;
use wayfarer_symbols::frames::FrameKind;
use wayfarer_symbols::unwind::EndOfStack;

use super::{At, Debugger};
use crate::breakpoint::Purpose;
use crate::step::{Action, Finishing, StepKind, StepPlan};
use crate::view::StopReason;
use crate::{DebuggerError, Location, Result, Run, Set, ThreadId};

/// What a look at a step led to.
pub(super) enum Advance {
    Stop(StopReason),
    GoOn,
}

impl At<'_> {
    /// Begins a step of the thread.
    pub(super) fn start_step(&mut self, step: Run, set: Option<&Set>) -> Result<()> {
        let id = self.stopped_thread()?;
        let thread = self.debugger.thread(id)?.1.key;
        let mut plan = StepPlan::new();
        match step {
            Run::StepInstruction { count } | Run::NextInstruction { count } => {
                let over = matches!(step, Run::NextInstruction { .. });
                plan.kind = if over {
                    StepKind::InstructionOver
                } else {
                    StepKind::Instruction
                };
                plan.remaining = count.max(1);
                self.debugger.fetch_registers(id)?;
                plan.action = self.debugger.instruction_action(id, &mut plan.stack, over);
            }
            Run::Step { count } | Run::Next { count } => {
                plan.kind = if matches!(step, Run::Step { .. }) {
                    StepKind::Into
                } else {
                    StepKind::Over
                };
                plan.remaining = count.max(1);
                if let Some(reason) = self.debugger.renew(id, &mut plan)? {
                    return self.debugger.tell(vec![(id, reason)]);
                }
            }
            Run::Until => {
                plan.kind = StepKind::Until;
                if let Some(reason) = self.debugger.renew(id, &mut plan)? {
                    return self.debugger.tell(vec![(id, reason)]);
                }
            }
            Run::Finish => self.plan_finish(id, &mut plan)?,
            Run::UntilLocation(location) | Run::Advance(location) => {
                self.plan_reach(id, &location, &mut plan)?
            }
            _ => return Err(DebuggerError::Usage("This is not a step.".to_owned())),
        }
        let stepping = !matches!(plan.kind, StepKind::Finish | StepKind::Reach);
        if plan.stack.is_some() {
            plan.internal.extend(self.debugger.watch_leaps(id));
        }
        self.debugger.steps.insert(thread, plan);
        let mut ids = if self.debugger.settings.locks_scheduler(stepping) {
            Vec::new()
        } else {
            self.debugger.runnable(set)?
        };
        if !ids.contains(&id) {
            ids.insert(0, id);
        }
        self.debugger.resume(&ids, None)
    }
}

impl Debugger {
    /// One instruction; over a call: to the instruction behind it, however the call is left.
    fn instruction_action(&self, id: ThreadId, stack: &mut Option<u64>, over: bool) -> Action {
        let behind = || {
            let (process, thread) = self.thread(id).ok()?;
            let general = thread.general.as_ref()?;
            let views = self.decode(&process.space, general.rip, u64::MAX, 1).ok()?;
            let call = views.first().filter(|view| view.text.starts_with("call"))?;
            Some((general.rip + call.bytes.len() as u64, general.rsp))
        };
        match over.then(behind).flatten() {
            Some((address, pointer)) => {
                *stack = Some(pointer);
                Action::To {
                    addresses: vec![address],
                    stack_above: Some(pointer.wrapping_sub(1)),
                }
            }
            None => Action::Instruction { over },
        }
    }
}

impl At<'_> {
    /// Whether the frame has a caller that `finish` could run to.
    pub fn check_finish(&mut self) -> Result<()> {
        let id = self.stopped_thread()?;
        self.plan_finish(id, &mut StepPlan::new())
    }

    /// `finish`: out of the frame.
    fn plan_finish(&mut self, id: ThreadId, plan: &mut StepPlan) -> Result<()> {
        plan.kind = StepKind::Finish;
        let (_, _, index) = self.walked()?;
        let backtrace = self.debugger.backtrace_of(id, index + 2)?;
        let frame = backtrace.frames.get(index).ok_or(DebuggerError::NoFrame)?;
        plan.frame = Some(frame.id);
        if frame.kind == FrameKind::Inlined
            && let Some(loaded) = &frame.module
        {
            let scopes = loaded
                .module
                .scopes_at(frame.lookup_address)
                .unwrap_or_default();
            let scope = scopes
                .iter()
                .filter(|scope| scope.kind != ScopeKind::Block)
                .nth(frame.id.inline_depth as usize)
                .ok_or(DebuggerError::NoFrame)?;
            let ranges = scope
                .ranges
                .iter()
                .map(|range| {
                    (
                        range.start.in_process(loaded.bias),
                        range.end.in_process(loaded.bias),
                    )
                })
                .collect();
            plan.action = Action::Ranges {
                ranges,
                over: true,
                stack_above: Some(frame.id.frame_address.wrapping_sub(1)),
            };
            return Ok(());
        }
        let shown = |other: &wayfarer_symbols::frames::Frame| other.activation > frame.activation;
        if backtrace.end != EndOfStack::Limit && !backtrace.frames.iter().any(shown) {
            return Err(DebuggerError::FinishOutermost);
        }
        let caller = backtrace
            .stack
            .activations
            .get(frame.activation + 1)
            .ok_or(DebuggerError::FinishOutermost)?;
        plan.stack = Some(frame.id.frame_address);
        plan.action = Action::To {
            addresses: vec![caller.pc],
            stack_above: Some(frame.id.frame_address.wrapping_sub(1)),
        };
        let function = frame
            .scope
            .zip(frame.module.as_ref())
            .and_then(|(scope, loaded)| loaded.module.function(scope).ok());
        plan.finishing = Some(Finishing {
            function: frame.function.clone().unwrap_or_else(|| "??".to_owned()),
            module: frame.module.as_ref().map(|loaded| loaded.module.clone()),
            return_type: function.as_ref().and_then(|function| function.return_type),
            described: function.is_some(),
        });
        Ok(())
    }

    /// `until LOCATION`, `advance LOCATION`: there, or where the frame returns to.
    fn plan_reach(&mut self, id: ThreadId, location: &Location, plan: &mut StepPlan) -> Result<()> {
        plan.kind = StepKind::Reach;
        let addresses = self.addresses_in(location, id.process)?;
        plan.action = Action::To {
            addresses,
            stack_above: None,
        };
        let (_, _, index) = self.walked()?;
        let backtrace = self.debugger.backtrace_of(id, index + 2)?;
        let frame = backtrace.frames.get(index).ok_or(DebuggerError::NoFrame)?;
        if let Some(caller) = backtrace.stack.activations.get(frame.activation + 1) {
            plan.stack = Some(frame.id.frame_address);
            let thread = self.debugger.thread(id)?.1.key;
            let guard = frame.id.frame_address.wrapping_sub(1);
            plan.internal.push(self.debugger.insert_internal(
                id,
                caller.pc,
                guard,
                Purpose::Step(thread),
            )?);
        }
        Ok(())
    }
}

impl Debugger {
    /// Places a breakpoint of our own for one thread.
    pub(super) fn insert_internal(
        &mut self,
        id: ThreadId,
        address: u64,
        stack_above: u64,
        purpose: Purpose,
    ) -> Result<BreakpointId> {
        let (process, thread) = self.thread(id)?;
        let internal = BreakpointId(self.next_internal);
        let place = BreakpointPlace {
            at: backend::Location {
                process: process.key.id,
                address,
            },
            predicate: None,
        };
        let agent = process.key.agent;
        self.backend(agent)?
            .insert_breakpoint(InsertBreakpointRequest {
                threads: vec![thread.key.id],
                stack_above: Some(stack_above),
                ..InsertBreakpointRequest::new(internal, vec![place])
            })?;
        self.next_internal += 1;
        self.internal.insert(internal, (agent, purpose));
        Ok(internal)
    }

    /// Takes a breakpoint of our own away.
    pub(super) fn remove_internal(&mut self, id: BreakpointId) {
        if let Some((agent, _)) = self.internal.remove(&id)
            && let Ok(backend) = self.backend(agent)
        {
            // The process may be gone, and the breakpoint with it.
            let _ = backend.remove_breakpoint(RemoveBreakpointRequest { id, places: None });
        }
    }

    /// Ends a thread's step, wherever it is.
    pub(super) fn drop_plan(&mut self, id: ThreadId) {
        let Ok(thread) = self.thread(id).map(|(_, thread)| thread.key) else {
            return;
        };
        if let Some(plan) = self.steps.remove(&thread) {
            for internal in plan.internal {
                self.remove_internal(internal);
            }
        }
    }

    /// Looks where a stepping thread has come to. `arrived`: at an address it was to run to, or above its guard.
    pub(super) fn advance_step(&mut self, id: ThreadId, arrived: bool) -> Result<Advance> {
        let thread = self.thread(id)?.1.key;
        let Some(mut plan) = self.steps.get(&thread).cloned() else {
            return Ok(Advance::GoOn);
        };
        let advance = match plan.kind {
            StepKind::Instruction | StepKind::InstructionOver => {
                plan.remaining -= 1;
                let over = plan.kind == StepKind::InstructionOver;
                plan.action = self.instruction_action(id, &mut plan.stack, over);
                match plan.remaining {
                    0 => Advance::Stop(StopReason::Step),
                    _ => Advance::GoOn,
                }
            }
            StepKind::Reach => Advance::Stop(StopReason::LocationReached),
            // An exception took it out of the frame: there is no value.
            StepKind::Finish if plan.leapt => Advance::Stop(StopReason::LocationReached),
            StepKind::Finish => match plan.finishing.take() {
                Some(finishing) if arrived => {
                    let value = self.returned_value(id, &finishing);
                    Advance::Stop(StopReason::Finished {
                        function: finishing.function,
                        value,
                    })
                }
                Some(finishing) => {
                    plan.finishing = Some(finishing);
                    Advance::GoOn
                }
                None => Advance::Stop(StopReason::LocationReached),
            },
            StepKind::Into | StepKind::Over | StepKind::Until => {
                self.advance_line(id, &mut plan)?
            }
        };
        if let Advance::Stop(reason) = advance {
            self.drop_plan(id);
            let reason = self.breakpoint_at_end(id).unwrap_or(reason);
            return Ok(Advance::Stop(reason));
        }
        self.steps.insert(thread, plan);
        Ok(Advance::GoOn)
    }

    /// A step that ends exactly on a breakpoint is a hit of it, as in gdb.
    fn breakpoint_at_end(&mut self, id: ThreadId) -> Option<StopReason> {
        let pc = self.thread(id).ok()?.1.general.as_ref()?.rip;
        let here = self.breakpoints.values().find(|breakpoint| {
            breakpoint.enabled
                && breakpoint.condition.is_none()
                && breakpoint.stops()
                && breakpoint.places.iter().any(|place| {
                    place.view.process_number == id.process && place.view.address == pc
                })
                && self.still_ignored(breakpoint) == 0
        })?;
        let (number, temporary) = (here.number, here.temporary);
        if let Some(breakpoint) = self.breakpoints.get_mut(&number) {
            breakpoint.own_hits += 1;
        }
        Some(StopReason::Breakpoint { number, temporary })
    }
}
