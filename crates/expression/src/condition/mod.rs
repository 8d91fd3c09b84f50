//! Conditions as programs for the agent: compiled for one address, where the places of variables
//! are known relative to registers.
//!
//! What cannot be said so (calls, values in pieces, containers) gives no program, and the debugger
//! evaluates the condition itself.

mod code;
mod compile;
mod names;
mod operand;
mod storage;

use wayfarer_predicate::Program;
use wayfarer_symbols::unwind::AddressSpace;

use crate::syntax::Expression;

pub use storage::{Storage, storage_of};

/// Compiles a condition for a breakpoint at an address of a process. `None`: the condition must be
/// evaluated by [`crate::evaluate()`].
pub fn compile_condition(
    expression: &Expression,
    space: &dyn AddressSpace,
    pc: u64,
) -> Option<Program> {
    if expression.process.is_some() {
        return None;
    }
    let mut compiler = compile::Compiler {
        names: names::Names::at(space, pc),
        language: expression.language,
        labels: 0,
    };
    compiler.condition(&expression.root)?.assemble()
}
