//! One frame of a backtrace.

use std::sync::Arc;

use crate::line::SourcePosition;
use crate::unwind::LoadedModule;
use crate::{DieId, Language, ModuleAddress, Variable};

/// What kind of frame it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameKind {
    /// A function that was called.
    Normal,
    /// A function that the compiler inlined into the next frame.
    Inlined,
    /// The frame that the kernel made to run a signal handler.
    Signal,
    /// The frame that a debugger made to call a function.
    Called,
}

/// What stays the same while a function runs: two stops are in the same call if and only if their
/// frames have the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FrameId {
    /// The canonical frame address, or the stack pointer where it is unknown.
    pub frame_address: u64,
    /// The process address where the (really called) function begins.
    pub function_start: u64,
    /// How many inlined functions deep; 0 for the function that was called.
    pub inline_depth: u32,
}

impl FrameId {
    /// Whether this frame was called, directly or not, from the other one: it lies deeper.
    pub fn is_inner_to(&self, other: &FrameId) -> bool {
        self.frame_address < other.frame_address
            || (self.frame_address == other.frame_address
                && self.function_start == other.function_start
                && self.inline_depth > other.inline_depth)
    }
}

/// One frame.
#[derive(Clone)]
pub struct Frame {
    /// 0 for the innermost.
    pub level: usize,
    /// Index into the activations of the stack: inlined frames share one.
    pub activation: usize,
    pub kind: FrameKind,
    /// The instruction that will run next in this frame.
    pub pc: u64,
    /// The address to look up in the module: within the call for all but the innermost frame.
    pub lookup_address: ModuleAddress,
    /// The function as gdb names it; `None`: no symbol covers the address.
    pub function: Option<String>,
    /// The scope of the function (kind `Function` or `Inlined`), for its variables; `None`: no
    /// debug information.
    pub scope: Option<DieId>,
    /// The line that runs, or, where a call is under way, the line of the call.
    pub position: Option<SourcePosition>,
    /// Whether the pc is in the middle of its line: gdb shows the address then.
    pub is_inside_line: bool,
    pub language: Language,
    pub module: Option<LoadedModule>,
    pub id: FrameId,
}

impl Frame {
    /// The arguments and locals of this frame's function that are visible at its pc: locals of
    /// inner blocks first, the arguments last. Looked up once per place in the program.
    pub fn variables(&self) -> Arc<[Variable]> {
        let (Some(loaded), Some(scope)) = (&self.module, self.scope) else {
            return Arc::default();
        };
        let module = &loaded.module;
        module
            .frame_cache
            .variables(module, scope, self.lookup_address)
    }

    /// Whether the function has debug information.
    pub fn has_debug_information(&self) -> bool {
        self.scope.is_some()
    }
}
