//! Reads of the time-stamp counter and of the processor's random numbers, which fault: the handler answers, from the
//! log in a replay.
//!
//! They need no call. Where one is found in the code, it is made to fault (`counter_sites.rs`). The kernel can make
//! all reads of the counter fault. That costs the clocks of the vDSO, which read the counter, too: so it is done
//! for programs of Go alone, which have no unwind information of the usual kind to find reads by.

use crate::calls::clock;
use crate::memory::user;
use crate::program::counter_sites::HALT;
use crate::state::Thread;
use core::arch::x86_64::_rdtsc;
use wayfarer_calls::Number;
use wayfarer_entrance::arguments::Address;
use wayfarer_entrance::modules::{Auxiliary, Module};
use wayfarer_entrance::signal_frame::UContext;
use wayfarer_entrance::{dispatch, raw};

const PR_SET_TSC: usize = 26;
const PR_TSC_ENABLE: usize = 1;
const PR_TSC_SIGSEGV: usize = 2;

/// The linker of Go puts a note under this name into every program.
const NOTE_OF_GO: &[u8] = b"Go\0\0";

/// Makes reads of the counter fault in this program and its threads, if it is one of those.
pub fn watch(thread: &mut Thread, auxiliary: &Auxiliary) {
    if Module::program(auxiliary.program_headers, auxiliary.program_header_count)
        .has_note(NOTE_OF_GO)
    {
        thread.process().counter_faults.set(set(PR_TSC_SIGSEGV));
    }
}

/// The setting outlives an exec: the next program, which may be none of ours, must find it as usual.
pub fn before_exec(thread: &Thread) {
    if thread.process().counter_faults.get() {
        set(PR_TSC_ENABLE);
    }
}

/// The exec failed.
pub fn after_exec(thread: &Thread) {
    if thread.process().counter_faults.get() {
        set(PR_TSC_SIGSEGV);
    }
}

fn set(setting: usize) -> bool {
    // SAFETY: says how the counter is read, nothing else.
    unsafe { raw::syscall6(Number::PRCTL, PR_SET_TSC, setting, 0, 0, 0, 0) == 0 }
}

/// What a read brings, and into which registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Read {
    /// The counter; perhaps with the number of the processor.
    Counter { with_processor: bool },
    /// A random number of so many bytes.
    Random { register: u8, bytes: u8 },
}

/// No read is longer.
const LONGEST: usize = 6;

impl Read {
    /// The read at the start of `code` and its length. It has been made to fault, or faults as it is because we
    /// asked the kernel for that; where the program did, it is none of ours.
    fn of(code: &[u8], counter_faults: bool) -> Option<(Read, usize)> {
        let faults = |first: u8| first == HALT || counter_faults && first == 0x0f;
        let is_short = code.first() == Some(&0x66);
        let position = usize::from(is_short);
        let extension = code.get(position).filter(|byte| **byte & 0xf0 == 0x40);
        let position = position + usize::from(extension.is_some());
        let extension = extension.copied().unwrap_or(0);
        match code.get(position..)? {
            [first, 0x31, ..] if faults(*first) => Some((
                Read::Counter {
                    with_processor: false,
                },
                position + 2,
            )),
            [first, 0x01, 0xf9, ..] if faults(*first) => Some((
                Read::Counter {
                    with_processor: true,
                },
                position + 3,
            )),
            [HALT, 0xc7, operand @ 0xf0..=0xff, ..] => {
                let bytes = match (extension & 8, is_short) {
                    (0, false) => 4,
                    (0, true) => 2,
                    _ => 8,
                };
                let register = operand & 7 | (extension & 1) << 3;
                Some((Read::Random { register, bytes }, position + 3))
            }
            _ => None,
        }
    }
}

/// Answers a read that has faulted; `false`: it was something else.
///
/// # Safety
/// The context must be that of a fault of this thread.
pub unsafe fn answer(thread: &mut Thread, context: *mut UContext) -> bool {
    // SAFETY: as the caller says.
    let registers = unsafe { &mut (*context).registers };
    let mut code = [0u8; LONGEST];
    // A wild jump faults, too, and then nothing may be there to read.
    if !user::fill(&mut code, Address::new(registers.rip)) {
        return false;
    }
    let counter_faults = thread.process().counter_faults.get();
    let Some((read, length)) = Read::of(&code, counter_faults) else {
        return false;
    };
    let real = match read {
        Read::Random { .. } => random,
        Read::Counter { .. } if counter_faults => count_despite_faults,
        Read::Counter { .. } => count,
    };
    let value = if dispatch::is_own_text(registers.rip) {
        real()
    } else {
        clock::counter(thread, real)
    };
    match read {
        Read::Counter { with_processor } => {
            registers.rax = value as usize & 0xffff_ffff;
            registers.rdx = (value >> 32) as usize;
            if with_processor {
                // Its number would be another input; 0 is as good as any.
                registers.rcx = 0;
            }
        }
        Read::Random { register, bytes } => {
            const CARRY: usize = 1;
            /// Overflow, sign, zero, adjust, parity.
            const OTHERS: usize = 1 << 11 | 1 << 7 | 1 << 6 | 1 << 4 | 1 << 2;
            registers.flags = registers.flags & !OTHERS | CARRY;
            let register = registers.numbered(register);
            *register = match bytes {
                2 => *register & !0xffff | value as usize & 0xffff,
                4 => value as usize & 0xffff_ffff,
                _ => value as usize,
            };
        }
    }
    registers.rip = registers.rip.wrapping_add(length);
    true
}

fn count() -> u64 {
    // SAFETY: every x86-64 processor has it.
    unsafe { _rdtsc() }
}

fn count_despite_faults() -> u64 {
    set(PR_TSC_ENABLE);
    let value = count();
    set(PR_TSC_SIGSEGV);
    value
}

/// Eight random bytes, from the kernel: as good as the processor's, which is where they come from.
fn random() -> u64 {
    let mut value = 0u64;
    // SAFETY: eight bytes of this stack.
    unsafe {
        raw::syscall6(Number::GETRANDOM, (&raw mut value) as usize, 8, 0, 0, 0, 0);
        (&raw const value).read_volatile()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_are_told_apart() {
        let random = |register, bytes| Read::Random { register, bytes };
        let counter = |with_processor| Read::Counter { with_processor };
        let cases: [(&[u8], _); 8] = [
            (&[HALT, 0x31, 0x90], Some((counter(false), 2))),
            (&[0x0f, 0x31, 0x90], Some((counter(false), 2))),
            (&[HALT, 0x01, 0xf9], Some((counter(true), 3))),
            (&[HALT, 0xc7, 0xf2], Some((random(2, 4), 3))),
            (&[0x66, HALT, 0xc7, 0xf8], Some((random(0, 2), 4))),
            (&[0x49, HALT, 0xc7, 0xf4], Some((random(12, 8), 4))),
            (&[HALT, 0x90, 0x90], None),
            (&[0x49, HALT, 0xc7], None),
        ];
        for (code, expected) in cases {
            assert_eq!(Read::of(code, true), expected, "{code:x?}");
        }
        assert_eq!(Read::of(&[0x0f, 0x31, 0x90], false), None);
        assert!(Read::of(&[HALT, 0x31, 0x90], false).is_some());
    }
}
