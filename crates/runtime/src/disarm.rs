//! Recording: Syscall User Dispatch is switched off where nothing is left for it to catch.
//!
//! While it is armed, the kernel takes a longer way into every call, patched or not. So a busy process with one
//! thread asks the host to look at its code. If each `syscall` instruction there is a patched one, dispatch
//! goes off, and comes back before there can be others: with new code, and with a second thread, because
//! a thread can arm itself only.

use crate::state::{Process, Thread, header};
use core::sync::atomic::Ordering;
use wayfarer_entrance::dispatch;
use wayfarer_runtime_abi::layout::{MODE_RECORD, dispatch_state, flags};
use wayfarer_runtime_abi::record::note;

const MMAP: usize = 9;
const MPROTECT: usize = 10;
const SHMAT: usize = 30;
const PKEY_MPROTECT: usize = 329;
const PROT_EXEC: usize = 4;
const MAP_ANONYMOUS: usize = 0x20;
const SHM_EXEC: usize = 0o100_000;

/// What a process knows about its code and about dispatch.
#[repr(C)]
#[derive(Default)]
pub struct Code {
    /// Every site that the host found in libc and the loader was patched.
    pub patched: bool,
    /// Dispatch is off.
    off: bool,
    /// There is code that no file has, and that nobody can judge.
    loose: bool,
    /// How often code was added, and how often when the host was asked.
    additions: u32,
    asked_at: u32,
}

/// Called now and then by a thread that makes many events.
#[cold]
#[inline(never)]
pub fn consider(thread: &mut Thread) {
    let process = thread.process();
    let code = &process.code;
    if code.off || code.loose || !code.patched || !is_alone(process) {
        return;
    }
    // SAFETY: the slot is part of the session mapping.
    let state = unsafe { &(*process.slot).dispatch };
    match state.load(Ordering::Acquire) {
        dispatch_state::IDLE => {
            process.code.asked_at = process.code.additions;
            state.store(dispatch_state::ASKED, Ordering::Release);
        }
        dispatch_state::SILENT if code.asked_at == code.additions => {
            process.code.off = true;
            dispatch::disarm();
            thread.note(note::DISPATCH_OFF, 0, &[]);
        }
        dispatch_state::SILENT => state.store(dispatch_state::IDLE, Ordering::Release),
        _ => {}
    }
}

fn is_alone(process: &Process) -> bool {
    !process.serial && !process.parallel && !process.borrowed
}

/// Whether a new thread or child of this process goes without dispatch, as its parent does.
pub fn is_off(process: &Process) -> bool {
    process.code.off
}

/// Before this call: does it add code? `arguments` are its own.
#[inline]
pub fn before_call(thread: &mut Thread, number: usize, arguments: &[usize; 6]) {
    let adds = match number {
        MMAP | MPROTECT | PKEY_MPROTECT => arguments[2] & PROT_EXEC != 0,
        SHMAT => arguments[2] & SHM_EXEC != 0,
        _ => false,
    };
    if adds {
        let of_a_file = number == MMAP && arguments[3] & MAP_ANONYMOUS == 0;
        code_added(thread, of_a_file);
    }
}

#[cold]
#[inline(never)]
fn code_added(thread: &mut Thread, of_a_file: bool) {
    let process = thread.process();
    process.code.additions = process.code.additions.wrapping_add(1);
    process.code.loose |= !of_a_file;
    restore(thread);
}

/// Arms dispatch again if it is off: before the process gets a second thread, or other code.
pub fn restore(thread: &mut Thread) {
    let process = thread.process();
    if thread.mode != MODE_RECORD || !process.code.off {
        return;
    }
    process.code.off = false;
    if header().flags & flags::NO_DISPATCH == 0 && !dispatch::arm() {
        thread.note(note::NO_DISPATCH, 0, &[]);
    }
}
