//! `set NAME VALUE` and `show NAME` for what the debugger itself obeys.

use super::Debugger;
use crate::Result;

impl Debugger {
    /// Changes a setting. Front ends try their own first.
    ///
    /// | Name | Values |
    /// | --- | --- |
    /// | `stop` | `all` (default), `process`, `thread`: what a stop stops |
    /// | `scheduler-locking` | `off` (default), `on`, `step` |
    /// | `follow-fork-mode` | `both` (default), `parent`, `child` |
    /// | `step-mode` | `off` (default), `on`: stop in functions without lines |
    /// | `listsize` | number (10) |
    /// | `print elements`, `print repeats`, `print max-depth` | number, `unlimited` |
    /// | `print pretty`, `print address`, `print symbol`, `print union`, `print object`, `print printers` | `on`, `off` |
    /// | `disassembly-flavor` | `att` (default), `intel` |
    /// | `backtrace limit` | number, `unlimited` |
    pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
        self.settings.set(name, value)?;
        self.configure()
    }

    /// The value of a setting.
    pub fn show(&self, name: &str) -> Result<String> {
        self.settings.show(name)
    }

    /// All settings with their values, for `show` and completion.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        self.settings.list()
    }
}
