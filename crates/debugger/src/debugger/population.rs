//! Processes, threads, sets and what the prompt looks at.

use wayfarer_protocol as wire;

use super::Debugger;
use crate::session::Process;
use crate::set::Member;
use crate::view::{FrameView, ProcessView, ThreadState, ThreadView, Who};
use crate::{DebuggerError, Result, Set, ThreadId};

impl Debugger {
    /// Gives the current thread a name of the user's own; empty: none.
    pub fn name_thread(&mut self, name: &str) -> Result<()> {
        let id = self.current.ok_or(DebuggerError::NoProcess)?;
        if let Some(thread) = self.thread_mut(id) {
            thread.given_name = (!name.is_empty()).then(|| name.to_owned());
        }
        Ok(())
    }

    /// All processes of the session, the ended ones included.
    pub fn processes(&self) -> Vec<ProcessView> {
        let view = |process: &Process| ProcessView {
            number: process.number,
            name: process.name.clone(),
            pid: process.pid,
            parent: process.parent,
            program: process.program.clone(),
            origin: process.origin,
            state: process.state(),
            threads: process.live_threads().count() as u32,
            current: self
                .current
                .is_some_and(|current| current.process == process.number),
        };
        self.processes.values().map(view).collect()
    }

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

    /// The threads of a set (`None`: all), with the frames of those that stand.
    pub fn threads(&mut self, set: Option<&Set>) -> Result<Vec<ThreadView>> {
        let all = Set::all();
        let ids = self.resolve(set.unwrap_or(&all))?;
        self.fetch_snapshots(&ids)?;
        let mut views = Vec::new();
        for id in ids {
            let (process, thread) = self.thread(id)?;
            let (who, running, held) = (process.who(thread), thread.running, thread.held);
            let frame = if running {
                None
            } else {
                self.frame_view_of(id, 0, false).ok()
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
                current: self.current == Some(id),
            });
        }
        Ok(views)
    }

    /// Gives a process another name. `which`: name or number; empty: the current process.
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
            .processes
            .values()
            .find(|process| process.name == name && process.number != number)
        {
            return Err(DebuggerError::Usage(format!(
                "Process {} has the name {name} already.",
                other.number
            )));
        }
        if let Some(process) = self.processes.get_mut(&number) {
            process.name = name.to_owned();
            process.renamed = true;
        }
        Ok(())
    }

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

    /// Sets the focus; an empty set is refused. Selects the set's first thread if the current one isn't in it.
    pub fn set_focus(&mut self, set: Set) -> Result<()> {
        let members = self.resolve(&set)?;
        if !self
            .current
            .is_some_and(|current| members.contains(&current))
        {
            self.current = members.first().copied();
        }
        self.focus = set;
        Ok(())
    }

    /// The thread the prompt looks at.
    pub fn current(&self) -> Option<ThreadId> {
        self.current
    }

    /// Looks at another thread (`2.1`, `3`, `worker.2`), frame 0. The frame is none while it runs.
    pub fn select_thread(&mut self, which: &str) -> Result<(Who, Option<FrameView>)> {
        let which = which.trim();
        let unknown = || DebuggerError::UnknownTarget(which.to_owned());
        if let Ok(thread) = which.parse::<u32>() {
            let process = self.current.ok_or(DebuggerError::NoProcess)?.process;
            return self.select(ThreadId { process, thread });
        }
        let set = Set::parse(which)?;
        let found = self.resolve(&set).map_err(|_| unknown())?;
        let first = found.first().copied().ok_or_else(unknown)?;
        self.select(first)
    }

    /// The same by id; for `on SET CMD`, which then puts the old selection back.
    pub fn select(&mut self, id: ThreadId) -> Result<(Who, Option<FrameView>)> {
        let (process, thread) = self.thread(id)?;
        if thread.exited || !process.is_alive() {
            return Err(DebuggerError::UnknownTarget(id.to_string()));
        }
        let (who, running) = (process.who(thread), thread.running);
        self.current = Some(id);
        if let Some(process) = self.processes.get_mut(&id.process) {
            process.last_selected = id.thread;
        }
        let level = self.thread(id)?.1.selected_frame;
        let frame = if running {
            None
        } else {
            self.frame_view_of(id, level, false).ok()
        };
        Ok((who, frame))
    }

    /// Looks at a process (name or number): the thread that was last looked at there.
    pub fn select_process(&mut self, which: &str) -> Result<(Who, Option<FrameView>)> {
        let number = self.find_process(which)?;
        let process = self.process(number)?;
        let thread = process
            .live_threads()
            .find(|thread| thread.number == process.last_selected)
            .or_else(|| process.live_threads().next())
            .ok_or_else(|| DebuggerError::UnknownTarget(which.to_owned()))?
            .number;
        self.select(ThreadId {
            process: number,
            thread,
        })
    }

    /// The number of a process given by name or number; empty: the current one.
    pub(super) fn find_process(&self, which: &str) -> Result<u32> {
        let which = which.trim();
        if which.is_empty() {
            return self
                .current
                .map(|current| current.process)
                .ok_or(DebuggerError::NoProcess);
        }
        let by_number = which
            .parse::<u32>()
            .ok()
            .filter(|number| self.processes.contains_key(number));
        let by_name = || {
            self.processes
                .values()
                .find(|process| process.name == which)
                .map(|process| process.number)
        };
        by_number
            .or_else(by_name)
            .ok_or_else(|| DebuggerError::UnknownTarget(which.to_owned()))
    }

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
        let mut threads = Vec::new();
        let mut who = Vec::new();
        for &id in &ids {
            let (process, thread) = self.thread(id)?;
            threads.push(thread.id);
            who.push(process.who(thread));
        }
        let targets = Some(wire::Targets {
            threads,
            ..Default::default()
        });
        self.link()?.set_held(wire::SetHeldRequest {
            session: 0,
            targets,
            held,
        })?;
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
