//! Processes, threads and sets.

use wayfarer_backend::{SetHeldRequest, Targets};

use super::{At, Debugger};
use crate::session::Process;
use crate::set::Member;
use crate::view::{ProcessView, ThreadState, ThreadView, Who};
use crate::{DebuggerError, Result, Set, ThreadId};

impl At<'_> {
    /// Gives the thread a name of the user's own; empty: none.
    pub fn name_thread(&mut self, name: &str) -> Result<()> {
        let id = self.own_thread()?;
        if let Some(thread) = self.debugger.thread_mut(id) {
            thread.given_name = (!name.is_empty()).then(|| name.to_owned());
        }
        Ok(())
    }

    /// All processes of the session, the ended ones included.
    pub fn processes(&self) -> Vec<ProcessView> {
        let own = self.own_process().ok();
        let view = |process: &Process| ProcessView {
            number: process.number,
            name: process.name.clone(),
            pid: process.pid,
            parent: process.parent,
            program: process.program.clone(),
            origin: process.origin,
            state: process.state(),
            threads: process.live_threads().count() as u32,
            current: own == Some(process.number),
        };
        self.debugger.processes.values().map(view).collect()
    }
}

impl Debugger {
    /// Whether any process is alive.
    pub fn has_processes(&self) -> bool {
        self.processes.values().any(Process::is_alive)
    }

    /// Whether any thread runs.
    pub fn is_running(&self) -> bool {
        self.processes
            .values()
            .flat_map(Process::live_threads)
            .any(|thread| thread.running)
    }
}

impl At<'_> {
    /// The threads of a set (`None`: all), with the frames of those that stand.
    pub fn threads(&mut self, set: Option<&Set>) -> Result<Vec<ThreadView>> {
        let all = Set::all();
        let ids = self.debugger.resolve(set.unwrap_or(&all))?;
        self.debugger.fetch_snapshots(&ids)?;
        let mut views = Vec::new();
        for id in ids {
            let (process, thread) = self.debugger.thread(id)?;
            let (who, running, held) = (process.who(thread), thread.running, thread.held);
            let frame = if running {
                None
            } else {
                self.debugger.frame_view_of(id, 0, false).ok()
            };
            let state = match (held, running) {
                (true, _) => ThreadState::Held,
                (false, true) => ThreadState::Running,
                (false, false) => ThreadState::Stopped,
            };
            views.push(ThreadView {
                who,
                state,
                frame,
                current: self.own_thread().ok() == Some(id),
            });
        }
        Ok(views)
    }

    /// Gives a process another name. `which`: name or number; empty: the own process.
    pub fn rename(&mut self, which: &str, name: &str) -> Result<()> {
        let number = self.find_process(which)?;
        let name = name.trim();
        let bad = name.is_empty()
            || name.bytes().all(|byte| byte.is_ascii_digit())
            || name.contains(|character: char| {
                character.is_whitespace() || "!,@:*?()".contains(character)
            });
        if bad {
            return Err(DebuggerError::Usage(format!(
                "\"{name}\" can't be a name: it needs a letter, and none of ! , @ : * ? ( ) or blanks."
            )));
        }
        if let Some(other) = self
            .debugger
            .processes
            .values()
            .find(|process| process.name == name && process.number != number)
        {
            return Err(DebuggerError::Usage(format!(
                "Process {} has the name {name} already.",
                other.number
            )));
        }
        if let Some(process) = self.debugger.processes.get_mut(&number) {
            process.name = name.to_owned();
            process.renamed = true;
        }
        Ok(())
    }
}

impl Debugger {
    /// The members of a set, in order of their numbers.
    pub fn resolve(&mut self, set: &Set) -> Result<Vec<ThreadId>> {
        let members = self.members();
        if members.is_empty() {
            return Err(DebuggerError::NoProcess);
        }
        let found = set.members(&members, &mut |location, id| self.stands_at(id, location));
        if found.is_empty() {
            return Err(DebuggerError::EmptySet(set.text().to_owned()));
        }
        Ok(found)
    }

    /// Everybody who can be in a set.
    pub(super) fn members(&self) -> Vec<Member> {
        self.processes.values().flat_map(Process::members).collect()
    }

    /// Name and numbers of a thread.
    pub fn who(&self, thread: ThreadId) -> Result<Who> {
        let (process, thread) = self.thread(thread)?;
        Ok(process.who(thread))
    }

    /// The set that run commands and `on`-less commands mean; `all` at first.
    pub fn focus(&self) -> &Set {
        &self.focus
    }

    /// Sets the focus; an empty set is refused. Returns who is in it now.
    pub fn set_focus(&mut self, set: Set) -> Result<Vec<ThreadId>> {
        let members = self.resolve(&set)?;
        self.focus = set;
        Ok(members)
    }
}

impl At<'_> {
    /// The number of a process given by name or number; empty: the own one.
    pub(super) fn find_process(&self, which: &str) -> Result<u32> {
        let which = which.trim();
        if which.is_empty() {
            return self.own_process();
        }
        let by_number = which
            .parse::<u32>()
            .ok()
            .filter(|number| self.debugger.processes.contains_key(number));
        let by_name = || {
            self.debugger
                .processes
                .values()
                .find(|process| process.name == which)
                .map(|process| process.number)
        };
        by_number
            .or_else(by_name)
            .ok_or_else(|| DebuggerError::UnknownTarget(which.to_owned()))
    }
}

impl Debugger {
    /// Keeps threads from running whatever is resumed, until `release`.
    pub fn hold(&mut self, set: &Set) -> Result<Vec<Who>> {
        self.set_held(set, true)
    }

    /// Ends a hold, also one by a barrier.
    pub fn release(&mut self, set: &Set) -> Result<Vec<Who>> {
        self.set_held(set, false)
    }

    fn set_held(&mut self, set: &Set, held: bool) -> Result<Vec<Who>> {
        let ids = self.resolve(set)?;
        let mut who = Vec::new();
        for &id in &ids {
            let (process, thread) = self.thread(id)?;
            who.push(process.who(thread));
        }
        for (agent, threads) in self.by_holder(&ids) {
            let targets = Targets::threads(threads);
            self.backend(agent)?
                .set_held(SetHeldRequest { targets, held })?;
        }
        for id in ids {
            if let Some(thread) = self.thread_mut(id) {
                thread.held = held;
            }
        }
        Ok(who)
    }

    /// Names for completion after `proc`, `focus`, `on`.
    pub fn complete_process(&self, prefix: &str) -> Vec<String> {
        let live = self.processes.values().filter(|process| process.is_alive());
        live.map(|process| process.name.clone())
            .filter(|name| name.starts_with(prefix))
            .collect()
    }
}
