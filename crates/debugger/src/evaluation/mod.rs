//! Expressions over a stopped process: answers what they ask for, keeps what the user's values leave behind.

mod arguments;
mod dollar;
mod handle;
mod memories;
mod printers;
mod returned;
mod scene;
mod style;

pub(crate) use arguments::plan_call;
pub(crate) use dollar::register_value;
pub use handle::ValueHandle;
pub(crate) use handle::{Opened, Standing};
pub(crate) use memories::{Display, Memories};
pub(crate) use returned::returned;
pub(crate) use scene::{Scene, Services};
pub(crate) use style::{PrintStyle, frame_variables};
