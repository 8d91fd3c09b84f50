//! Registers between their wire form and the form that symbols and expressions use.

use wayfarer_protocol as wire;
use wayfarer_symbols::registers::{Register, Registers};

/// The general registers of a wire message with their DWARF names, in one place for both directions.
macro_rules! general {
    ($apply:ident, $($argument:expr),*) => {
        $apply!($($argument),*;
            rax RAX, rbx RBX, rcx RCX, rdx RDX, rsi RSI, rdi RDI, rbp RBP, rsp RSP, r8 R8, r9 R9, r10 R10,
            r11 R11, r12 R12, r13 R13, r14 R14, r15 R15, rip RIP, eflags EFLAGS, cs CS, ss SS, ds DS, es ES,
            fs FS, gs GS, fs_base FS_BASE, gs_base GS_BASE)
    };
}

/// Everything the agent told of a thread's registers.
pub(crate) fn from_wire(
    general: &wire::GeneralRegisters,
    vector: Option<&wire::VectorRegisters>,
) -> Registers {
    let mut registers = Registers::unknown();
    macro_rules! read {
        ($registers:expr, $wire:expr; $($field:ident $name:ident),*) => {
            $($registers.set(Register::$name, $wire.$field);)*
        };
    }
    general!(read, registers, general);
    if let Some(vector) = vector {
        for (number, bytes) in vector.ymm.chunks_exact(32).take(16).enumerate() {
            registers.set_wide(
                Register(Register::XMM0.0 + number as u16),
                little_endian(&bytes[..16]),
            );
        }
        for (number, bytes) in vector.st.chunks_exact(10).take(8).enumerate() {
            registers.set_wide(
                Register(Register::ST0.0 + number as u16),
                little_endian(bytes),
            );
        }
    }
    registers
}

/// The wire form of the innermost frame's registers, on top of what they were.
pub(crate) fn to_wire(
    registers: &Registers,
    before: &wire::GeneralRegisters,
) -> wire::GeneralRegisters {
    let mut general = *before;
    macro_rules! write {
        ($registers:expr, $wire:expr; $($field:ident $name:ident),*) => {
            $(if let Some(value) = $registers.get(Register::$name) { $wire.$field = value; })*
        };
    }
    general!(write, registers, general);
    general
}

fn little_endian(bytes: &[u8]) -> u128 {
    let mut wide = [0; 16];
    wide[..bytes.len()].copy_from_slice(bytes);
    u128::from_le_bytes(wide)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let general = wire::GeneralRegisters {
            rax: 7,
            rip: 0x401000,
            fs_base: 9,
            orig_rax: 3,
            ..Default::default()
        };
        let vector = wire::VectorRegisters {
            ymm: (0..=255).chain(0..=255).collect(),
            ..Default::default()
        };
        let mut registers = from_wire(&general, Some(&vector));
        assert_eq!(registers.pc(), Some(0x401000));
        assert_eq!(registers.get(Register(18)), Some(0x2726252423222120));
        registers.set(Register::RAX, 8);
        let back = to_wire(&registers, &general);
        assert_eq!((back.rax, back.orig_rax, back.fs_base), (8, 3, 9));
    }
}
