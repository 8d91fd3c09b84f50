//! Records and replays on one host: launches the debuggees with the runtime inside, waits for them,
//! and turns what they leave into a trace or a verdict.
//!
//! - [`record`]: [`program`] → [`session`] → [`launch`] → wait → seal;
//! - [`replay`]: plan → [`modules`] → session → [`launch`] → course → verdict;
//! - [`probe`]: what this machine offers.
//!
//! Neither needs ptrace: the runtime in each process does the work, and the host reads its session
//! file. ptrace is kept for the debugger; of that crate only starting and reaping are used here, which are the same for
//! everybody on a host.
//!
//! Unsafe code is confined to [`session`] (the shared mapping), [`probe`] (between fork and exec), [`children`],
//! [`inherited`] and one look at file capabilities in [`program`].

pub mod children;
pub mod inherited;
mod judge;
pub mod launch;
pub mod modules;
pub mod probe;
pub mod program;
pub mod raced;
pub mod record;
pub mod replay;
pub mod runtime_library;
pub mod session;
pub mod trace_directory;
