//! The time-stamp counter of the processor, for programs that are known to act on it.
//!
//! Reading it needs no call, but the kernel can make it fault. That costs the clocks of the vDSO, which read
//! the counter, too: so it is done for programs of Go alone, whose scheduler draws lots from it. The handler
//! answers from the log in a replay.

use crate::state::Thread;
use crate::{clock, user};
use core::arch::x86_64::_rdtsc;
use wayfarer_entrance::modules::{Auxiliary, Module};
use wayfarer_entrance::signal_frame::UContext;
use wayfarer_entrance::{dispatch, raw};

const PRCTL: usize = 157;
const PR_SET_TSC: usize = 26;
const PR_TSC_ENABLE: usize = 1;
const PR_TSC_SIGSEGV: usize = 2;

/// The linker of Go puts a note under this name into every program.
const NOTE_OF_GO: &[u8] = b"Go\0\0";

/// Makes reads of the counter fault in this program and its threads, if it is one of those.
pub fn watch(thread: &mut Thread, auxiliary: &Auxiliary) {
    if Module::program(auxiliary).has_note(NOTE_OF_GO) {
        thread.process().counter_faults = set(PR_TSC_SIGSEGV);
    }
}

/// The setting outlives an exec: the next program, which may be none of ours, must find it as usual.
pub fn before_exec(thread: &Thread) {
    if thread.process().counter_faults {
        set(PR_TSC_ENABLE);
    }
}

/// The exec failed.
pub fn after_exec(thread: &Thread) {
    if thread.process().counter_faults {
        set(PR_TSC_SIGSEGV);
    }
}

fn set(setting: usize) -> bool {
    // SAFETY: says how the counter is read, nothing else.
    unsafe { raw::syscall6(PRCTL, PR_SET_TSC, setting, 0, 0, 0, 0) == 0 }
}

/// Answers a read of the counter that has faulted; `false`: it was something else.
///
/// # Safety
/// The context must be that of a fault of this thread.
pub unsafe fn answer(thread: &mut Thread, context: *mut UContext) -> bool {
    if !thread.process().counter_faults {
        return false;
    }
    // SAFETY: as the caller says.
    let registers = unsafe { &mut (*context).registers };
    // A wild jump faults, too, and then nothing may be there to read.
    let mut code = [0u8; 3];
    if !user::copy_in((&raw mut code).cast(), registers.rip, code.len()) {
        return false;
    }
    let (length, with_processor) = match code {
        [0x0f, 0x31, _] => (2, false),
        [0x0f, 0x01, 0xf9] => (3, true),
        _ => return false,
    };
    let value = if dispatch::is_own_text(registers.rip) {
        read()
    } else {
        clock::counter(thread, read)
    };
    registers.rax = value as usize & 0xffff_ffff;
    registers.rdx = (value >> 32) as usize;
    if with_processor {
        // Its number would be another input; 0 is as good as any.
        registers.rcx = 0;
    }
    registers.rip = registers.rip.wrapping_add(length);
    true
}

fn read() -> u64 {
    set(PR_TSC_ENABLE);
    // SAFETY: every x86-64 processor has it, and it does not fault for now.
    let value = unsafe { _rdtsc() };
    set(PR_TSC_SIGSEGV);
    value
}
