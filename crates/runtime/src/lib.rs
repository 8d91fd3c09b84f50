//! The runtime: what runs inside every process of a session.
//!
//! `wayfarer-entrance` brings every system call and clock read here; this crate decides what becomes
//! of it. While recording, a call is made and what the program could see of it is written down
//! (`dispatch::record`); in a replay it is answered from the log and compared with what the log promises
//! (`dispatch::replay`).
//!
//! # House rules
//!
//! 1. `no_std`, no allocation, no panic path (a reachable one is a link error of the library).
//! 2. Async-signal-safe and re-entrant: a record is reserved, filled and committed, and no lock is held
//!    while the program's own code runs.
//! 3. Nothing is process-wide but the session mapping: a vfork child shares our memory. State hangs on
//!    the thread.
//! 4. Never trust a pointer of the program: read through `memory::user`.
//! 5. Never harm the program. On trouble of our own mark the session broken and step aside.
//! 6. The same code follows descriptors and actions in a recording and in its replay, so that they
//!    cannot drift apart.
#![cfg_attr(not(test), no_std)]

mod calls;
mod dispatch;
pub mod hooks;
mod image;
mod kernel;
mod log;
mod memory;
#[cfg(all(test, feature = "model"))]
mod models;
mod parallel;
mod program;
mod serial;
mod session;
mod signals;
mod state;

use crate::state::upcalls::Upcalls;
use wayfarer_entrance::Hooks;

static HOOKS: Hooks = Hooks {
    dispatch: dispatch::dispatch,
    call: dispatch::call,
    foreign_sigsys: signals::force::foreign_sigsys,
    child_started: calls::process::child_started,
    vfork_before: calls::vfork::vfork_before,
    vfork_after: calls::vfork::vfork_after,
    clock_gettime: dispatch::clocks::clock_gettime,
    gettimeofday: dispatch::clocks::gettimeofday,
    time: dispatch::clocks::time,
    getcpu: dispatch::clocks::getcpu,
    clock_getres: dispatch::clocks::clock_getres,
};

static UPCALLS: Upcalls = Upcalls {
    order_event: parallel::events::note_event,
    chunk_begins: program::disarm::consider,
    replay_handler: signals::delivery::replay_nowhere,
    answer_fault: calls::counter::answer,
};

/// Called by the loader with the program's arguments and environment.
///
/// # Safety
/// Only by the loader, before any other constructor.
pub unsafe fn start(_count: i32, arguments: *const *const u8, variables: *const *const u8) {
    // SAFETY: as the caller says.
    unsafe { image::start(&HOOKS, &UPCALLS, arguments, variables.cast_mut().cast()) }
}
