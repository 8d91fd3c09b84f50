//! Deaths that are met before they are told: a request fails because its process is gone.

use std::time::Duration;

use wayfarer_backend::{self as backend, EventKind};

use super::Debugger;
use crate::agent::News;
use crate::view::StopView;
use crate::{DebuggerError, Result};

/// How long the report of a death may lag behind the first failure that it causes.
const DEATH_PATIENCE: Duration = Duration::from_secs(2);

fn is_death(event: &backend::Event) -> bool {
    matches!(event.kind, EventKind::ProcessExited(_))
}

impl Debugger {
    /// If somebody is known to be gone, the report of that is waited for.
    pub(super) fn await_death(&mut self) {
        while self.death_expected {
            match self.news.recv_timeout(DEATH_PATIENCE) {
                Ok(news) => {
                    self.death_expected =
                        !matches!(&news, News::Event(_, event) if is_death(event));
                    // Trouble with the agent is met again by whatever comes next.
                    if self.take_news(news).is_err() {
                        self.death_expected = false;
                    }
                }
                Err(_) => self.death_expected = false,
            }
        }
    }

    /// What failed because its process died in that moment is told as that death.
    pub(super) fn death_instead(&mut self, error: DebuggerError) -> Result<Vec<StopView>> {
        let untouched = matches!(
            error,
            DebuggerError::NoProcess
                | DebuggerError::Usage(_)
                | DebuggerError::Expression(_)
                | DebuggerError::FinishOutermost
                | DebuggerError::UnknownFunction { .. }
                | DebuggerError::UnknownFile { .. }
                | DebuggerError::NoCodeAtLine { .. }
                | DebuggerError::UnknownSignal(_)
                | DebuggerError::LocationSyntax(..)
                | DebuggerError::EmptySet(_)
                | DebuggerError::Running(_)
                | DebuggerError::UnknownTarget(_)
        );
        let process = self.followed.map(|followed| followed.process);
        let ended = |debugger: &Debugger| {
            process.is_some_and(|number| {
                let process = debugger.process(number);
                process.is_ok_and(|process| !process.is_alive())
            })
        };
        let lived = !ended(self);
        while lived && !untouched && !ended(self) {
            match self.news.recv_timeout(DEATH_PATIENCE) {
                Ok(news) => self.take_news(news)?,
                Err(_) => return Err(error),
            }
        }
        if lived && ended(self) {
            return Ok(std::mem::take(&mut self.reported));
        }
        Err(error)
    }
}
