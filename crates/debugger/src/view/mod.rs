//! Plain facts for front ends: what they print, what `--json` shows. Only the handles of values, which JSON leaves out,
//! lead back to the debugger.
//!
//! The names of the fields are the keys of the JSON; they are part of the outward contract.

mod breakpoint;
mod code;
mod process;
mod stack;
mod stop;
mod value;

pub use breakpoint::{BreakpointKind, BreakpointView, PlaceView, SignalView};
pub use code::{
    DisassemblyView, InstructionView, LibraryView, LineInfoView, RegisterView, SourceFileView,
    SourceLineView, SourceView, SymbolInfoView, SymbolView,
};
pub use process::{Origin, PositionView, ProcessState, ProcessView, ThreadState, ThreadView, Who};
pub use stack::{
    FrameInfoView, FrameKind, FrameView, SavedRegisterView, StackTreeView, StackView, TreeNodeView,
};
pub use stop::{BarrierView, StopReason, StopView};
pub use value::{
    ChildView, DisplayView, EntryValue, ExamineLineView, NodeView, ValueKind, ValueView,
    VariableView,
};
