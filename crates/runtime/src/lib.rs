//! The runtime: what runs inside every process of a session.
//!
//! `wayfarer-entrance` brings every system call and clock read here; this crate decides what becomes
//! of it. While recording, a call is made and what the program could see of it is written down
//! ([`calls::record`]); in a replay it is answered from the log and compared with what the log promises
//! ([`calls::replay`]).
//!
//! # House rules
//!
//! 1. `no_std`, no allocation, no panic path (a reachable one is a link error of the library).
//! 2. Async-signal-safe and re-entrant: a record is reserved, filled and committed, and no lock is held
//!    while the program's own code runs.
//! 3. Nothing is process-wide but the session mapping: a vfork child shares our memory. State hangs on
//!    the thread.
//! 4. Never trust a pointer of the program: read through [`memory::user`].
//! 5. Never harm the program. On trouble of our own mark the session broken and step aside.
//! 6. The same code follows descriptors and actions in a recording and in its replay, so that they
//!    cannot drift apart.
#![cfg_attr(not(test), no_std)]

mod calls;
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

use crate::calls::{record, replay};
use crate::state::upcalls::Upcalls;
use crate::state::{Thread, current};
use wayfarer_calls::Number;
use wayfarer_entrance::Hooks;
use wayfarer_entrance::clone::{self, Shape};
use wayfarer_entrance::frame::Frame;
use wayfarer_runtime_abi::layout::{MODE_RECORD, MODE_REPLAY};

static HOOKS: Hooks = Hooks {
    dispatch,
    call,
    foreign_sigsys: signals::force::foreign_sigsys,
    child_started: calls::process::child_started,
    vfork_before: calls::vfork::vfork_before,
    vfork_after: calls::vfork::vfork_after,
    clock_gettime: calls::clock::clock_gettime,
    gettimeofday: calls::clock::gettimeofday,
    time: calls::clock::time,
    getcpu: calls::clock::getcpu,
    clock_getres: calls::clock::clock_getres,
};

static UPCALLS: Upcalls = Upcalls {
    order_event: parallel::events::note_event,
    chunk_begins: program::disarm::consider,
    replay_handler: signals::replay_nowhere,
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

/// Every system call of the program but those by name.
///
/// # Safety
/// Called by the entrance with the live frame of this thread's call.
unsafe extern "C" fn dispatch(frame: *mut Frame) {
    // SAFETY: the entrance passes the live frame.
    unsafe { decide(frame) }
}

/// A system call by name.
///
/// # Safety
/// Called by the entrance with the live frame of this thread's call.
unsafe extern "C" fn call(frame: *mut Frame) -> ! {
    // SAFETY: as above; it is over.
    unsafe {
        decide(frame);
        wayfarer_entrance::call::leave(frame)
    }
}

/// # Safety
/// Called by the entrance with the live frame of this thread's call.
#[inline(always)]
unsafe fn decide(frame: *mut Frame) {
    // SAFETY: the entrance passes the live frame; the thread is this one.
    unsafe {
        let frame = &mut *frame;
        let thread = current();
        if thread.is_null() {
            pass_through(frame);
            return;
        }
        match (*thread).mode {
            MODE_RECORD => record::dispatch(&mut *thread, frame),
            MODE_REPLAY => replay::dispatch(&mut *thread, frame),
            _ => pass_through(frame),
        }
    }
}

/// A call that is none of our business.
fn pass_through(frame: &mut Frame) {
    let (number, arguments) = (frame.number(), frame.arguments());
    // SAFETY: the program's own call; a bad clone_args pointer is the kernel's to judge, and libc's are
    // good.
    unsafe {
        if matches!(number, Number::CLONE | Number::CLONE3) {
            match clone::shape(number, &arguments) {
                Shape::NewStack => {
                    frame.rax = clone::clone_with_stack(frame, number, arguments, 0) as usize;
                    return;
                }
                Shape::Vfork => {
                    frame.retry_as_vfork();
                    return;
                }
                _ => {}
            }
        }
        frame.rax = record::call_kernel(number, &arguments) as usize;
    }
}

/// A call that the vDSO hooks make on the program's behalf.
fn call_without_frame(thread: &mut Thread, number: Number, a: [usize; 6]) -> isize {
    // SAFETY: all fields are plain numbers.
    let mut frame: Frame = unsafe { core::mem::zeroed() };
    frame.rax = number.get();
    frame.rdi = a[0];
    frame.rsi = a[1];
    frame.rdx = a[2];
    frame.r10 = a[3];
    frame.r8 = a[4];
    frame.r9 = a[5];
    match thread.mode {
        MODE_RECORD => record::dispatch(thread, &mut frame),
        MODE_REPLAY => replay::dispatch(thread, &mut frame),
        _ => pass_through(&mut frame),
    }
    frame.rax as isize
}
