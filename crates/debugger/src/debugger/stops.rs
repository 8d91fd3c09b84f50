//! What a stop means: a stop for the user, a step on its way, or nothing.
//!
//! # How a stop is judged
//!
//! The back end tells facts: these threads stopped, for these causes. For each cause the debugger
//! decides what it means. A hit of the user's breakpoint is counted and its condition, if the back end
//! could not evaluate it, is evaluated here. A hit of a breakpoint of our own (end of `finish`, a
//! `longjmp`, the loader's) belongs to the plan that placed it. The end of a step may be one leg of
//! a `next`, which plans the next one (`stepping`).
//!
//! If nothing is left to tell, all threads that the stop took along are resumed, and the user never
//! hears of it. If there is, the plans of the stopped threads are dropped, the rest of the scope is
//! stopped, and each cause becomes a view. A stop in the foreground says that its thread is the one
//! to look at; one in the background never does.

use wayfarer_backend::{self as backend, AgentId, BreakpointId, StepEnd, Stopped};
use wayfarer_calls::Number;

use super::Debugger;
use super::stepping::Advance;
use crate::breakpoint::{Does, Once, Purpose, What, number_of};
use crate::session::ThreadKey;
use crate::signals;
use crate::view::{StopReason, StopView};
use crate::{CatchSpec, Event, Result, ThreadId};

impl Debugger {
    /// Takes a stop: decides for each cause, then tells the user or lets everybody go on.
    pub(super) fn stopped(&mut self, agent: AgentId, stopped: Stopped) -> Result<()> {
        let key_of = |id| ThreadKey { agent, id };
        let mut ids: Vec<ThreadId> = Vec::new();
        for &thread in stopped
            .stopped
            .iter()
            .chain(stopped.causes.iter().map(|cause| &cause.thread))
        {
            if let Some(id) = self.numbers_of(key_of(thread))
                && !ids.contains(&id)
            {
                ids.push(id);
            }
        }
        for &id in &ids {
            if let Some(process) = self.processes.get_mut(&id.process) {
                process.space.memory.forget();
                if let Some(thread) = process.threads.get_mut(&id.thread) {
                    thread.running = false;
                    thread.forget();
                }
            }
        }
        let settled = |cause: &backend::ThreadStop| cause.reason == backend::StopReason::Settled;
        let settled = stopped.causes.iter().any(settled);
        if self.passes_by() {
            self.stopped_on_the_way(settled, Vec::new());
            return Ok(());
        }
        let mut told: Vec<(ThreadId, StopReason)> = Vec::new();
        let mut asked_for = false;
        for cause in stopped.causes {
            let Some(id) = self.numbers_of(key_of(cause.thread)) else {
                continue;
            };
            if let Some(thread) = self.thread_mut(id) {
                thread.general = cause.registers;
                thread.events = cause.events;
                thread.reason = Some(cause.reason.clone());
            }
            self.drop_left_calls(id);
            match cause.reason {
                backend::StopReason::Halted
                | backend::StopReason::Initial
                | backend::StopReason::Settled => asked_for = true,
                reason => {
                    let id = self.teller(agent, id, &reason);
                    let verdict = self.judge(id, reason)?;
                    told.extend(verdict.map(|reason| (id, reason)));
                }
            }
        }
        if self.traveling.is_some() {
            self.stopped_on_the_way(settled, told);
            return Ok(());
        }
        if told.is_empty() {
            return if asked_for {
                Ok(())
            } else {
                self.resume_again(&ids)
            };
        }
        for &id in &ids {
            self.drop_plan(id);
        }
        self.stop_the_rest(told[0].0)?;
        self.stabilize(agent, &mut told)?;
        self.tell(told)
    }

    /// Builds the reports and hands them out.
    pub(super) fn tell(&mut self, told: Vec<(ThreadId, StopReason)>) -> Result<()> {
        let focus = self.focus.clone();
        let in_focus = |debugger: &mut Debugger, id: ThreadId| {
            focus.is_all()
                || debugger
                    .resolve(&focus)
                    .is_ok_and(|members| members.contains(&id))
        };
        let first = told
            .iter()
            .map(|(id, _)| *id)
            .find(|&id| Some(id) == self.followed);
        let first = match first {
            Some(followed) => Some(followed),
            None => told
                .iter()
                .map(|(id, _)| *id)
                .find(|&id| in_focus(self, id)),
        };
        if let (true, Some(first)) = (self.foreground, first) {
            self.followed = Some(first);
            if let Some(process) = self.processes.get_mut(&first.process) {
                process.last_looked_at = first.thread;
            }
        }
        let mut views = Vec::new();
        for (id, reason) in told {
            self.after_stop_of(&reason);
            views.push(self.stop_view(id, reason)?);
        }
        views.sort_by_key(|view| !view.current);
        for view in views {
            self.emit(Event::Stopped(view.clone()));
            self.reported.push(view);
        }
        Ok(())
    }

    /// What a stop does to the breakpoint that made it: temporary ones go.
    fn after_stop_of(&mut self, reason: &StopReason) {
        let Some(number) = reason.breakpoint() else {
            return;
        };
        let Some(breakpoint) = self.breakpoints.get_mut(&number) else {
            return;
        };
        let (temporary, once) = (breakpoint.temporary, breakpoint.once);
        breakpoint.once = Once::No;
        // A failure leaves a breakpoint that the next stop tries to remove again.
        let _ = match (temporary, once) {
            (true, _) | (_, Once::Delete) => self.delete_breakpoint(number),
            (_, Once::Disable) => self.enable_breakpoint(number, false),
            _ => Ok(()),
        };
    }

    /// Decides about one cause. None: the user is not to know.
    pub(super) fn judge(
        &mut self,
        id: ThreadId,
        reason: backend::StopReason,
    ) -> Result<Option<StopReason>> {
        use backend::StopReason as Reason;
        let thread = self.thread(id)?.1.key;
        Ok(match reason {
            Reason::Breakpoint(hit) => {
                let mut verdict = None;
                for failure in &hit.failures {
                    self.say(format!(
                        "Error in testing condition of breakpoint {}: {}",
                        failure.id, failure.message
                    ));
                }
                for breakpoint in hit.ids {
                    let one = match self.internal.get(&breakpoint).map(|(_, purpose)| *purpose) {
                        Some(Purpose::WatchScope(watch)) => self.leave_watch_scope(watch),
                        Some(Purpose::Step(owner)) if owner == thread => {
                            self.judge_step(id, true)?
                        }
                        Some(Purpose::Leap(owner)) if owner == thread => self.judge_leap(id)?,
                        Some(Purpose::CallReturn(owner)) if owner == id => {
                            self.call_returned(id)?
                        }
                        Some(
                            Purpose::Step(_)
                            | Purpose::Moment
                            | Purpose::Leap(_)
                            | Purpose::CallReturn(_)
                            | Purpose::Terminate,
                        ) => None,
                        None => self.judge_breakpoint(id, breakpoint)?,
                    };
                    verdict = verdict.or(one);
                }
                verdict
            }
            Reason::Step(done) => {
                let arrived = done.end != StepEnd::Left;
                self.judge_step(id, arrived)?
            }
            Reason::Watchpoint(hit) => self.judge_watch(id, &hit)?,
            Reason::Signal(signal) => {
                let number = signal.signal;
                match self.catch_of_signal(number) {
                    Some(catch) => Some(StopReason::Catch {
                        number: catch,
                        event: "signal".to_owned(),
                        detail: format!("(signal {})", signals::name(number)),
                    }),
                    None if self.signals.stops(number) => Some(signal_reason(number)),
                    None => None,
                }
            }
            Reason::Trap => Some(signal_reason(5)),
            Reason::EndOfTrace(places) => Some(StopReason::EndOfTrace { places }),
            Reason::Diverged(explanation) => Some(StopReason::Diverged { explanation }),
            Reason::Syscall(stop) => stop.ids.first().and_then(|&catch| {
                let name = Number::from(stop.number)
                    .name()
                    .map_or_else(|| stop.number.to_string(), str::to_owned);
                let side = if stop.entry {
                    "call to"
                } else {
                    "returned from"
                };
                caught(self, catch, "syscall", format!("({side} syscall {name})"))
            }),
            Reason::Fork(stop) => stop.ids.first().and_then(|&catch| {
                let (event, verb) = if stop.vfork {
                    ("vfork", "vforked")
                } else {
                    ("fork", "forked")
                };
                caught(
                    self,
                    catch,
                    event,
                    format!("({verb} process {})", stop.child_pid),
                )
            }),
            Reason::Exec(ids) => {
                let program = self.process(id.process)?.program.clone();
                let detail = format!("(exec'd {program})");
                ids.first()
                    .and_then(|&catch| caught(self, catch, "exec", detail))
            }
            Reason::Barrier(complete) => self.barrier_completed(thread.agent, &complete),
            Reason::Halted | Reason::Initial | Reason::Settled => None,
        })
    }

    fn judge_step(&mut self, id: ThreadId, arrived: bool) -> Result<Option<StopReason>> {
        Ok(match self.advance_step(id, arrived)? {
            Advance::Stop(reason) => Some(reason),
            Advance::GoOn => None,
        })
    }

    /// A hit of a breakpoint that the user set.
    fn judge_breakpoint(
        &mut self,
        id: ThreadId,
        breakpoint: BreakpointId,
    ) -> Result<Option<StopReason>> {
        let Some(number) = number_of(breakpoint) else {
            return Ok(None);
        };
        let Some(breakpoint) = self.breakpoints.get(&number) else {
            return Ok(None);
        };
        if !breakpoint.enabled || !self.is_placed(number, id.process) {
            return Ok(None);
        }
        if breakpoint.asks_us {
            if let (Some(condition), false) =
                (breakpoint.condition.clone(), breakpoint.condition_in_agent)
            {
                match self.holds(id, &condition) {
                    Ok(false) => return Ok(None),
                    Ok(true) => {}
                    Err(error) => self.say(format!(
                        "Error in testing condition of breakpoint {number}:\n{error}"
                    )),
                }
            }
            let Some(breakpoint) = self.breakpoints.get_mut(&number) else {
                return Ok(None);
            };
            breakpoint.own_hits += 1;
            if breakpoint.ignore > 0 {
                breakpoint.ignore -= 1;
                return Ok(None);
            }
        }
        let Some(breakpoint) = self.breakpoints.get(&number) else {
            return Ok(None);
        };
        let temporary = breakpoint.temporary;
        let What::Code { does, .. } = &breakpoint.what else {
            return Ok(None);
        };
        Ok(match does {
            Does::Stop | Does::Gather => Some(StopReason::Breakpoint { number, temporary }),
            Does::Catch(what) => {
                let (event, detail) = match what {
                    CatchSpec::Throw => ("throw", "(exception thrown)"),
                    CatchSpec::Catch => ("catch", "(exception caught)"),
                    CatchSpec::Rethrow => ("rethrow", "(exception rethrown)"),
                    _ => ("panic", "(panic)"),
                };
                Some(StopReason::Catch {
                    number,
                    event: event.to_owned(),
                    detail: detail.to_owned(),
                })
            }
            Does::Print { format, arguments } => {
                let (format, arguments) = (format.clone(), arguments.clone());
                let text = self.at_thread(id).format_printf(&format, &arguments);
                let text = text.unwrap_or_else(|error| format!("dprintf {number}: {error}\n"));
                let who = self.who(id)?;
                self.emit(Event::Output {
                    who,
                    breakpoint: number,
                    text,
                });
                None
            }
        })
    }

    /// Whether a condition is true in a thread.
    pub(super) fn holds(&mut self, id: ThreadId, condition: &str) -> Result<bool> {
        self.at_thread(id).is_true(condition)
    }

    /// The report of a stop.
    pub(super) fn stop_view(&mut self, id: ThreadId, reason: StopReason) -> Result<StopView> {
        self.settle_inlines(id, &reason);
        let frame = self.frame_view_of(id, 0, false).ok();
        let frame_id = self.frame_id_of(id, 0);
        let source_line = frame.as_ref().and_then(|frame| {
            let path = frame.full_path.as_deref().or(frame.file.as_deref())?;
            self.sources.line(std::path::Path::new(path), frame.line?)
        });
        let new_function = match self.thread_mut(id) {
            Some(thread) => {
                std::mem::replace(&mut thread.shown_frame, frame_id) != frame_id
                    || frame_id.is_none()
            }
            None => true,
        };
        let new_function = new_function || !matches!(reason, StopReason::Step);
        Ok(StopView {
            who: self.who(id)?,
            reason,
            frame,
            source_line,
            events: self.thread(id).ok().and_then(|(_, thread)| thread.events),
            current: self.foreground && self.followed == Some(id),
            new_function,
        })
    }
}

/// The report of a catchpoint; the hit is counted.
fn caught(
    debugger: &mut Debugger,
    id: BreakpointId,
    event: &str,
    detail: String,
) -> Option<StopReason> {
    let number = number_of(id)?;
    if let Some(breakpoint) = debugger.breakpoints.get_mut(&number) {
        breakpoint.own_hits += 1;
    }
    Some(StopReason::Catch {
        number,
        event: event.to_owned(),
        detail,
    })
}

fn signal_reason(number: i32) -> StopReason {
    StopReason::Signal {
        number,
        name: signals::name(number),
        meaning: signals::meaning(number).to_owned(),
    }
}
