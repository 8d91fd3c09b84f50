//! `handle` and `info signals`.

use wayfarer_backend::StopReason;
use wayfarer_expression::Value;

use super::Debugger;
use crate::view::SignalView;
use crate::{HandleAction, Result};

impl Debugger {
    /// `$_siginfo`: what the kernel says of the signal that stopped a thread.
    pub(super) fn signal_information(&self, id: crate::ThreadId) -> Option<Value> {
        let (process, thread) = self.thread(id).ok()?;
        if !process.is_alive() {
            return None;
        }
        let Some(StopReason::Signal(signal)) = &thread.reason else {
            return None;
        };
        let type_ref = wayfarer_expression::signal_information();
        Some(Value::computed(type_ref, signal.details.clone()))
    }

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

    /// Tells all back ends the table, catchpoints included.
    pub(super) fn tell_signals(&self) -> Result<()> {
        let dispositions = self.signals.dispositions(&self.caught_signals());
        for backend in self.backends.all() {
            backend.set_signals(dispositions.clone())?;
        }
        Ok(())
    }
}
