//! Automatic displays: expressions whose values are shown at each stop.

use super::{At, Debugger};
use crate::evaluation::Display;
use crate::view::DisplayView;
use crate::{DebuggerError, Result};

impl At<'_> {
    /// Adds an automatic display; its value here and now, when it has one.
    pub fn add_display(&mut self, expression: &str, format: Option<&str>) -> Result<DisplayView> {
        self.check_expression(expression)?;
        self.debugger
            .format(format.map(|format| format.trim_end_matches(['i', 's'])))?;
        let display = Display {
            number: self.debugger.memories.next_display,
            expression: expression.trim().to_owned(),
            format: format.map(str::to_owned),
            enabled: true,
        };
        self.debugger.memories.next_display += 1;
        self.debugger.memories.displays.push(display.clone());
        Ok(self.display_view(&display))
    }

    fn display_view(&mut self, display: &Display) -> DisplayView {
        let value = match display.enabled {
            true => self
                .evaluate(&display.expression, display.format.as_deref())
                .ok()
                .map(|view| view.text),
            false => None,
        };
        let expression = match &display.format {
            Some(format) => format!("/{format} {}", display.expression),
            None => display.expression.clone(),
        };
        DisplayView {
            number: display.number,
            expression,
            enabled: display.enabled,
            value,
        }
    }

    /// All displays, evaluated in the frame; those that can't be are left without value.
    pub fn displays(&mut self) -> Vec<DisplayView> {
        let all = self.debugger.memories.displays.clone();
        all.iter()
            .map(|display| self.display_view(display))
            .collect()
    }
}

impl Debugger {
    /// Takes a display away (`None`: all).
    pub fn remove_display(&mut self, number: Option<u32>) -> Result<()> {
        let before = self.memories.displays.len();
        self.memories
            .displays
            .retain(|display| number.is_some_and(|number| display.number != number));
        match number {
            Some(number) if self.memories.displays.len() == before => {
                Err(DebuggerError::NoSuchDisplay(number))
            }
            _ => Ok(()),
        }
    }

    /// Switches a display on or off.
    pub fn enable_display(&mut self, number: u32, enabled: bool) -> Result<()> {
        let display = self
            .memories
            .displays
            .iter_mut()
            .find(|display| display.number == number);
        display.ok_or(DebuggerError::NoSuchDisplay(number))?.enabled = enabled;
        Ok(())
    }
}
