//! Places in a recorded run, by the names that a person can write down.

use super::At;
use crate::view::{PositionView, Who};
use crate::{DebuggerError, Result};

impl At<'_> {
    /// Where the current thread is in the recorded run.
    pub fn position(&mut self) -> Result<PositionView> {
        let id = self.stopped_thread()?;
        self.debugger.fetch_registers(id)?;
        let (process, thread) = self.debugger.thread(id)?;
        let Some(events) = thread.events else {
            return Err(DebuggerError::Usage(
                "Only a recorded run has positions: wayfarer record, then wayfarer replay."
                    .to_owned(),
            ));
        };
        let who = process.who(thread);
        let position = name_of(&who, events);
        Ok(PositionView {
            position,
            who,
            events,
        })
    }
}

/// `server.2@1204`, or `server.2.3@88` for its third thread.
fn name_of(who: &Who, events: u64) -> String {
    match who.thread_number {
        1 => format!("{}@{events}", who.process),
        thread => format!("{}.{thread}@{events}", who.process),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_thread_has_the_name_of_its_process() {
        let mut who = Who {
            process: "server.2".to_owned(),
            process_number: 4,
            thread_number: 1,
            pid: 100,
            tid: 100,
            thread_name: "server".to_owned(),
        };
        assert_eq!(name_of(&who, 1204), "server.2@1204");
        who.thread_number = 3;
        assert_eq!(name_of(&who, 88), "server.2.3@88");
    }
}
