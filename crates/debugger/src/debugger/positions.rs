//! Places in a recorded run, by the names that a person can write down.

use std::fmt;

use wayfarer_backend::Hold;

use super::At;
use crate::view::PositionView;
use crate::{DebuggerError, Result};

/// A place in a recorded run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Before the first instruction of the first program.
    Start,
    /// A thread has made so many events, and nobody else can go on without it.
    Event {
        process: String,
        /// Its number in the process, from 1. If there is no such process, the name may end with that of its thread.
        thread: u32,
        events: u64,
    },
}

impl Place {
    /// What is held back to come there; none for the start.
    pub(super) fn hold(&self) -> Option<Hold> {
        match self {
            Place::Start => None,
            Place::Event {
                process,
                thread,
                events,
            } => Some(Hold {
                process: process.clone(),
                thread: *thread,
                events: *events,
            }),
        }
    }

    pub(super) fn of(hold: &Hold) -> Place {
        Place::Event {
            process: hold.process.clone(),
            thread: hold.thread,
            events: hold.events,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Start => formatter.write_str("start"),
            Place::Event {
                process,
                thread: 1,
                events,
            } => write!(formatter, "{process}@{events}"),
            Place::Event {
                process,
                thread,
                events,
            } => write!(formatter, "{process}.{thread}@{events}"),
        }
    }
}

impl Place {
    /// Reads a place: `start`, `server.2@1204` (a process by its name), `server.2.3@88` (its third thread). Which of them a
    /// name is, the trace knows.
    pub fn parse(text: &str) -> Result<Place> {
        let text = text.trim();
        if text == "start" {
            return Ok(Place::Start);
        }
        let unreadable = || DebuggerError::NoPlace(text.to_owned());
        let (name, events) = text.rsplit_once('@').ok_or_else(unreadable)?;
        let events = events.parse().map_err(|_| unreadable())?;
        Ok(Place::Event {
            process: name.to_owned(),
            thread: 1,
            events,
        })
    }
}

impl At<'_> {
    /// Where the current thread is in the recorded run.
    pub fn position(&mut self) -> Result<PositionView> {
        let id = self.stopped_thread()?;
        self.debugger.fetch_registers(id)?;
        let (process, thread) = self.debugger.thread(id)?;
        let Some(events) = thread.events else {
            return Err(DebuggerError::NotRecorded);
        };
        let who = process.who(thread);
        let place = Place::Event {
            process: who.process.clone(),
            thread: who.thread_number,
            events,
        };
        Ok(PositionView {
            position: place.to_string(),
            who,
            events,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_thread_has_the_name_of_its_process() {
        let place = |thread| Place::Event {
            process: "server.2".to_owned(),
            thread,
            events: 1204,
        };
        assert_eq!(place(1).to_string(), "server.2@1204");
        assert_eq!(place(3).to_string(), "server.2.3@1204");
    }
}
