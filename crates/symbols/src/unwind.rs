//! From a frame to its caller, down to the thread's first frame.
//!
//! * `table`: the call frame information of one module, found by address and cached,
//! * `rules`: applies one row of that table to a frame's registers,
//! * `heuristics`: what to do where there is no call frame information,
//! * `space`: what the unwinder asks of a process: its memory and its modules,
//! * `stack`: walks frame by frame and says why it stopped.

mod heuristics;
mod rules;
mod space;
mod stack;
mod table;

pub use space::{AddressSpace, LoadedModule, ModuleMap};
pub use stack::{Activation, ActivationKind, EndOfStack, MOST_ACTIVATIONS, Stack};
pub use table::{CallFrameCache, Row};
