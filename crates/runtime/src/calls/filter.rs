//! Seccomp filters of the program: the runtime's own calls must get through them.
//!
//! A filter judges the calls that we make again on the program's behalf, which is right. It would also
//! judge our own: arming dispatch in a new thread, growing the log. So a few instructions that let
//! exactly those pass go before the program's.

use crate::calls::check;
use crate::calls::record::{Made, call_kernel};
use crate::memory::user;
use crate::state::{Thread, header, map_window, room_window};
use wayfarer_calls::Number;
use wayfarer_entrance::arguments::Address;
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::SESSION_FD;
use wayfarer_runtime_abi::layout::flags;

const PR_SET_SECCOMP: usize = 22;
const SET_MODE_FILTER: usize = 1;
const PRCTL_MODE_FILTER: usize = 2;
const ALLOW: u32 = 0x7fff_0000;
/// Most instructions that the kernel takes.
const MAX_INSTRUCTIONS: usize = 4096;

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Instruction {
    code: u16,
    if_true: u8,
    if_false: u8,
    constant: u32,
}

const LOAD_WORD: u16 = 0x20;
const JUMP_EQUAL: u16 = 0x15;
const RETURN: u16 = 0x06;
const NUMBER: u32 = 0;
const FIRST_ARGUMENT: u32 = 16;

const fn instruction(code: u16, if_true: u8, if_false: u8, constant: u32) -> Instruction {
    Instruction {
        code,
        if_true,
        if_false,
        constant,
    }
}

/// prctl(PR_SET_SYSCALL_USER_DISPATCH) and fallocate on the session file.
const PREFIX: [Instruction; 8] = [
    instruction(LOAD_WORD, 0, 0, NUMBER),
    // prctl: look at its first argument; allow, or go to the program's filter.
    instruction(JUMP_EQUAL, 0, 2, 157),
    instruction(LOAD_WORD, 0, 0, FIRST_ARGUMENT),
    instruction(JUMP_EQUAL, 3, 4, 59),
    // fallocate: the same with the session's descriptor.
    instruction(JUMP_EQUAL, 0, 3, 285),
    instruction(LOAD_WORD, 0, 0, FIRST_ARGUMENT),
    instruction(JUMP_EQUAL, 0, 1, SESSION_FD as u32),
    instruction(RETURN, 0, 0, ALLOW),
];

/// Whether a call installs a filter that needs our instructions before it.
pub fn is_filter(number: Number, a: &[usize; 6]) -> bool {
    header().flags & flags::NO_FILTER_PREFIX == 0 && installs_filter(number, a)
}

fn installs_filter(number: Number, a: &[usize; 6]) -> bool {
    (number == Number::SECCOMP && a[0] == SET_MODE_FILTER)
        || (number == Number::PRCTL && a[0] == PR_SET_SECCOMP && a[1] == PRCTL_MODE_FILTER)
}

pub fn record(thread: &mut Thread, made: &mut Made) -> isize {
    made.check = check::arguments(thread, made.call, made.number, &made.arguments);
    let mut arguments = *made.arguments;
    let program = made.arguments.address(2);
    let length = user::read::<u16>(program).map_or(0, usize::from);
    let instructions = user::read::<Address>(program.plus(8));
    let total = PREFIX.len() + length;
    let bytes = (total * size_of::<Instruction>() + 4095) & !4095;
    let mut result = -14;
    if let Some(instructions) = instructions
        && total <= MAX_INSTRUCTIONS
    {
        // SAFETY: fresh memory for the longer program, given back below.
        unsafe {
            let (room, _) = room_window(thread.process().id.get());
            if map_window(room, bytes) {
                let room = room as *mut Instruction;
                core::ptr::copy_nonoverlapping(PREFIX.as_ptr(), room, PREFIX.len());
                let rest = length * size_of::<Instruction>();
                if user::copy_in(room.add(PREFIX.len()).cast(), instructions, rest) {
                    let longer = [total, room as usize];
                    arguments[2] = (&raw const longer) as usize;
                    result = call_kernel(made.number, &arguments);
                    core::hint::black_box(&longer);
                }
                raw::syscall6(Number::MUNMAP, room as usize, bytes, 0, 0, 0, 0);
            }
        }
    }
    thread.emit_call(made.number, made.check, result as i64);
    result
}
