//! Carrying out an instruction for a stopped thread.
//!
//! The commonest instructions at function entries and statement beginnings are done here, without the two changes of
//! context that a single step costs. What is not in the list, or touches memory that the program itself could not
//! touch, is left to the processor.

use super::flags::{self, Outcome};
use super::operands::Machine;
use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind};
use wayfarer_ptrace::{Memory, Registers};

/// Selector of 64-bit code.
const CODE_64: u64 = 0x33;

/// The longest instruction.
pub const LONGEST: usize = 15;

/// The instruction in `bytes`, which lie at `address`.
pub fn decode(bytes: &[u8], address: u64) -> Option<Instruction> {
    let instruction = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE).decode();
    (!instruction.is_invalid()).then_some(instruction)
}

/// The registers after the instruction; memory is changed already. `None`, and nothing changed, if the processor
/// must do it.
pub fn emulate(
    instruction: &Instruction,
    registers: &Registers,
    memory: &Memory,
) -> Option<Registers> {
    if registers.0.cs != CODE_64 || instruction.has_lock_prefix() {
        return None;
    }
    let mut machine = Machine {
        registers: *registers,
        memory,
    };
    machine.registers.0.rip = instruction.next_ip();
    match instruction.flow_control() {
        FlowControl::Next => plain(&mut machine, instruction)?,
        _ => flow(&mut machine, instruction)?,
    }
    Some(machine.registers)
}

fn flow(machine: &mut Machine, instruction: &Instruction) -> Option<()> {
    let target = |machine: &Machine| match instruction.near_branch_target() {
        0 => match machine.read(instruction, 0)? {
            (target, 8) => Some(target),
            _ => None,
        },
        target => Some(target),
    };
    match instruction.flow_control() {
        FlowControl::UnconditionalBranch | FlowControl::IndirectBranch
            if instruction.mnemonic() == Mnemonic::Jmp =>
        {
            machine.registers.0.rip = target(machine)?;
        }
        FlowControl::ConditionalBranch => {
            let flags = machine.registers.0.eflags;
            if flags::holds(instruction.condition_code(), flags)? {
                machine.registers.0.rip = target(machine)?;
            }
        }
        FlowControl::Call | FlowControl::IndirectCall
            if instruction.mnemonic() == Mnemonic::Call =>
        {
            let to = target(machine)?;
            machine.push(instruction.next_ip())?;
            machine.registers.0.rip = to;
        }
        FlowControl::Return if instruction.mnemonic() == Mnemonic::Ret => {
            machine.registers.0.rip = machine.pop()?;
            if instruction.op_count() == 1 {
                let extra = u64::from(instruction.immediate16());
                machine.registers.0.rsp = machine.registers.0.rsp.wrapping_add(extra);
            }
        }
        _ => return None,
    }
    Some(())
}

fn plain(machine: &mut Machine, instruction: &Instruction) -> Option<()> {
    match instruction.mnemonic() {
        Mnemonic::Nop | Mnemonic::Endbr64 => Some(()),
        Mnemonic::Push => match machine.read(instruction, 0)? {
            (value, 8) => machine.push(value),
            _ => None,
        },
        Mnemonic::Pop => {
            let register = instruction.op0_register();
            if register.size() != 8 {
                return None;
            }
            let value = machine.pop()?;
            machine.set_register(register, value)
        }
        Mnemonic::Leave => {
            machine.registers.0.rsp = machine.registers.0.rbp;
            machine.registers.0.rbp = machine.pop()?;
            Some(())
        }
        Mnemonic::Mov | Mnemonic::Movzx => {
            let (value, _) = machine.read(instruction, 1)?;
            machine.write(instruction, 0, value)
        }
        Mnemonic::Movsx | Mnemonic::Movsxd => {
            let (value, size) = machine.read(instruction, 1)?;
            machine.write(instruction, 0, extend(value, size))
        }
        Mnemonic::Lea => {
            let offset = machine.offset(instruction)?;
            machine.write(instruction, 0, offset)
        }
        Mnemonic::Cdqe => {
            machine.registers.0.rax = extend(machine.registers.0.rax & 0xffff_ffff, 4);
            Some(())
        }
        _ => arithmetic(machine, instruction),
    }
}

fn arithmetic(machine: &mut Machine, instruction: &Instruction) -> Option<()> {
    let flags = machine.registers.0.eflags;
    let mnemonic = instruction.mnemonic();
    let compares = matches!(mnemonic, Mnemonic::Cmp | Mnemonic::Test);
    // What changes memory by what it was must not be done twice, and our death in between would have it so.
    if instruction.op0_kind() == OpKind::Memory && !compares {
        return None;
    }
    if matches!(mnemonic, Mnemonic::Inc | Mnemonic::Dec) {
        let (value, size) = machine.read(instruction, 0)?;
        let outcome = match mnemonic {
            Mnemonic::Inc => flags::add(value, 1, size, flags),
            _ => flags::subtract(value, 1, size, flags),
        };
        return finish(machine, instruction, flags::keep_carry(outcome, flags));
    }
    let writes = match mnemonic {
        Mnemonic::Cmp | Mnemonic::Test => false,
        Mnemonic::Add | Mnemonic::Sub | Mnemonic::And | Mnemonic::Or | Mnemonic::Xor => true,
        _ => return None,
    };
    let (left, size) = machine.read(instruction, 0)?;
    let (right, _) = machine.read(instruction, 1)?;
    let outcome = match mnemonic {
        Mnemonic::Add => flags::add(left, right, size, flags),
        Mnemonic::Sub | Mnemonic::Cmp => flags::subtract(left, right, size, flags),
        Mnemonic::And | Mnemonic::Test => flags::logic(left & right, size, flags),
        Mnemonic::Or => flags::logic(left | right, size, flags),
        _ => flags::logic(left ^ right, size, flags),
    };
    if writes {
        return finish(machine, instruction, outcome);
    }
    machine.registers.0.eflags = outcome.flags;
    Some(())
}

fn finish(machine: &mut Machine, instruction: &Instruction, outcome: Outcome) -> Option<()> {
    machine.write(instruction, 0, outcome.value)?;
    machine.registers.0.eflags = outcome.flags;
    Some(())
}

fn extend(value: u64, size: usize) -> u64 {
    match size {
        1 => value as i8 as u64,
        2 => value as i16 as u64,
        4 => value as i32 as u64,
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wayfarer_ptrace::Tid;

    /// Runs instructions on our own memory, starting with the given stack pointer.
    fn run(code: &[u8], mut registers: Registers) -> Option<Registers> {
        let memory = Memory::open(Tid(std::process::id() as i32)).unwrap();
        registers.0.cs = CODE_64;
        registers.0.rip = 0x1000;
        let instruction = decode(code, 0x1000)?;
        emulate(&instruction, &registers, &memory)
    }

    #[test]
    fn a_prologue_is_carried_out() {
        let stack = [0u64; 4];
        let mut registers = Registers::zeroed();
        registers.0.rsp = &raw const stack[2] as u64;
        registers.0.rbp = 0x1234;
        let after = run(&[0x55], registers).unwrap();
        assert_eq!(after.0.rsp, &raw const stack[1] as u64);
        assert_eq!(after.0.rip, 0x1001);
        // Through the kernel, because the value was written behind the compiler's back.
        let mut word = [0; 8];
        let memory = Memory::open(Tid(std::process::id() as i32)).unwrap();
        memory.read(after.0.rsp, &mut word).unwrap();
        assert_eq!(u64::from_le_bytes(word), 0x1234);
    }

    #[test]
    fn moves_keep_to_their_size() {
        let mut registers = Registers::zeroed();
        registers.0.rax = u64::MAX;
        registers.0.rdi = 0x1_0000_0002;
        // mov eax, edi
        assert_eq!(run(&[0x89, 0xf8], registers).unwrap().0.rax, 2);
        // mov al, dil
        let after = run(&[0x40, 0x88, 0xf8], registers).unwrap();
        assert_eq!(after.0.rax, !0xff | 2);
    }

    #[test]
    fn branches_follow_the_flags() {
        let registers = Registers::zeroed();
        // je +0x10, not taken; jne +0x10, taken
        assert_eq!(run(&[0x74, 0x10], registers).unwrap().0.rip, 0x1002);
        assert_eq!(run(&[0x75, 0x10], registers).unwrap().0.rip, 0x1012);
    }

    #[test]
    fn what_is_not_known_is_left_to_the_processor() {
        let registers = Registers::zeroed();
        // cpuid; syscall; a load from nowhere
        assert!(run(&[0x0f, 0xa2], registers).is_none());
        assert!(run(&[0x0f, 0x05], registers).is_none());
        assert!(run(&[0x48, 0x8b, 0x00], registers).is_none());
    }
}
