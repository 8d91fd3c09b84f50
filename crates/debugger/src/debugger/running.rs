//! Running on, waiting, and halting.

use std::collections::BTreeMap;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use wayfarer_backend::{
    Action, AgentId, Delivery, Failure, FailureKind, ResumeAction, StopScope, Target,
    TargetResults, Targets,
};

use super::{At, Debugger};
use crate::agent::News;
use crate::session::{Process, ThreadKey};
use crate::view::{StopReason, StopView};
use crate::{DebuggerError, Event, Result, Run, Set, ThreadId};

/// How long a halt's report may lag behind its answer.
const REPORT_PATIENCE: Duration = Duration::from_secs(2);

impl At<'_> {
    /// Runs and waits for the end of it: the stop of a thread the run was for, a stop that stops everything,
    /// or the end of every process. Several stops at once are returned together, the reported one first.
    ///
    /// `set`: who runs (`None`: the focus). Steps are made by the frame's thread; who else runs meanwhile is
    /// decided by `scheduler-locking`.
    pub fn execute(&mut self, how: Run, set: Option<&Set>) -> Result<Vec<StopView>> {
        self.debugger.foreground = true;
        let outcome = self
            .start(how, set)
            .and_then(|()| self.debugger.wait_for_end());
        let outcome = outcome.or_else(|error| self.debugger.death_instead(error));
        self.debugger.foreground = false;
        outcome
    }

    /// Starts running and returns at once (`continue &`); stops arrive as events.
    pub fn start(&mut self, how: Run, set: Option<&Set>) -> Result<()> {
        self.debugger.followed = self.frame.map(|frame| frame.thread);
        self.debugger.pump_for_command()?;
        if matches!(how, Run::Signal(_) | Run::Jump(_) | Run::Return(_)) {
            self.debugger.may_change_the_run()?;
        }
        match how {
            Run::Continue { ignore } => {
                let ids = self.debugger.runnable(set)?;
                if ignore > 1 {
                    self.ignore_here(ignore - 1)?;
                }
                self.debugger.resume(&ids, None)
            }
            Run::Signal(signal) => {
                let signal = crate::signals::number(&signal)?;
                let current = self.stopped_thread()?;
                let ids = self.debugger.runnable(set)?;
                self.debugger.resume(&ids, Some((current, signal)))
            }
            Run::Jump(location) => {
                let current = self.stopped_thread()?;
                let address = self.jump_address(&location)?;
                self.debugger.write_pc(current, address)?;
                let ids = self.debugger.runnable(set)?;
                self.debugger.resume(&ids, None)
            }
            Run::Return(value) => {
                let current = self.stopped_thread()?;
                self.pop_frame(value.as_deref())?;
                self.debugger.leave_call(current)?;
                self.debugger.tell(vec![(current, StopReason::Returned)])
            }
            step => self.start_step(step, set),
        }
    }

    /// Waits for the end of what runs in the foreground or background.
    pub fn wait(&mut self) -> Result<Vec<StopView>> {
        self.debugger.followed = self.frame.map(|frame| frame.thread);
        self.debugger.foreground = true;
        let outcome = self.debugger.wait_for_end();
        self.debugger.foreground = false;
        outcome
    }
}

impl Debugger {
    fn wait_for_end(&mut self) -> Result<Vec<StopView>> {
        loop {
            if !self.reported.is_empty() {
                while let Ok(news) = self.news.try_recv() {
                    self.take_news(news)?;
                }
                return Ok(std::mem::take(&mut self.reported));
            }
            if !self.is_running() && !self.awaits_barrier() {
                if self.death_expected {
                    self.await_death();
                    continue;
                }
                return Ok(Vec::new());
            }
            match self.news.recv() {
                Ok(News::Interrupt) => {
                    let views = self.halt_now(None)?;
                    self.reported.clear();
                    return Ok(views);
                }
                Ok(news) => self.take_news(news)?,
                Err(_) => {
                    return Err(DebuggerError::AgentLost(
                        "nothing can arrive any more".to_owned(),
                    ));
                }
            }
        }
    }

    /// Handles what arrived before a command; an interrupt typed at an idle prompt is forgotten. None of it ends the
    /// command: it is of the background.
    fn pump_for_command(&mut self) -> Result<()> {
        let foreground = std::mem::replace(&mut self.foreground, false);
        let mut outcome = Ok(());
        while outcome.is_ok()
            && let Ok(news) = self.news.try_recv()
        {
            outcome = self.take_news(news);
        }
        self.foreground = foreground;
        self.unclaimed.append(&mut self.reported);
        outcome
    }
}

impl At<'_> {
    /// Halts a set (`None`: everything) and reports the thread's place, or that of the set's first.
    pub fn halt(&mut self, set: Option<&Set>) -> Result<Vec<StopView>> {
        self.debugger.followed = self.frame.map(|frame| frame.thread);
        self.debugger.pump_for_command()?;
        self.debugger.foreground = true;
        let ids = set.map(|set| self.debugger.resolve(set)).transpose();
        let outcome = ids.and_then(|ids| self.debugger.halt_now(ids));
        self.debugger.foreground = false;
        self.debugger.reported.clear();
        outcome
    }
}

impl Debugger {
    pub(super) fn halt_now(&mut self, ids: Option<Vec<ThreadId>>) -> Result<Vec<StopView>> {
        let running = |debugger: &Debugger, id: ThreadId| {
            debugger.thread(id).is_ok_and(|(_, thread)| thread.running)
        };
        let everybody = ids.is_none();
        let ids: Vec<ThreadId> = match ids {
            Some(ids) => ids,
            None => self.members().iter().map(|member| member.id).collect(),
        };
        if ids.is_empty() {
            return Err(DebuggerError::NoProcess);
        }
        let ran: Vec<ThreadId> = ids
            .iter()
            .copied()
            .filter(|&id| running(self, id))
            .collect();
        let targets = match everybody {
            true => self.everybody_in(self.holders()),
            false => self.compact(&ids),
        };
        self.halt_in(targets)?;
        // The report of the stop comes on the stream; it must be taken before anything else runs.
        let deadline = Instant::now() + REPORT_PATIENCE;
        while ran.iter().any(|&id| running(self, id) && self.is_live(id)) {
            match self
                .news
                .recv_timeout(deadline.saturating_duration_since(Instant::now()))
            {
                Ok(News::Interrupt) => {}
                Ok(news) => self.take_news(news)?,
                Err(RecvTimeoutError::Timeout) => {
                    for &id in &ran {
                        if let Some(thread) = self.thread_mut(id) {
                            thread.running = false;
                            thread.forget();
                        }
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(DebuggerError::AgentLost("it is gone".to_owned()));
                }
            }
        }
        for &id in &ids {
            self.drop_plan(id);
        }
        if !self.reported.is_empty() {
            // Something else stopped it first.
            return Ok(std::mem::take(&mut self.reported));
        }
        let whose = self
            .followed
            .filter(|followed| ids.contains(followed) && self.is_live(*followed));
        let Some(whose) = whose.or_else(|| ids.iter().copied().find(|&id| self.is_live(id))) else {
            return Ok(Vec::new());
        };
        let view = self.stop_view(whose, StopReason::Halted)?;
        self.emit(Event::Stopped(view.clone()));
        Ok(vec![view])
    }

    pub(super) fn is_live(&self, id: ThreadId) -> bool {
        self.thread(id)
            .is_ok_and(|(process, thread)| process.is_alive() && !thread.exited)
    }
}

impl At<'_> {
    /// Describes the stop of the thread again (gdb's `frame` after a silent stop, `info program`).
    pub fn last_stop(&mut self) -> Option<StopView> {
        let id = self.stopped_thread().ok()?;
        let view = self.debugger.stop_view(id, StopReason::Step).ok()?;
        Some(StopView {
            current: true,
            ..view
        })
    }
}

impl Debugger {
    /// Stops whoever the stop of `id` is to take along, where the agent stopped only the one.
    pub(super) fn stop_the_rest(&mut self, id: ThreadId) -> Result<()> {
        let whole = match self.settings.stop_scope() {
            StopScope::Thread => return Ok(()),
            StopScope::Process => Some(self.process(id.process)?.key),
            StopScope::All => None,
        };
        let concerned = |process: &Process| whole.is_none_or(|key| process.key == key);
        let running: Vec<ThreadId> = self
            .processes
            .values()
            .filter(|process| concerned(process))
            .flat_map(Process::members)
            .filter(|member| !member.stopped)
            .map(|member| member.id)
            .collect();
        if running.is_empty() {
            return Ok(());
        }
        let holders = running
            .iter()
            .filter_map(|&id| Some(self.thread(id).ok()?.1.key.agent));
        self.halt_in(match whole {
            Some(key) => [(key.agent, Targets::process(key.id))].into(),
            None => self.everybody_in(holders),
        })?;
        let deadline = Instant::now() + REPORT_PATIENCE;
        while running
            .iter()
            .any(|&id| self.is_live(id) && self.thread(id).is_ok_and(|(_, thread)| thread.running))
        {
            match self
                .news
                .recv_timeout(deadline.saturating_duration_since(Instant::now()))
            {
                Ok(News::Interrupt) => {}
                Ok(news) => self.take_news(news)?,
                Err(_) => break,
            }
        }
        Ok(())
    }

    /// The stopped threads that a run command means.
    pub(super) fn runnable(&mut self, set: Option<&Set>) -> Result<Vec<ThreadId>> {
        let focus = self.focus.clone();
        let set = set.unwrap_or(&focus);
        let mut ids = match self.resolve(set) {
            Err(DebuggerError::EmptySet(_)) if set.text() == focus.text() => {
                // Whom the focus meant is gone: everybody.
                self.focus = Set::all();
                self.resolve(&Set::all())?
            }
            other => other?,
        };
        if self.settings.locks_scheduler(false)
            && let Some(followed) = self.followed.filter(|followed| ids.contains(followed))
        {
            ids = vec![followed];
        }
        ids.retain(|&id| self.thread(id).is_ok_and(|(_, thread)| !thread.running));
        Ok(ids)
    }

    /// Sets threads running: those in a step by its action, the others freely.
    pub(super) fn resume(
        &mut self,
        ids: &[ThreadId],
        signal: Option<(ThreadId, i32)>,
    ) -> Result<()> {
        if ids.is_empty() {
            return if self.is_running() {
                Ok(())
            } else {
                Err(DebuggerError::NoProcess)
            };
        }
        let mut actions: BTreeMap<AgentId, Vec<ResumeAction>> = BTreeMap::new();
        let mut freely = Vec::new();
        for &id in ids {
            let thread = self.thread(id)?.1.key;
            let wanted = signal.filter(|(whose, _)| *whose == id);
            let mut action = match self.steps.get(&thread) {
                Some(plan) => plan.action.of(thread.id),
                None if wanted.is_some() => ResumeAction::of(thread.id, Action::Continue),
                None => {
                    freely.push(id);
                    continue;
                }
            };
            action.signal = match wanted {
                None => Delivery::AsStopped,
                Some((_, 0)) => Delivery::Nothing,
                Some((_, number)) => Delivery::Signal(number),
            };
            actions.entry(thread.agent).or_default().push(action);
        }
        let others = self.members().into_iter().map(|member| member.id);
        let others: Vec<ThreadId> = others.filter(|id| !ids.contains(id)).collect();
        let others = self.by_holder(&others);
        for agent in self.by_holder(ids).into_keys() {
            let actions = actions.entry(agent).or_default();
            let own = self.by_holder(&freely).remove(&agent).unwrap_or_default();
            let targets = match others.contains_key(&agent) {
                false => Targets::All,
                true if own.is_empty() => continue,
                true => self.compact_targets(agent, &own),
            };
            actions.push(ResumeAction {
                targets,
                action: Action::Continue,
                signal: Delivery::AsStopped,
            });
        }
        self.at_entry = false;
        self.forget_stop(ids);
        let mut trouble = None;
        for (agent, actions) in actions {
            let backend = self.backend(agent)?;
            match backend.resume(actions) {
                Ok(results) => trouble = self.not_resumed(agent, &results).or(trouble),
                Err(failure) => {
                    self.still_stopped(agent, ids);
                    trouble = Some(failure);
                }
            }
        }
        match trouble {
            Some(trouble) if !self.is_running() => Err(trouble.into()),
            _ => Ok(()),
        }
    }

    /// Writes down who could not be resumed; why, if it is not that they are gone.
    fn not_resumed(&mut self, agent: AgentId, results: &TargetResults) -> Option<Failure> {
        let mut trouble = None;
        for (target, failure) in results.failures() {
            if let Target::Thread(id) = target
                && let Some(id) = self.numbers_of(ThreadKey { agent, id })
                && let Some(thread) = self.thread_mut(id)
            {
                thread.running = false;
            }
            // A process that died in this moment is told by its own event.
            match failure.kind {
                FailureKind::Gone => self.death_expected = true,
                _ => trouble = Some(failure.clone()),
            }
        }
        trouble
    }

    /// A back end has resumed nobody.
    fn still_stopped(&mut self, agent: AgentId, ids: &[ThreadId]) {
        for &id in ids {
            if let Some(thread) = self.thread_mut(id)
                && thread.key.agent == agent
            {
                thread.running = false;
            }
        }
    }

    /// Resumes threads whose stop was none of the user's business.
    pub(super) fn resume_again(&mut self, ids: &[ThreadId]) -> Result<()> {
        let ids: Vec<ThreadId> = ids
            .iter()
            .copied()
            .filter(|&id| self.is_live(id) && self.thread(id).is_ok_and(|(_, thread)| !thread.held))
            .collect();
        if ids.is_empty() {
            Ok(())
        } else {
            self.resume(&ids, None)
        }
    }

    /// Everybody in these back ends.
    fn everybody_in(
        &self,
        holders: impl IntoIterator<Item = AgentId>,
    ) -> BTreeMap<AgentId, Targets> {
        let each = holders.into_iter();
        each.map(|agent| (agent, Targets::All)).collect()
    }

    /// Some threads as targets of those that hold them.
    fn compact(&self, ids: &[ThreadId]) -> BTreeMap<AgentId, Targets> {
        let each = self.by_holder(ids).into_iter();
        each.map(|(agent, threads)| (agent, self.compact_targets(agent, &threads)))
            .collect()
    }
}
