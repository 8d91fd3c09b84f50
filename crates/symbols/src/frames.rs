//! The frames that a user sees: one for each function in the source, also where the compiler
//! inlined it, with its position and a way to its variables.
//!
//! * `frame`: one frame and its identity,
//! * `described`, `cache`: what a module says about an address, looked up once,
//! * `backtrace`: from the activations of a stack to frames,
//! * `viewpoint`: where variables are, seen from a frame,
//! * `call_site`: what a caller says about the values it passed,
//! * `entry`: what parameters were when their function was entered,
//! * `tail_calls`: functions that jumped to their last call.

mod backtrace;
mod cache;
mod call_site;
mod described;
mod entry;
mod frame;
mod tail_calls;
mod viewpoint;

pub use backtrace::{Backtrace, BacktraceOptions};
pub(crate) use cache::FrameCache;
pub use frame::{Frame, FrameId, FrameKind};
pub use viewpoint::Viewpoint;
