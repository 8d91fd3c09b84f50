//! What debugger and agent say to each other: gRPC messages, the only serialised control types.
//!
//! The schema is `proto/agent.proto`, written for a reader; the code in `generated.rs` is made from it by
//! `WAYFARER_REGENERATE=1 cargo test -p wayfarer-protocol` and checked in, so that building needs no protoc.
//! Inside, both sides speak the plain types of `wayfarer-backend`; they convert at their edge.

#![forbid(unsafe_code)]

mod convenience;
mod convert;
#[allow(missing_docs, clippy::all, clippy::pedantic)]
#[rustfmt::skip]
mod generated;

pub use convert::{Damaged, failure_of, status_of};
pub use generated::*;

/// Raised by every change that an older peer would misunderstand.
pub const PROTOCOL_VERSION: u32 = 2;

/// The largest message either side accepts: a snapshot of many threads is the largest there is.
pub const MAXIMUM_MESSAGE: usize = 256 << 20;
