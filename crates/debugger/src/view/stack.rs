//! Frames, stacks and merged stacks.

use serde::Serialize;

use super::{SourceLineView, VariableView, Who};

/// What kind of frame it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FrameKind {
    Normal,
    /// A call that the compiler expanded into its caller.
    Inlined,
    /// `<signal handler called>`.
    SignalTrampoline,
    /// `<function called from wayfarer>`.
    CalledByDebugger,
}

/// One frame: `#0  0x… in f (a=1) at file.c:12`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FrameView {
    /// 0 is the innermost.
    pub level: u32,
    /// The program counter in this frame (a return address in all but the innermost).
    pub address: u64,
    /// Whether gdb would show the address: the counter is not at the beginning of a line.
    pub in_mid_line: bool,
    pub kind: FrameKind,
    /// None where there is no symbol (`??`).
    pub function: Option<String>,
    pub arguments: Vec<VariableView>,
    /// As the compiler was given it.
    pub file: Option<String>,
    /// With the compilation directory in front.
    pub full_path: Option<String>,
    pub line: Option<u32>,
    pub column: Option<u32>,
    /// Path of the library, shown (`from LIB`) where there is no line; none for the program itself.
    pub module: Option<String>,
    /// Local variables; filled in by `bt full` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locals: Option<Vec<VariableView>>,
}

/// The stack of one thread.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StackView {
    pub who: Who,
    pub frames: Vec<FrameView>,
    /// Why it ends before the program's first frame, when it does.
    pub cut: Option<String>,
    /// Whether more frames exist than were asked for.
    pub more: bool,
}

/// `info frame`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FrameInfoView {
    pub who: Who,
    pub frame: FrameView,
    /// The canonical frame address.
    pub frame_address: u64,
    pub caller_address: Option<u64>,
    /// The frame addresses of the frame that called this one, and of the one that it called.
    pub called_by: Option<u64>,
    pub caller_of: Option<u64>,
    /// The frame it is inlined into, by level.
    pub inlined_into: Option<u32>,
    pub language: Option<String>,
    /// Where the callers' registers were saved.
    pub saved_registers: Vec<SavedRegisterView>,
    pub source_line: Option<SourceLineView>,
}

/// A caller's register and the place in memory where this frame keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SavedRegisterView {
    pub name: String,
    pub address: u64,
}

/// Many stacks merged from the outermost frame inwards.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StackTreeView {
    pub roots: Vec<TreeNodeView>,
    pub threads: u32,
    pub processes: u32,
}

/// A frame that the threads of `set` have in common, and where they go on from there.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TreeNodeView {
    pub function: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    /// How many threads.
    pub threads: u32,
    /// Which, as a set that can be typed: `server.1,worker.*`.
    pub set: String,
    pub children: Vec<TreeNodeView>,
}
