//! What follows a stop: displays, the `commands` of breakpoints, news from the background.

use wayfarer_debugger::view::{StopReason, StopView};

use super::{Flow, Interpreter};
use crate::lines::{Lines, ListedLines};
use crate::selection::thread_of;

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
        let current = self.current();
        for stop in stops {
            if Some(thread_of(&stop)) == current {
                self.selection.set_listed(None);
            }
            let has_commands = stop
                .reason
                .breakpoint()
                .and_then(|number| self.debugger.breakpoint(number).ok())
                .is_some_and(|view| !view.commands.is_empty());
            if !has_commands {
                continue;
            }
            self.keeping_selection(|interpreter| {
                if interpreter.select_thread(thread_of(&stop)).is_ok() {
                    interpreter.stops.clear();
                    interpreter.run_commands_of(&[stop]);
                }
            });
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

    /// Takes note of stops that a command caused: the selection follows them; their displays and `commands` come after
    /// the command.
    pub fn note_stops(&mut self, stops: &[StopView]) {
        for stop in stops {
            if let StopReason::Exited { status } = stop.reason {
                self.exit_status = Some(status);
            }
        }
        self.selection.follow(stops, &self.debugger);
        self.stops = stops.to_vec();
    }

    /// Automatic displays, when the thread that we look at stopped.
    pub(super) fn show_displays(&mut self, stops: &[StopView]) {
        let here = stops
            .iter()
            .any(|stop| stop.current && !stop.reason.is_end());
        if here {
            let displays = self.at().displays();
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
