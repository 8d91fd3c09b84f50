//! Requests that are about one frame: each names it, and no frame is selected in the debugger.

use std::sync::Arc;

use wayfarer_symbols::frames::Backtrace;

use super::{Debugger, ending};
use crate::session::Process;
use crate::view::{FrameView, Who};
use crate::{DebuggerError, Listed, Result, StackFrame, ThreadId};

/// The debugger, asked about one frame: made by [`Debugger::at`] for each request.
///
/// It is in this frame that names mean something, that steps begin, and from this process that a location without a
/// process is searched. Without a frame there are globals and constants only. A frame whose thread runs or is gone is
/// no error by itself: what needs it says so.
pub struct At<'d> {
    pub(super) debugger: &'d mut Debugger,
    pub(super) frame: Option<StackFrame>,
    pub(super) listed: Option<Listed>,
}

impl Debugger {
    /// A request about a frame, or about none.
    pub fn at(&mut self, frame: impl Into<Option<StackFrame>>) -> At<'_> {
        At {
            debugger: self,
            frame: frame.into(),
            listed: None,
        }
    }

    /// A request about a thread's innermost frame.
    pub(super) fn at_thread(&mut self, id: ThreadId) -> At<'_> {
        self.at(StackFrame::innermost(id))
    }

    /// How often the threads' frames have gone stale: a front end that remembers a frame of this thread forgets it
    /// when the number has changed. None: there is no such thread, or no more.
    pub fn runs(&self, thread: ThreadId) -> Option<u64> {
        let (process, thread) = self.thread(thread).ok()?;
        (process.is_alive() && !thread.exited).then_some(thread.runs)
    }

    /// A thread that lives, for who was looking at one that does not: of the same process if that lives, of the first
    /// that does otherwise.
    pub fn stand_in(&self, process: u32) -> Option<ThreadId> {
        let own = self.processes.get(&process).filter(|own| own.is_alive());
        let first = || self.processes.values().find(|process| process.is_alive());
        let process = own.or_else(first)?;
        let thread = process.live_threads().next()?.number;
        Some(ThreadId {
            process: process.number,
            thread,
        })
    }

    /// Whether this process is part of the session and has not ended.
    pub fn is_alive(&self, process: u32) -> bool {
        self.processes.get(&process).is_some_and(Process::is_alive)
    }
}

impl At<'_> {
    /// The same, with the lines of source that the front end showed last: bare line numbers are of that file, and
    /// `list` goes on from there.
    pub fn listed(mut self, listed: Option<Listed>) -> Self {
        self.listed = listed;
        self
    }

    pub(super) fn own_thread(&self) -> Result<ThreadId> {
        let frame = self.frame.ok_or(DebuggerError::NoProcess)?;
        Ok(frame.thread)
    }

    pub(super) fn own_process(&self) -> Result<u32> {
        Ok(self.own_thread()?.process)
    }

    /// The level, 0 where there is no frame.
    pub(super) fn level(&self) -> usize {
        self.frame.map_or(0, |frame| frame.level as usize)
    }

    /// The thread, which must be alive and stand still.
    pub(super) fn stopped_thread(&self) -> Result<ThreadId> {
        let id = self.own_thread()?;
        let (process, thread) = self.debugger.thread(id)?;
        if let Some(end) = &process.end {
            let others = self.debugger.processes.values().any(Process::is_alive);
            return Err(match others {
                true => DebuggerError::Gone(process.name.clone(), ending::describe(end)),
                false => DebuggerError::NoProcess,
            });
        }
        if thread.exited {
            return Err(DebuggerError::Gone(
                format!("{}.{}", process.name, thread.number),
                "its thread has ended".to_owned(),
            ));
        }
        if thread.running {
            return Err(DebuggerError::Running(process.name.clone()));
        }
        Ok(id)
    }

    /// The thread, its frames, and the index of the frame among all of them.
    pub(super) fn walked(&mut self) -> Result<(ThreadId, Arc<Backtrace>, usize)> {
        let id = self.stopped_thread()?;
        let (backtrace, index) = self.debugger.visible(id, self.level())?;
        Ok((id, backtrace, index))
    }

    /// Looks at the frame: who its thread is, and the frame itself, none while the thread runs.
    ///
    /// A front end does this when its user goes there. `NAME:EXPRESSION` without a thread means the frame of that
    /// process that was looked at last.
    pub fn look(&mut self) -> Result<(Who, Option<FrameView>)> {
        let id = self.own_thread()?;
        let level = self.level();
        let (process, thread) = self.debugger.thread(id)?;
        if thread.exited || !process.is_alive() {
            return Err(DebuggerError::UnknownTarget(id.to_string()));
        }
        let (who, running) = (process.who(thread), thread.running);
        let frame = match running {
            true => None,
            false => self.debugger.frame_view_of(id, level, false).ok(),
        };
        if let Some(process) = self.debugger.processes.get_mut(&id.process) {
            process.last_looked_at = id.thread;
        }
        if let Some(thread) = self.debugger.thread_mut(id) {
            thread.frame_looked_at = level;
        }
        Ok((who, frame))
    }

    /// The thread that is meant by `2` (of the own process), `2.1`, `worker.2`.
    pub fn find_thread(&mut self, which: &str) -> Result<ThreadId> {
        let which = which.trim();
        let unknown = || DebuggerError::UnknownTarget(which.to_owned());
        if let Ok(thread) = which.parse::<u32>() {
            let process = self.own_process()?;
            return Ok(ThreadId { process, thread });
        }
        let set = crate::Set::parse(which)?;
        let found = self.debugger.resolve(&set).map_err(|_| unknown())?;
        found.first().copied().ok_or_else(unknown)
    }

    /// The thread of a process (name or number; empty: the own one) that was looked at last.
    pub fn thread_of_process(&mut self, which: &str) -> Result<ThreadId> {
        let number = self.find_process(which)?;
        let process = self.debugger.process(number)?;
        let thread = process
            .live_threads()
            .find(|thread| thread.number == process.last_looked_at)
            .or_else(|| process.live_threads().next())
            .ok_or_else(|| DebuggerError::UnknownTarget(which.to_owned()))?
            .number;
        Ok(ThreadId {
            process: number,
            thread,
        })
    }
}
