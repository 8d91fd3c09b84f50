//! What follows a stop: displays, the `commands` of breakpoints, news from the background.

use wayfarer_debugger::ThreadId;
use wayfarer_debugger::view::{StopReason, StopView};

use super::{Flow, Interpreter};
use crate::lines::{Lines, ListedLines};

impl Interpreter {
    /// Handles what happened while no line was typed; stops were shown as they came, their `commands` run now, each in the
    /// thread that stopped, and the selection stays.
    pub fn background(&mut self) {
        if self.output.is_closed() {
            return;
        }
        self.update_style();
        let stops = self.debugger.pump().unwrap_or_else(|error| {
            self.output.error("", &error.into());
            Vec::new()
        });
        for stop in stops {
            let has_commands = stop
                .reason
                .breakpoint()
                .and_then(|number| self.debugger.breakpoint(number).ok())
                .is_some_and(|view| !view.commands.is_empty());
            if !has_commands {
                continue;
            }
            let before = self.debugger.current();
            let id = ThreadId {
                process: stop.who.process_number,
                thread: stop.who.thread_number,
            };
            if self.debugger.select(id).is_ok() {
                self.stops.clear();
                self.run_commands_of(&[stop]);
            }
            if let Some(before) = before {
                // It may be gone; the debugger has then chosen another.
                let _ = self.debugger.select(before);
            }
        }
    }

    /// Ctrl-C at the prompt: halts what runs in the background.
    pub fn interrupted(&mut self) -> Flow {
        if self.debugger.is_running() {
            self.top("halt", false, &mut crate::lines::NoLines)
        } else {
            self.output.note("Quit\n");
            Flow::Good
        }
    }

    /// Takes note of stops that a command caused; their displays and `commands` come after it.
    pub fn note_stops(&mut self, stops: &[StopView]) {
        for stop in stops {
            if let StopReason::Exited { status } = stop.reason {
                self.exit_status = Some(status);
            }
        }
        self.stops = stops.to_vec();
    }

    /// Automatic displays, when the thread that we look at stopped.
    pub(super) fn show_displays(&mut self, stops: &[StopView]) {
        let here = stops
            .iter()
            .any(|stop| stop.current && !stop.reason.is_end());
        if here {
            let displays = self.debugger.displays();
            let displays = crate::verbs::display::with_memory(self, displays);
            if !displays.is_empty() {
                let text = crate::verbs::display::shown(&displays);
                self.output.displays(&displays, &text);
            }
        }
    }

    /// The `commands` of the breakpoints that were hit; a command that runs on drops the rest.
    pub(super) fn run_commands_of(&mut self, stops: &[StopView]) -> Flow {
        for number in stops.iter().filter_map(|stop| stop.reason.breakpoint()) {
            let commands = match self.debugger.breakpoint(number) {
                Ok(view) => view.commands,
                Err(_) => self.last_words.remove(&number).unwrap_or_default(),
            };
            let mut source = ListedLines::new(commands);
            while let Some(line) = source.next_line("") {
                if line.trim() == "silent" {
                    continue;
                }
                match self.shown(&line, false, &mut source) {
                    Flow::Good => {}
                    other => return other,
                }
                if !self.stops.is_empty() || self.debugger.is_running() {
                    return Flow::Good;
                }
            }
        }
        Flow::Good
    }
}
