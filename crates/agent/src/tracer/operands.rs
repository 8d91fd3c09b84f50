//! Operands of an instruction: registers, immediates, memory of the thread.

use iced_x86::{Instruction, OpKind, Register};
use wayfarer_ptrace::{Memory, Registers};

/// A thread's registers and memory while one of its instructions is carried out for it.
pub struct Machine<'a> {
    /// Changed as the instruction says; to be dropped if it cannot be carried out.
    pub registers: Registers,
    /// Written at most once, last.
    pub memory: &'a Memory,
}

impl Machine<'_> {
    /// The value of an operand, zero-extended, and its size in bytes.
    pub fn read(&self, instruction: &Instruction, operand: u32) -> Option<(u64, usize)> {
        match instruction.op_kind(operand) {
            OpKind::Register => {
                let register = instruction.op_register(operand);
                Some((self.register(register)?, register.size()))
            }
            OpKind::Memory => {
                let size = instruction.memory_size().size();
                let value = self.load(self.address(instruction)?, size)?;
                Some((value, size))
            }
            _ => {
                let value = instruction.try_immediate(operand).ok()?;
                let size = match instruction.op_kind(operand) {
                    OpKind::Immediate8 => 1,
                    OpKind::Immediate16 | OpKind::Immediate8to16 => 2,
                    OpKind::Immediate32 | OpKind::Immediate8to32 => 4,
                    OpKind::Immediate64 | OpKind::Immediate8to64 | OpKind::Immediate32to64 => 8,
                    _ => return None,
                };
                Some((value, size))
            }
        }
    }

    /// Stores into the first operand, or another.
    pub fn write(&mut self, instruction: &Instruction, operand: u32, value: u64) -> Option<()> {
        match instruction.op_kind(operand) {
            OpKind::Register => self.set_register(instruction.op_register(operand), value),
            // Should we die before the registers are changed too, the thread does it again: in memory of its own that
            // makes no difference.
            OpKind::Memory if is_own(instruction.memory_base()) => {
                let size = instruction.memory_size().size();
                self.store(self.address(instruction)?, size, value)
            }
            _ => None,
        }
    }

    /// A number from memory, read as the program itself could.
    pub fn load(&self, address: u64, size: usize) -> Option<u64> {
        let mut bytes = [0; 8];
        let part = bytes.get_mut(..size).filter(|part| !part.is_empty())?;
        self.memory
            .read_as_program(address, part)
            .then(|| u64::from_le_bytes(bytes))
    }

    /// Writes a number to memory, as the program itself could.
    pub fn store(&self, address: u64, size: usize, value: u64) -> Option<()> {
        let bytes = value.to_le_bytes();
        let part = bytes.get(..size).filter(|part| !part.is_empty())?;
        self.memory.write_as_program(address, part).then_some(())
    }

    /// Decrements the stack pointer and writes a word there.
    pub fn push(&mut self, value: u64) -> Option<()> {
        let address = self.registers.0.rsp.wrapping_sub(8);
        self.store(address, 8, value)?;
        self.registers.0.rsp = address;
        Some(())
    }

    /// The word at the stack pointer, which is incremented.
    pub fn pop(&mut self) -> Option<u64> {
        let value = self.load(self.registers.0.rsp, 8)?;
        self.registers.0.rsp = self.registers.0.rsp.wrapping_add(8);
        Some(value)
    }

    /// The address of the memory operand.
    pub fn address(&self, instruction: &Instruction) -> Option<u64> {
        let segment = match instruction.memory_segment() {
            Register::FS => self.registers.0.fs_base,
            Register::GS => self.registers.0.gs_base,
            _ => 0,
        };
        if instruction.is_ip_rel_memory_operand() {
            let base = instruction.memory_base();
            let address = instruction.ip_rel_memory_address();
            return (base == Register::RIP).then(|| address.wrapping_add(segment));
        }
        Some(self.offset(instruction)?.wrapping_add(segment))
    }

    /// The address without the segment's base, as `lea` gives it.
    pub fn offset(&self, instruction: &Instruction) -> Option<u64> {
        if instruction.is_ip_rel_memory_operand() {
            return (instruction.memory_base() == Register::RIP)
                .then(|| instruction.ip_rel_memory_address());
        }
        let part = |register: Register| match register {
            Register::None => Some(0),
            register if register.size() == 8 => self.register(register),
            _ => None,
        };
        let index = part(instruction.memory_index())?
            .wrapping_mul(u64::from(instruction.memory_index_scale()));
        Some(
            part(instruction.memory_base())?
                .wrapping_add(index)
                .wrapping_add(instruction.memory_displacement64()),
        )
    }

    /// A general register's value; `None` for all others and for ah, bh, ch, dh.
    pub fn register(&self, register: Register) -> Option<u64> {
        let mut registers = self.registers;
        let full = *slot(&mut registers, register)?;
        Some(match register.size() {
            1 => full & 0xff,
            2 => full & 0xffff,
            4 => full & 0xffff_ffff,
            _ => full,
        })
    }

    /// Sets a general register as the processor would: 32 bits clear the upper half, fewer leave the rest.
    pub fn set_register(&mut self, register: Register, value: u64) -> Option<()> {
        let size = register.size();
        let full = slot(&mut self.registers, register)?;
        *full = match size {
            1 => *full & !0xff | value & 0xff,
            2 => *full & !0xffff | value & 0xffff,
            4 => value & 0xffff_ffff,
            _ => value,
        };
        Some(())
    }
}

/// Whether a base leads to the thread's own stack.
fn is_own(base: Register) -> bool {
    matches!(base, Register::RSP | Register::RBP)
}

fn slot(registers: &mut Registers, register: Register) -> Option<&mut u64> {
    if matches!(
        register,
        Register::AH | Register::BH | Register::CH | Register::DH
    ) {
        return None;
    }
    let r = &mut registers.0;
    Some(match register.full_register() {
        Register::RAX => &mut r.rax,
        Register::RBX => &mut r.rbx,
        Register::RCX => &mut r.rcx,
        Register::RDX => &mut r.rdx,
        Register::RSI => &mut r.rsi,
        Register::RDI => &mut r.rdi,
        Register::RBP => &mut r.rbp,
        Register::RSP => &mut r.rsp,
        Register::R8 => &mut r.r8,
        Register::R9 => &mut r.r9,
        Register::R10 => &mut r.r10,
        Register::R11 => &mut r.r11,
        Register::R12 => &mut r.r12,
        Register::R13 => &mut r.r13,
        Register::R14 => &mut r.r14,
        Register::R15 => &mut r.r15,
        _ => return None,
    })
}
