//! What the prompt looks at: a thread, a frame of it, and the lines of source shown last.
//!
//! The debugger has no selection of its own; each request that the prompt makes names the frame that is selected
//! here. Only the user and the stops that a command waits for change it: a stop of the background never does.

use std::collections::BTreeMap;

use wayfarer_debugger::view::StopView;
use wayfarer_debugger::{Debugger, Listed, StackFrame, ThreadId};

/// The selection of one prompt.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    thread: Option<ThreadId>,
    /// The level selected in each thread, and the count of its runs then: it holds until the thread runs.
    levels: BTreeMap<ThreadId, (u64, u32)>,
    listed: Option<Listed>,
}

impl Selection {
    /// The selected frame. Who has gone is replaced by another thread of its process, and a process that is not even
    /// remembered by one that lives; a process that has ended stays selected, for questions about its code.
    pub fn frame(&mut self, debugger: &Debugger) -> Option<StackFrame> {
        let own = self.thread.map_or(0, |thread| thread.process);
        let stays = self.thread.filter(|&thread| {
            debugger.runs(thread).is_some()
                || (!debugger.is_alive(thread.process) && debugger.who(thread).is_ok())
        });
        self.thread = stays.or_else(|| debugger.stand_in(own));
        Some(self.frame_of(self.thread?, debugger))
    }

    /// The frame that is selected in a thread while it is.
    pub fn frame_of(&self, thread: ThreadId, debugger: &Debugger) -> StackFrame {
        let runs = debugger.runs(thread);
        let level = self.levels.get(&thread);
        let level = level.filter(|(then, _)| Some(*then) == runs);
        StackFrame {
            thread,
            level: level.map_or(0, |(_, level)| *level),
        }
    }

    pub fn select_thread(&mut self, thread: ThreadId) {
        self.thread = Some(thread);
    }

    pub fn select_frame(&mut self, frame: StackFrame, debugger: &Debugger) {
        self.thread = Some(frame.thread);
        if let Some(runs) = debugger.runs(frame.thread) {
            self.levels.insert(frame.thread, (runs, frame.level));
        }
        self.listed = None;
    }

    /// Goes where a command has ended; if that is the end of the selected process, to one that lives.
    pub fn follow(&mut self, stops: &[StopView], debugger: &Debugger) {
        let ends = |stop: &&StopView| stop.current && !stop.reason.is_end();
        if let Some(stop) = stops.iter().find(ends) {
            let thread = thread_of(stop);
            self.thread = Some(thread);
            self.levels.remove(&thread);
            self.listed = None;
        }
        if let Some(thread) = self.thread
            && !debugger.is_alive(thread.process)
            && let Some(other) = debugger.stand_in(thread.process)
        {
            self.thread = Some(other);
        }
    }

    /// What `list` showed last.
    pub fn listed(&self) -> Option<&Listed> {
        self.listed.as_ref()
    }

    pub fn set_listed(&mut self, listed: Option<Listed>) {
        self.listed = listed;
    }
}

/// The thread of a stop.
pub fn thread_of(stop: &StopView) -> ThreadId {
    ThreadId {
        process: stop.who.process_number,
        thread: stop.who.thread_number,
    }
}
