//! Conditions of breakpoints, compiled so that the agent can decide them by itself.

use wayfarer_expression::{compile_condition, language_of, parse};
use wayfarer_symbols::unwind::AddressSpace;

use super::Debugger;

impl Debugger {
    /// The bytecode of a condition at an address of a process; none where only we can decide it.
    pub(super) fn compile_condition(
        &self,
        process: u32,
        address: u64,
        condition: &str,
    ) -> Option<Vec<u8>> {
        let space = self.process(process).ok()?.space.clone();
        let loaded = space.module_at(address)?;
        let function = loaded
            .module
            .function_at(loaded.address(address))
            .ok()
            .flatten();
        let language = function.map_or(wayfarer_expression::Language::C, |function| {
            language_of(function.language)
        });
        let expression = parse(condition, language).ok()?;
        Some(compile_condition(&expression, &space, address)?.to_bytes())
    }
}
