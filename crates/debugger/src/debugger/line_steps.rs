//! Steps by source lines: where one goes on, where it stops. The rules are gdb's.

use wayfarer_symbols::frames::{Backtrace, Frame};
use wayfarer_symbols::unwind::{ActivationKind, AddressSpace, LoadedModule};
use wayfarer_symbols::{ModuleAddress, Scope, ScopeKind, SymbolKind};

use super::Debugger;
use super::stepping::Advance;
use crate::session::Space;
use crate::step::{Action, StepKind, StepPlan};
use crate::view::StopReason;
use crate::{DebuggerError, Result, ThreadId};

/// Frames needed to decide: this one, its caller, and who a signal interrupted.
const NEEDED: usize = 4;

impl Debugger {
    /// Begins (again) at the line where the thread stands. A stop is returned when nothing needs to run: an inlined
    /// call that begins here is entered by changing the view only.
    pub(super) fn renew(
        &mut self,
        id: ThreadId,
        plan: &mut StepPlan,
    ) -> Result<Option<StopReason>> {
        loop {
            let skipped = self.thread(id)?.1.skipped_inlines;
            if plan.kind != StepKind::Into || skipped == 0 {
                break;
            }
            if let Some(thread) = self.thread_mut(id) {
                thread.skipped_inlines = skipped - 1;
            }
            plan.remaining -= 1;
            if plan.remaining == 0 {
                return Ok(Some(StopReason::Step));
            }
        }
        let (backtrace, index) = self.visible(id, 0)?;
        let space = self.process(id.process)?.space.clone();
        let frame = backtrace.frames.get(index).ok_or(DebuggerError::NoFrame)?;
        plan.frame = Some(frame.id);
        plan.line = line_of(frame);
        plan.stack = stack_of(&backtrace, frame);
        plan.action = match out_of_hidden(&backtrace) {
            Some(action) => action,
            None => self.line_action(&space, &backtrace, plan)?,
        };
        Ok(None)
    }

    /// The action that leaves the line of the program counter.
    fn line_action(&self, space: &Space, backtrace: &Backtrace, plan: &StepPlan) -> Result<Action> {
        let pc = backtrace.frames.first().map_or(0, |frame| frame.pc);
        let guard = plan.frame.map(|frame| frame.frame_address.wrapping_sub(1));
        let over = plan.kind != StepKind::Into;
        let loaded = space.module_at(pc).ok_or_else(no_bounds)?;
        let address = loaded.address(pc);
        let line = loaded.module.step_range(address).ok().flatten();
        let (mut low, high) = match line {
            Some(entry) => (entry.range.start, entry.range.end),
            None => {
                return Ok(Action::Ranges {
                    ranges: vec![function_bounds(&loaded, address)?],
                    over: true,
                    stack_above: guard,
                });
            }
        };
        if plan.kind == StepKind::Until
            && let Ok(Some(function)) = loaded.module.function_at(address)
            && let Some(entry) = function.entry
        {
            low = low.min(entry);
        }
        let range = (low.in_process(loaded.bias), high.in_process(loaded.bias));
        Ok(Action::Ranges {
            ranges: vec![range],
            over,
            stack_above: guard,
        })
    }

    /// Looks where a step by lines has come to.
    pub(super) fn advance_line(&mut self, id: ThreadId, plan: &mut StepPlan) -> Result<Advance> {
        let backtrace = self.backtrace_of(id, NEEDED)?;
        let space = self.process(id.process)?.space.clone();
        let (Some(top), Some(start)) = (backtrace.frames.first(), plan.frame) else {
            return Ok(Advance::Stop(StopReason::Step));
        };
        if let Some(action) = out_of_hidden(&backtrace) {
            plan.action = action;
            return Ok(Advance::GoOn);
        }
        let same_call = top.id.frame_address == start.frame_address
            && top.id.function_start == start.function_start;
        if same_call {
            return self.advance_inside(id, plan, &space, &backtrace);
        }
        if let Some(action) = through_signal_handler(&backtrace) {
            plan.action = action;
            return Ok(Advance::GoOn);
        }
        if top.id.frame_address > start.frame_address {
            return self.advance_outside(id, plan, &space, &backtrace);
        }
        self.advance_deeper(id, plan, &space, &backtrace)
    }

    /// The frame returned: the caller is where the step ends, unless it is the same line of a recursion.
    fn advance_outside(
        &mut self,
        id: ThreadId,
        plan: &mut StepPlan,
        space: &Space,
        backtrace: &Backtrace,
    ) -> Result<Advance> {
        let beginning = self.beginning_inlines(id);
        let Some(top) = backtrace.frames.get(beginning) else {
            return Ok(Advance::Stop(StopReason::Step));
        };
        let same_line = plan.line.is_some() && line_of(top) == plan.line;
        // In the middle of a line it goes on to the next one that begins.
        if same_line || (beginning == 0 && inside_row(top)) {
            plan.frame = Some(top.id);
            plan.line = line_of(top);
            plan.stack = stack_of(backtrace, top);
            plan.action = self.line_action(space, backtrace, plan)?;
            return Ok(Advance::GoOn);
        }
        self.finish_line(id, plan, beginning)
    }

    /// A function was called from the stepped frame (or took its place).
    fn advance_deeper(
        &mut self,
        id: ThreadId,
        plan: &mut StepPlan,
        space: &Space,
        backtrace: &Backtrace,
    ) -> Result<Advance> {
        let Some(top) = backtrace.frames.first() else {
            return Ok(Advance::Stop(StopReason::Step));
        };
        let out = backtrace.stack.activations.get(1).map(|caller| Action::To {
            addresses: vec![caller.pc],
            stack_above: Some(top.id.frame_address.wrapping_sub(1)),
        });
        if plan.kind != StepKind::Into {
            return Ok(match out {
                Some(action) => {
                    plan.action = action;
                    Advance::GoOn
                }
                None => Advance::Stop(StopReason::Step),
            });
        }
        let loaded = space.module_at(top.pc);
        let has_line = |loaded: &LoadedModule| {
            let line = loaded.module.line_at(loaded.address(top.pc));
            line.ok()
                .flatten()
                .is_some_and(|line| line.position.line != 0)
        };
        if let Some(loaded) = loaded.as_ref().filter(|loaded| has_line(loaded)) {
            let entry = loaded
                .module
                .function_at(loaded.address(top.pc))
                .ok()
                .flatten()
                .and_then(|function| function.entry);
            let at_entry = entry.is_some_and(|entry| entry.in_process(loaded.bias) == top.pc);
            let body = entry
                .filter(|_| at_entry)
                .and_then(|entry| loaded.module.after_prologue(entry).ok());
            match body.map(|body| body.in_process(loaded.bias)) {
                Some(body) if body != top.pc => {
                    plan.action = Action::To {
                        addresses: vec![body],
                        stack_above: None,
                    }
                }
                _ => {
                    let beginning = self.beginning_inlines(id);
                    return self.finish_line(id, plan, beginning);
                }
            }
            return Ok(Advance::GoOn);
        }
        let target = loaded
            .as_ref()
            .and_then(|loaded| stub_target(space, loaded, top.pc));
        plan.action = match (target, out) {
            (Some(body), _) => Action::To {
                addresses: vec![body],
                stack_above: None,
            },
            (None, _) if self.settings.is_on("step-mode") => {
                return Ok(Advance::Stop(StopReason::Step));
            }
            (None, Some(out)) => out,
            (None, None) => return Ok(Advance::Stop(StopReason::Step)),
        };
        Ok(Advance::GoOn)
    }

    /// Still in the same call: another line, or an inlined call.
    fn advance_inside(
        &mut self,
        id: ThreadId,
        plan: &mut StepPlan,
        space: &Space,
        backtrace: &Backtrace,
    ) -> Result<Advance> {
        let (Some(top), Some(start)) = (backtrace.frames.first(), plan.frame) else {
            return Ok(Advance::Stop(StopReason::Step));
        };
        let beginning = self.beginning_inlines(id);
        let depth = (top.id.inline_depth as usize).saturating_sub(beginning);
        let begun_at = start.inline_depth as usize;
        let visible = backtrace.frames.get(beginning).unwrap_or(top);
        let same_line = plan.line.is_some() && line_of(visible) == plan.line;
        let into = plan.kind == StepKind::Into;
        if depth > begun_at || (depth == begun_at && beginning > 0) {
            // In an inlined call of the stepped function.
            return match (into, depth == begun_at) {
                (true, true) if same_line => self.finish_line(id, plan, beginning - 1),
                (true, _) => self.finish_line(id, plan, beginning),
                (false, true) if !same_line => self.finish_line(id, plan, beginning),
                (false, _) => {
                    plan.action = over_inlined(top, begun_at + 1, start.frame_address)
                        .map_or_else(|| self.line_action(space, backtrace, plan), Ok)?;
                    Ok(Advance::GoOn)
                }
            };
        }
        if depth < begun_at {
            // Out of the inlined function in which the step began.
            if same_line {
                plan.frame = Some(visible.id);
                plan.action = self.line_action(space, backtrace, plan)?;
                return Ok(Advance::GoOn);
            }
            return self.finish_line(id, plan, beginning);
        }
        let Some(loaded) = &top.module else {
            return Ok(Advance::Stop(StopReason::Step));
        };
        let address = loaded.address(top.pc);
        let entry = loaded.module.line_at(address).ok().flatten();
        let (at_start, is_statement, has_line) = match &entry {
            Some(entry) => (
                entry.range.start == address,
                entry.is_statement,
                entry.position.line != 0,
            ),
            None => return self.finish_line(id, plan, 0),
        };
        if !same_line && has_line && at_start && is_statement {
            return self.finish_line(id, plan, 0);
        }
        // In the middle of a line, or on the line it came from: on to the next.
        plan.action = self.line_action(space, backtrace, plan)?;
        Ok(Advance::GoOn)
    }

    /// One step of the plan is done, with so many inlined calls not entered.
    fn finish_line(
        &mut self,
        id: ThreadId,
        plan: &mut StepPlan,
        skipped: usize,
    ) -> Result<Advance> {
        if let Some(thread) = self.thread_mut(id) {
            thread.skipped_inlines = skipped;
        }
        plan.remaining -= 1;
        if plan.remaining == 0 {
            return Ok(Advance::Stop(StopReason::Step));
        }
        Ok(match self.renew(id, plan)? {
            Some(reason) => Advance::Stop(reason),
            None => Advance::GoOn,
        })
    }
}

fn line_of(frame: &Frame) -> Option<(String, u64)> {
    let position = frame.position.as_ref()?;
    Some((position.file.path.display().to_string(), position.line))
}

/// The stack pointer in a frame.
fn stack_of(backtrace: &Backtrace, frame: &Frame) -> Option<u64> {
    let activation = backtrace.stack.activations.get(frame.activation)?;
    activation.registers.sp()
}

/// Whether a frame stands after the beginning of a row of the line table.
fn inside_row(frame: &Frame) -> bool {
    let Some(loaded) = &frame.module else {
        return false;
    };
    let address = loaded.address(frame.pc);
    let row = loaded.module.line_at(address).ok().flatten();
    row.is_some_and(|row| row.range.start != address && row.position.line != 0)
}

fn no_bounds() -> DebuggerError {
    DebuggerError::Usage("Cannot find bounds of current function.".to_owned())
}

/// All of a function without lines: a step leaves it.
fn function_bounds(loaded: &LoadedModule, address: ModuleAddress) -> Result<(u64, u64)> {
    let symbol = loaded.module.symbol_at(address).ok_or_else(no_bounds)?;
    let end = symbol.address.plus(
        symbol
            .size
            .max(address.0.wrapping_sub(symbol.address.0) + 1),
    );
    Ok((
        symbol.address.in_process(loaded.bias),
        end.in_process(loaded.bias),
    ))
}

/// When functions that are none of the program's run on top of the stepped frame: to where they were called.
fn out_of_hidden(backtrace: &Backtrace) -> Option<Action> {
    let hidden =
        |module: &Option<LoadedModule>| module.as_ref().is_some_and(|module| module.hidden);
    let activations = &backtrace.stack.activations;
    let depth = activations
        .iter()
        .take_while(|activation| hidden(&activation.module))
        .count();
    depth.checked_sub(1)?;
    let caller = activations.get(depth)?;
    let stack = caller.registers.sp()?;
    Some(Action::To {
        addresses: vec![caller.pc],
        stack_above: Some(stack.wrapping_sub(1)),
    })
}

/// When a signal handler runs on top of the stepped frame: to the place that it interrupted.
fn through_signal_handler(backtrace: &Backtrace) -> Option<Action> {
    let activations = &backtrace.stack.activations;
    let at = activations
        .iter()
        .take(NEEDED)
        .position(|activation| activation.kind == ActivationKind::Signal)?;
    let interrupted = activations.get(at + 1)?;
    let stack = interrupted.registers.sp()?;
    Some(Action::To {
        addresses: vec![interrupted.pc],
        stack_above: Some(stack.wrapping_sub(1)),
    })
}

/// The whole of the inlined call at this depth round a frame's program counter.
fn over_inlined(top: &Frame, depth: usize, frame_address: u64) -> Option<Action> {
    let loaded = top.module.as_ref()?;
    let scopes = loaded.module.scopes_at(loaded.address(top.pc)).ok()?;
    let scope: &Scope = scopes
        .iter()
        .filter(|scope| scope.kind != ScopeKind::Block)
        .nth(depth)?;
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
    Some(Action::Ranges {
        ranges,
        over: true,
        stack_above: Some(frame_address.wrapping_sub(1)),
    })
}

/// Behind a stub of the procedure linkage table: the body of the function it leads to, if that has lines.
fn stub_target(space: &Space, loaded: &LoadedModule, pc: u64) -> Option<u64> {
    let symbol = loaded.module.symbol_at(loaded.address(pc))?;
    if symbol.kind != SymbolKind::Plt {
        return None;
    }
    let name = symbol.name.strip_suffix("@plt").unwrap_or(symbol.name);
    let mut modules = space.modules();
    // What is hidden was loaded first, and its functions come before those of the C library.
    modules.sort_by_key(|module| !module.hidden);
    for module in modules {
        let found = module.module.symbols_named(name);
        let Some(target) = found
            .iter()
            .find(|symbol| symbol.kind == SymbolKind::Function && symbol.address.0 != 0)
        else {
            continue;
        };
        let described = module
            .module
            .line_at(target.address)
            .ok()
            .flatten()
            .is_some();
        let body = module.module.after_prologue(target.address).ok()?;
        return described.then(|| body.in_process(module.bias));
    }
    None
}
