//! Recording: Syscall User Dispatch is switched off where nothing is left for it to catch.
//!
//! While it is armed, the kernel takes a longer way into every call, patched or not: some 60 ns,
//! half of what recording costs a busy program. So a process that fills its second chunk of log
//! asks the recorder to look at its code. The recorder disassembles every mapped file once (the
//! result is cached by build id; unwind information tells code from tables between functions). If
//! each `syscall` instruction there is a patched one, dispatch goes off. It comes back before a
//! call that maps other code. Code without a file, such as a JIT's, is never trusted. `info` names
//! the processes.
//!
//! A thread can arm only itself. In serial mode each thread does what the process has decided when
//! it gets its turn, before it is back in the program. In parallel mode the others could not be
//! made to do so in time, and dispatch stays on.

use crate::state::{Thread, header};
use wayfarer_calls::Number;
use wayfarer_entrance::dispatch;
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::layout::{MODE_RECORD, dispatch_state, flags};
use wayfarer_runtime_abi::record::note;

const PROT_EXEC: usize = 4;
const MAP_ANONYMOUS: usize = 0x20;
const SHM_EXEC: usize = 0o100_000;

/// Called now and then by a thread that makes many events.
#[cold]
#[inline(never)]
pub fn consider(thread: &mut Thread) {
    let process = thread.process();
    let code = &process.code;
    if code.off.get() || code.loose.get() || !code.patched.get() || !runs_alone(thread) {
        return;
    }
    let state = &process.slot().dispatch;
    match state.load(Ordering::Acquire) {
        dispatch_state::IDLE => {
            process.code.asked_at.set(process.code.additions.get());
            state.store(dispatch_state::ASKED, Ordering::Release);
        }
        dispatch_state::SILENT if code.asked_at.get() == code.additions.get() => {
            process.code.off.set(true);
            follow(thread);
            thread.note(note::DISPATCH_OFF, 0, &[]);
        }
        dispatch_state::SILENT => state.store(dispatch_state::IDLE, Ordering::Release),
        _ => {}
    }
}

/// Whether no other thread of the process is in the program's code before it has taken a turn.
fn runs_alone(thread: &Thread) -> bool {
    let process = thread.process();
    !process.threads.parallel.get()
        && !process.borrowed.get()
        && (!process.threads.serial.get() || thread.serial.holds_token)
}

/// The thread has its turn: arms or disarms dispatch as the process has decided.
#[inline(always)]
pub fn keep_up(thread: &mut Thread) {
    if thread.dispatch_off != thread.process().code.off.get() {
        follow(thread);
    }
}

#[cold]
#[inline(never)]
fn follow(thread: &mut Thread) {
    let off = thread.process().code.off.get();
    thread.dispatch_off = off;
    if off {
        dispatch::disarm();
    } else if header().flags & flags::NO_DISPATCH == 0 && !dispatch::arm() {
        thread.note(note::NO_DISPATCH, 0, &[]);
    }
}

/// Whether a new thread or child of this process goes without dispatch, as its parent does. The kernel has
/// not armed it.
pub fn starts_off(thread: &mut Thread) -> bool {
    thread.dispatch_off = thread.process().code.off.get();
    thread.dispatch_off
}

/// Before this call: does it add code? `arguments` are its own.
#[inline]
pub fn before_call(thread: &mut Thread, number: Number, arguments: &[usize; 6]) {
    let adds = match number {
        Number::MMAP | Number::MPROTECT | Number::PKEY_MPROTECT => arguments[2] & PROT_EXEC != 0,
        Number::SHMAT => arguments[2] & SHM_EXEC != 0,
        _ => false,
    };
    if adds {
        let of_a_file = number == Number::MMAP && arguments[3] & MAP_ANONYMOUS == 0;
        code_added(thread, of_a_file);
    }
}

#[cold]
#[inline(never)]
fn code_added(thread: &mut Thread, of_a_file: bool) {
    let process = thread.process();
    process
        .code
        .additions
        .set(process.code.additions.get().wrapping_add(1));
    process
        .code
        .loose
        .set(process.code.loose.get() | !of_a_file);
    restore(thread);
}

/// Arms dispatch again if it is off: before the process gets other code, or threads that run in parallel.
pub fn restore(thread: &mut Thread) {
    if thread.mode == MODE_RECORD && thread.process().code.off.get() {
        thread.process().code.off.set(false);
        follow(thread);
    }
}

/// Before the process gets one more thread.
pub fn before_thread(thread: &mut Thread) {
    if !thread.process().threads.serial.get() {
        restore(thread);
    }
}
