//! Registers between the form that back ends give them and the form that symbols and expressions use.

use wayfarer_backend::{GeneralRegisters, VectorRegisters};
use wayfarer_symbols::registers::{Register, Registers};

/// The general registers of a back end with their DWARF names, in one place for both directions.
macro_rules! general {
    ($apply:ident, $($argument:expr),*) => {
        $apply!($($argument),*;
            rax RAX, rbx RBX, rcx RCX, rdx RDX, rsi RSI, rdi RDI, rbp RBP, rsp RSP, r8 R8, r9 R9, r10 R10,
            r11 R11, r12 R12, r13 R13, r14 R14, r15 R15, rip RIP, eflags EFLAGS, cs CS, ss SS, ds DS, es ES,
            fs FS, gs GS, fs_base FS_BASE, gs_base GS_BASE)
    };
}

/// Everything that a back end told of a thread's registers.
pub(crate) fn from_backend(
    general: &GeneralRegisters,
    vector: Option<&VectorRegisters>,
) -> Registers {
    let mut registers = Registers::unknown();
    macro_rules! read {
        ($registers:expr, $general:expr; $($field:ident $name:ident),*) => {
            $($registers.set(Register::$name, $general.$field);)*
        };
    }
    general!(read, registers, general);
    if let Some(vector) = vector {
        for (number, bytes) in vector.ymm.iter().enumerate() {
            registers.set_wide(
                Register(Register::XMM0.0 + number as u16),
                little_endian(&bytes[..16]),
            );
        }
        for (number, bytes) in vector.st.iter().enumerate() {
            registers.set_wide(
                Register(Register::ST0.0 + number as u16),
                little_endian(bytes),
            );
        }
    }
    registers
}

/// The innermost frame's registers for a back end, on top of what they were.
pub(crate) fn to_backend(registers: &Registers, before: &GeneralRegisters) -> GeneralRegisters {
    let mut general = *before;
    macro_rules! write {
        ($registers:expr, $general:expr; $($field:ident $name:ident),*) => {
            $(if let Some(value) = $registers.get(Register::$name) { $general.$field = value; })*
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
        let general = GeneralRegisters {
            rax: 7,
            rip: 0x401000,
            fs_base: 9,
            orig_rax: 3,
            ..Default::default()
        };
        let vector = VectorRegisters {
            ymm: std::array::from_fn(|number| {
                std::array::from_fn(|byte| (number * 32 + byte) as u8)
            }),
            ..Default::default()
        };
        let mut registers = from_backend(&general, Some(&vector));
        assert_eq!(registers.pc(), Some(0x401000));
        assert_eq!(registers.get(Register(18)), Some(0x2726252423222120));
        registers.set(Register::RAX, 8);
        let back = to_backend(&registers, &general);
        assert_eq!((back.rax, back.orig_rax, back.fs_base), (8, 3, 9));
    }
}
