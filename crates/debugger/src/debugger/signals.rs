//! `handle` and `info signals`.

use wayfarer_protocol as wire;

use super::Debugger;
use crate::view::SignalView;
use crate::{HandleAction, Result};

impl Debugger {
    /// `handle SIGNAL… ACTION…`. Signals: names, numbers, ranges `1-15`, `all`. Returns the changed ones.
    pub fn handle_signals(
        &mut self,
        signals: &[&str],
        actions: &[HandleAction],
    ) -> Result<Vec<SignalView>> {
        let changed = self.signals.handle(signals, actions)?;
        self.tell_signals()?;
        Ok(changed)
    }

    /// `info signals`.
    pub fn signals(&self) -> Vec<SignalView> {
        self.signals.list()
    }

    /// Tells the agent the table, catchpoints included.
    pub(super) fn tell_signals(&self) -> Result<()> {
        if let Some(link) = &self.link {
            let signals = self.signals.wire(&self.caught_signals());
            link.set_signals(wire::SetSignalsRequest {
                session: 0,
                signals,
            })?;
        }
        Ok(())
    }
}
