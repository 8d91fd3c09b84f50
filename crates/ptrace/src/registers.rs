//! General registers of a stopped thread.

use crate::error::Error;
use crate::thread::{Stopped, request};
use std::ptr;

/// How many numbers they are.
pub(crate) const WORDS: usize = 27;

/// The general registers, `fs_base` and `gs_base` included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registers(pub libc::user_regs_struct);

impl Registers {
    /// All zero.
    pub fn zeroed() -> Registers {
        // SAFETY: user_regs_struct is made of integers alone.
        Registers(unsafe { std::mem::zeroed() })
    }

    /// All of them in the kernel's order.
    pub(crate) fn words(&self) -> [u64; WORDS] {
        // SAFETY: user_regs_struct is exactly this many integers of 64 bits, which the type's size confirms.
        unsafe { std::mem::transmute(self.0) }
    }

    /// The same back.
    pub(crate) fn from_words(words: [u64; WORDS]) -> Registers {
        // SAFETY: as above; every bit pattern is valid.
        Registers(unsafe { std::mem::transmute::<[u64; WORDS], libc::user_regs_struct>(words) })
    }

    /// The register with this DWARF number on x86-64, as far as it is a general one.
    pub fn by_dwarf(&self, number: u16) -> Option<u64> {
        let r = &self.0;
        Some(match number {
            0 => r.rax,
            1 => r.rdx,
            2 => r.rcx,
            3 => r.rbx,
            4 => r.rsi,
            5 => r.rdi,
            6 => r.rbp,
            7 => r.rsp,
            8 => r.r8,
            9 => r.r9,
            10 => r.r10,
            11 => r.r11,
            12 => r.r12,
            13 => r.r13,
            14 => r.r14,
            15 => r.r15,
            16 => r.rip,
            49 => r.eflags,
            50 => r.es,
            51 => r.cs,
            52 => r.ss,
            53 => r.ds,
            54 => r.fs,
            55 => r.gs,
            58 => r.fs_base,
            59 => r.gs_base,
            _ => return None,
        })
    }
}

impl Stopped {
    /// The thread's general registers.
    pub fn registers(&self) -> Result<Registers, Error> {
        let mut registers = Registers::zeroed();
        let address = ptr::from_mut(&mut registers.0) as usize;
        request(libc::PTRACE_GETREGS, self.tid(), 0, address, "registers")?;
        Ok(registers)
    }

    /// Changes them.
    pub fn set_registers(&mut self, registers: &Registers) -> Result<(), Error> {
        let address = ptr::from_ref(&registers.0) as usize;
        request(libc::PTRACE_SETREGS, self.tid(), 0, address, "registers").map(drop)
    }
}
