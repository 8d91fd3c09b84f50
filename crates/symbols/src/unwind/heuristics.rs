//! The caller of a frame that no call frame information describes: code at a bad address, a
//! function in assembler, the trampoline of a libc that does not describe it.

use super::space::AddressSpace;
use crate::location::Memory;
use crate::registers::{Register, Registers};

/// What the code at the frame's pc looks like to a reader of bytes alone.
pub(super) enum Guess {
    /// The caller's registers and the frame address.
    Caller { registers: Registers, cfa: u64 },
    /// A signal trampoline: the interrupted registers lie on the stack.
    Signal { registers: Registers, cfa: u64 },
    /// Nothing that could be believed.
    Nothing,
}

/// `mov $15,%rax; syscall`: rt_sigreturn.
const SIGNAL_RETURN: [u8; 9] = [0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05];

/// Guesses the caller. `function_start` is where the symbol table says that the function begins.
pub(super) fn guess(
    space: &dyn AddressSpace,
    registers: &Registers,
    is_innermost: bool,
    function_start: Option<u64>,
) -> Guess {
    let (Some(pc), Some(sp)) = (registers.pc(), registers.sp()) else {
        return Guess::Nothing;
    };
    let memory = space.memory();
    let mut code = [0; 9];
    let has_code = memory.read(pc, &mut code).is_ok();
    if has_code && code == SIGNAL_RETURN {
        return interrupted(memory, registers, sp);
    }
    if is_innermost {
        let prologue =
            function_start.map_or(Prologue::None, |start| prologue_at(memory, start, pc));
        // After a call to an address with no code, at the first and at the last instruction, and
        // in a function that does not set up a frame, the return address is on top of the stack.
        let on_top = !has_code || is_return(&code) || prologue == Prologue::None;
        if (on_top || function_start == Some(pc))
            && let Some(caller) = returned(space, registers, sp, false)
        {
            return caller;
        }
        if prologue == Prologue::Pushed
            && let Some(caller) = returned(space, registers, sp.wrapping_add(8), true)
        {
            return caller;
        }
    }
    if let Some(fp) = registers.get(Register::RBP)
        && fp >= sp
        && fp.is_multiple_of(8)
        && let Some(caller) = returned(space, registers, fp.wrapping_add(8), true)
    {
        return caller;
    }
    if is_innermost && let Some(caller) = returned(space, registers, sp, false) {
        return caller;
    }
    Guess::Nothing
}

/// The caller, if the word at `slot` is a return address; rbp was pushed just before it or is
/// still the caller's.
fn returned(
    space: &dyn AddressSpace,
    registers: &Registers,
    slot: u64,
    rbp_is_saved: bool,
) -> Option<Guess> {
    let memory = space.memory();
    let return_address = memory.read_u64(slot).ok()?;
    if !follows_a_call(space, return_address) {
        return None;
    }
    let cfa = slot.wrapping_add(8);
    let mut caller = registers.clone();
    caller.assume_call();
    if rbp_is_saved {
        caller.set(Register::RBP, memory.read_u64(slot.wrapping_sub(8)).ok()?);
    }
    caller.set(Register::RIP, return_address);
    caller.set(Register::RSP, cfa);
    Some(Guess::Caller {
        registers: caller,
        cfa,
    })
}

/// Whether the address lies in a module, just after a call instruction.
fn follows_a_call(space: &dyn AddressSpace, address: u64) -> bool {
    let Some(before) = address.checked_sub(7) else {
        return false;
    };
    if space.module_at(before).is_none() {
        return false;
    }
    let mut code = [0; 7];
    if space.memory().read(before, &mut code).is_err() {
        return false;
    }
    // call rel32; call through a register or memory in its lengths of 2, 3, 4, 6 and 7 bytes.
    let is_indirect = |opcode: u8, operand: u8| opcode == 0xff && operand >> 3 & 7 == 2;
    code[2] == 0xe8
        || is_indirect(code[5], code[6])
        || is_indirect(code[4], code[5])
        || is_indirect(code[3], code[4])
        || is_indirect(code[1], code[2])
        || is_indirect(code[0], code[1])
}

fn is_return(code: &[u8; 9]) -> bool {
    code[0] == 0xc3 || code[..2] == [0xf3, 0xc3]
}

/// How far a function has come with setting up its frame.
#[derive(PartialEq, Eq)]
enum Prologue {
    /// It does not begin with `push %rbp`.
    None,
    /// The pc is between `push %rbp` and the end of `mov %rsp,%rbp`.
    Pushed,
    /// The frame pointer is set, or about to be.
    Other,
}

fn prologue_at(memory: &dyn Memory, start: u64, pc: u64) -> Prologue {
    let mut code = [0; 8];
    if memory.read(start, &mut code).is_err() {
        return Prologue::None;
    }
    let is_marked = code[..4] == [0xf3, 0x0f, 0x1e, 0xfa];
    let push = if is_marked { 4 } else { 0 };
    if code[push] != 0x55 {
        return Prologue::None;
    }
    let moved = matches!(
        code[push + 1..push + 4],
        [0x48, 0x89, 0xe5] | [0x48, 0x8b, 0xec]
    );
    let after_push = start.wrapping_add(push as u64 + 1);
    if moved && (after_push..after_push.wrapping_add(3)).contains(&pc) {
        Prologue::Pushed
    } else {
        Prologue::Other
    }
}

/// Offsets of the registers in the kernel's `sigcontext`, which starts 40 bytes into `ucontext`.
const SIGNAL_CONTEXT: [(Register, u64); 18] = [
    (Register::R8, 0),
    (Register::R9, 8),
    (Register::R10, 16),
    (Register::R11, 24),
    (Register::R12, 32),
    (Register::R13, 40),
    (Register::R14, 48),
    (Register::R15, 56),
    (Register::RDI, 64),
    (Register::RSI, 72),
    (Register::RBP, 80),
    (Register::RBX, 88),
    (Register::RDX, 96),
    (Register::RAX, 104),
    (Register::RCX, 112),
    (Register::RSP, 120),
    (Register::RIP, 128),
    (Register::EFLAGS, 136),
];

fn interrupted(memory: &dyn Memory, registers: &Registers, sp: u64) -> Guess {
    let context = sp.wrapping_add(40);
    let mut caller = registers.clone();
    for (register, offset) in SIGNAL_CONTEXT {
        match memory.read_u64(context.wrapping_add(offset)) {
            Ok(value) => caller.set(register, value),
            Err(_) => return Guess::Nothing,
        }
    }
    Guess::Signal {
        registers: caller,
        cfa: sp,
    }
}
