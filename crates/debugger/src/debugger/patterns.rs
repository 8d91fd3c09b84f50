//! `rbreak`: breakpoints by regular expression.

use std::collections::HashMap;

use super::At;
use crate::breakpoint::{Breakpoint, Does, Target, What};
use crate::view::BreakpointView;
use crate::{DebuggerError, Location, Result};

impl At<'_> {
    /// `rbreak`: one breakpoint for each function whose name matches.
    pub fn add_regex_breakpoints(&mut self, pattern: &str) -> Result<Vec<BreakpointView>> {
        let process = self.own_process()?;
        let (file, pattern) = match pattern.split_once(':') {
            Some((file, rest)) if !rest.starts_with(':') && file.contains('.') => {
                (Some(file), rest.trim())
            }
            _ => (None, pattern),
        };
        let mut names: Vec<String> = Vec::new();
        for mapped in self.debugger.process(process)?.space.modules.clone().iter() {
            let module = &mapped.loaded.module;
            if !mapped.is_program && !module.has_debug_information() {
                continue;
            }
            for function in module
                .functions_matching(pattern)
                .map_err(super::locations::symbol_error)?
            {
                let in_file = file.is_none_or(|file| {
                    function
                        .declared
                        .as_ref()
                        .is_some_and(|declared| declared.file.path.ends_with(file))
                });
                if in_file && function.entry.is_some() && !names.contains(&function.name) {
                    names.push(function.name);
                }
            }
        }
        if names.is_empty() {
            return Err(DebuggerError::Usage(format!(
                "No function matches \"{pattern}\"."
            )));
        }
        let mut views = Vec::new();
        for name in names {
            let number = self.debugger.take_number();
            let target = Target::Spec(Location::Function(name.clone()));
            let what = What::Code {
                target,
                does: Does::Stop,
                known: HashMap::new(),
            };
            self.debugger
                .breakpoints
                .insert(number, Breakpoint::new(number, what, name));
            views.push(self.debugger.place_or_forget(number)?);
        }
        Ok(views)
    }
}
