//! Watchpoints: values that the processor watches in the debug registers of all threads.

use wayfarer_backend::{
    InsertWatchpointRequest, RemoveWatchpointRequest, StopScope, Targets, WatchKind, WatchpointHit,
};
use wayfarer_expression::{Value, print};

use super::{At, Debugger};
use crate::breakpoint::{Breakpoint, Purpose, Watch, What, id_of, number_of};
use crate::view::{BreakpointView, StopReason};
use crate::{DebuggerError, Result, ThreadId, WatchAccess, WatchSpec};

/// Four debug registers of eight bytes.
const WIDEST: u64 = 32;

impl At<'_> {
    /// Sets a watchpoint in the debug registers of all threads of the process.
    pub fn add_watchpoint(&mut self, spec: WatchSpec) -> Result<BreakpointView> {
        let id = self.stopped_thread()?;
        let value = self.value(&spec.expression)?;
        if matches!(
            value.type_ref.shape(),
            wayfarer_expression::Shape::Function { .. }
        ) {
            return Err(DebuggerError::Usage(format!(
                "Cannot watch constant value `{}'.",
                spec.expression
            )));
        }
        let (Some(address), Some(length)) = (value.address(), value.type_ref.size()) else {
            return Err(match value.place {
                wayfarer_symbols::location::Place::Register(_) => DebuggerError::Usage(format!(
                    "{} is in a register and can't be watched; step until it is in memory, or compile with -O0.",
                    spec.expression
                )),
                _ => DebuggerError::Usage(format!(
                    "Cannot watch constant value `{}'.",
                    spec.expression
                )),
            });
        };
        if length == 0 || length > WIDEST {
            return Err(DebuggerError::Usage(format!(
                "{} has {length} bytes, the processor can watch 1 to {WIDEST}: watch a part of it.",
                spec.expression
            )));
        }
        if let Some(condition) = &spec.condition {
            self.check_expression(condition)?;
        }
        let number = self.debugger.take_number();
        let mut scope = None;
        if !spec.location && self.names_a_local(&spec.expression) {
            let (_, _, index) = self.walked()?;
            let backtrace = self.debugger.backtrace_of(id, index + 2)?;
            let frame = backtrace.frames.get(index).ok_or(DebuggerError::NoFrame)?;
            if let Some(caller) = backtrace.stack.activations.get(frame.activation + 1) {
                let guard = frame.id.frame_address.wrapping_sub(1);
                let internal = self.debugger.insert_internal(
                    id,
                    caller.pc,
                    guard,
                    Purpose::WatchScope(number),
                )?;
                scope = Some((id, frame.id, internal));
            }
        }
        let expression = match spec.location {
            true => format!("-location {}", spec.expression),
            false => spec.expression.clone(),
        };
        let watch = Watch {
            expression: expression.clone(),
            access: spec.access,
            address,
            length: length as u32,
            process: id.process,
            process_name: self.debugger.process(id.process)?.name.clone(),
            scope,
            type_ref: value.type_ref,
        };
        let mut breakpoint = Breakpoint::new(number, What::Watch(watch), expression);
        breakpoint.condition = spec.condition;
        breakpoint.only = spec.only;
        self.debugger.breakpoints.insert(number, breakpoint);
        if let Err(error) = self.debugger.insert_watch(number) {
            self.debugger.remove_scope(number);
            self.debugger.breakpoints.remove(&number);
            return Err(error);
        }
        self.debugger.breakpoint(number)
    }

    /// Whether an expression uses a variable of the frame.
    fn names_a_local(&mut self, expression: &str) -> bool {
        let locals: Vec<String> = self.with_scene(|scene| {
            let own = scene.locals().into_iter();
            own.filter(|variable| variable.kind != wayfarer_symbols::VariableKind::Global)
                .map(|variable| variable.name)
                .collect()
        });
        let words = expression.split(|character: char| {
            !character.is_alphanumeric() && character != '_' && character != '$'
        });
        words
            .into_iter()
            .any(|word| locals.iter().any(|local| local == word))
    }
}

impl Debugger {
    pub(super) fn insert_watch(&mut self, number: u32) -> Result<()> {
        let Some(breakpoint) = self
            .breakpoints
            .get(&number)
            .filter(|breakpoint| breakpoint.enabled)
        else {
            return Ok(());
        };
        let What::Watch(watch) = &breakpoint.what else {
            return Ok(());
        };
        let kind = match watch.access {
            WatchAccess::Write => WatchKind::Write,
            WatchAccess::Read => WatchKind::Read,
            WatchAccess::Access => WatchKind::Access,
        };
        let only = breakpoint.only.clone();
        let (address, length, process) = (watch.address, watch.length, watch.process);
        let asks_us = breakpoint.condition.is_some();
        let ignore_count = if asks_us { 0 } else { breakpoint.ignore };
        let key = self.process(process)?.key;
        let backend = self.backend(key.agent)?;
        let threads = match only {
            Some(set) => {
                let meant = self.resolve(&set)?;
                let mut meant = self.by_holder(&meant);
                let here = meant.remove(&key.agent);
                here.ok_or_else(|| DebuggerError::EmptySet(set.text().to_owned()))?
            }
            None => Vec::new(),
        };
        let results = backend.insert_watchpoint(InsertWatchpointRequest {
            id: id_of(number),
            targets: Targets::process(key.id),
            address,
            length,
            kind,
            predicate: None,
            ignore_count,
            threads,
            scope: asks_us.then_some(StopScope::Thread),
        })?;
        self.breakpoint_mut(number)?.asks_us = asks_us;
        Ok(results.check()?)
    }

    pub(super) fn remove_watch(&mut self, number: u32) -> Result<()> {
        let Some(Breakpoint {
            what: What::Watch(watch),
            ..
        }) = self.breakpoints.get(&number)
        else {
            return Ok(());
        };
        let process = watch.process;
        self.remove_scope(number);
        if let Ok(backend) = self.backend_of(process) {
            backend.remove_watchpoint(RemoveWatchpointRequest {
                id: id_of(number),
                targets: None,
            })?;
        }
        Ok(())
    }

    fn remove_scope(&mut self, number: u32) {
        if let Some(Breakpoint {
            what: What::Watch(watch),
            ..
        }) = self.breakpoints.get_mut(&number)
            && let Some((_, _, internal)) = watch.scope.take()
        {
            self.remove_internal(internal);
        }
    }

    /// What was watched in a process that is gone is watched no more.
    pub(super) fn drop_watchpoints_of(&mut self, process: u32) {
        let those: Vec<u32> = self
            .breakpoints
            .values()
            .filter(|breakpoint| matches!(&breakpoint.what, What::Watch(watch) if watch.process == process && !self.outlives(watch)))
            .map(|breakpoint| breakpoint.number)
            .collect();
        for number in those {
            self.remove_scope(number);
            if let Some(gone) = self.breakpoints.remove(&number) {
                let why = match self.replays() {
                    true => {
                        "the run begins anew, and its frame is not there yet; `watch -location` goes on"
                    }
                    false => "its process is gone",
                };
                self.say(format!(
                    "Watchpoint {number} ({}) deleted: {why}.",
                    gone.location
                ));
            }
        }
    }

    /// When a recorded run begins anew, the same processes come again, with the same addresses; frames are others.
    fn outlives(&self, watch: &Watch) -> bool {
        self.replays() && watch.scope.is_none()
    }

    /// Watches again in a process what was watched in it before the run began anew.
    pub(super) fn watch_again(&mut self, process: u32) {
        let Ok(name) = self.process(process).map(|process| process.name.clone()) else {
            return;
        };
        let mut those = Vec::new();
        for breakpoint in self.breakpoints.values_mut() {
            if let What::Watch(watch) = &mut breakpoint.what
                && watch.process_name == name
                && watch.scope.is_none()
            {
                watch.process = process;
                those.push(breakpoint.number);
            }
        }
        for number in those {
            if let Err(error) = self.insert_watch(number) {
                self.note_problem(number, error.to_string());
            }
        }
    }

    /// The frame of a watched local has been left.
    pub(super) fn leave_watch_scope(&mut self, number: u32) -> Option<StopReason> {
        let What::Watch(watch) = &self.breakpoints.get(&number)?.what else {
            return None;
        };
        let expression = watch.expression.clone();
        // It is gone for us even if the agent could not be told.
        let _ = self.delete_breakpoint(number);
        self.breakpoints.remove(&number);
        Some(StopReason::WatchpointScope { number, expression })
    }

    /// A watched value was written or read.
    pub(super) fn judge_watch(
        &mut self,
        id: ThreadId,
        hit: &WatchpointHit,
    ) -> Result<Option<StopReason>> {
        let mut verdict = None;
        for report in &hit.watches {
            let Some(number) = number_of(report.id) else {
                continue;
            };
            let Some(Breakpoint {
                what: What::Watch(watch),
                condition,
                ..
            }) = self.breakpoints.get(&number)
            else {
                continue;
            };
            let (type_ref, condition) = (watch.type_ref.clone(), condition.clone());
            let (expression, access) = (watch.expression.clone(), watch.access);
            if let Some(condition) = condition {
                match self.holds(id, &condition) {
                    Ok(false) => continue,
                    Ok(true) => {}
                    Err(error) => self.say(format!(
                        "Error in testing condition of watchpoint {number}:\n{error}"
                    )),
                }
                let Some(breakpoint) = self.breakpoints.get_mut(&number) else {
                    continue;
                };
                breakpoint.own_hits += 1;
                if breakpoint.ignore > 0 {
                    breakpoint.ignore -= 1;
                    continue;
                }
            }
            let format = self.print_style().format;
            let mut text = |bytes: &[u8]| {
                let value = Value::computed(type_ref.clone(), bytes.to_vec());
                let mut there = self.at_thread(id);
                there.with_scene(|scene| print(&value, &format, scene)).ok()
            };
            let (old, new) = (text(&report.old), text(&report.new));
            let changed = report.old != report.new;
            let old = old.filter(|_| {
                access == WatchAccess::Write || (access == WatchAccess::Access && changed)
            });
            let reason = StopReason::Watchpoint {
                number,
                expression,
                access: access_word(access).to_owned(),
                old,
                new,
            };
            verdict = verdict.or(Some(reason));
        }
        Ok(verdict)
    }
}

/// The command that made it.
pub(super) fn access_word(access: WatchAccess) -> &'static str {
    match access {
        WatchAccess::Write => "watch",
        WatchAccess::Read => "rwatch",
        WatchAccess::Access => "awatch",
    }
}
