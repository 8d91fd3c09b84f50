//! The trace directory: what `record` leaves behind and everything else reads.
//!
//! A trace has a [`Manifest`] (`manifest.json`) and its events in one of two forms: *raw*, the file
//! `session` into which the runtimes wrote, or *sealed*, the compressed and checksummed file
//! `events.wft` that [`seal()`] makes of it. [`Trace`] reads both; `docs/trace-format.md` describes
//! every byte.
//!
//! Nothing in a trace is trusted: every length is held against the size of the file and a fixed
//! limit before memory is asked for, and no input makes this crate panic.
#![forbid(unsafe_code)]

mod bytes;
mod error;
mod facts;
mod format;
pub mod fuzz;
mod history;
mod manifest;
mod packing;
mod payloads;
mod records;
mod seal;
mod sealed;
mod session;
mod solid;
mod source;
mod summary;
pub mod synthetic;
mod tables;
mod text;
mod trace;
pub mod verify;

pub use error::{Damage, OpenError, ReadError, SealError};
pub use history::{History, Run, Side, SyncObject, Wait};
pub use manifest::{ContentsMode, End, Manifest, RecordedEnd, ThreadsMode};
pub use records::{BadLog, Entry, Records};
pub use seal::{SealOptions, SealReport, seal, seal_with};
pub use solid::Solid;
pub use source::{Source, Sparse};
pub use summary::{KindCount, Note, ProcessSummary, Summary, SyncCount, ThreadsChoice, kind_name};
pub use tables::{Counters, Object, Process, Thread};
pub use text::Text;
pub use trace::{Form, Trace};

/// Version of the sealed file and of the manifest. Raised with every change that an older reader
/// would misread; a trace with another number is refused.
pub const FORMAT_VERSION: u32 = 2;

/// Name of the manifest in a trace directory.
pub const MANIFEST_FILE: &str = "manifest.json";
/// Name of the raw form.
pub const SESSION_FILE: &str = "session";
/// Name of the sealed form.
pub const EVENTS_FILE: &str = "events.wft";
/// Name of the rule of an exact replay of a parallel trace.
pub const SOLID_FILE: &str = "solid";
