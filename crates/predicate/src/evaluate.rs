//! Runs a program against a stopped thread that a trait stands for.

use std::fmt;

use crate::instruction::{Binary, Instruction, Unary, Width};
use crate::program::Program;

/// The thread that a program is evaluated in.
pub trait Target {
    /// The value of the register with this DWARF number, if it is known.
    fn register(&mut self, number: u16) -> Option<u64>;

    /// Fills the buffer from the memory at the address; false if any byte of it cannot be read.
    fn read(&mut self, address: u64, buffer: &mut [u8]) -> bool;
}

/// Why a program has no value at this stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Memory that cannot be read.
    Memory {
        /// Its first address.
        address: u64,
    },
    /// A register that is not known.
    Register(u16),
    /// A division by zero.
    DivisionByZero,
    /// The program broke a rule that the verifier guarantees: a bug of this crate.
    Malformed,
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Memory { address } => {
                write!(formatter, "Cannot access memory at address {address:#x}")
            }
            Fault::Register(number) => write!(formatter, "register {number} is not available"),
            Fault::DivisionByZero => formatter.write_str("Division by zero"),
            Fault::Malformed => formatter.write_str("the condition is malformed"),
        }
    }
}

impl std::error::Error for Fault {}

/// Whether the condition holds: its value is not zero.
pub fn holds(program: &Program, target: &mut dyn Target) -> Result<bool, Fault> {
    Ok(evaluate(program, target)? != 0)
}

/// The value of the program.
pub fn evaluate(program: &Program, target: &mut dyn Target) -> Result<u64, Fault> {
    let instructions = program.instructions();
    let mut stack: Vec<u64> = Vec::with_capacity(8);
    let mut at = 0;
    while let Some(instruction) = instructions.get(at) {
        at += 1;
        match *instruction {
            Instruction::Constant(word) => stack.push(word),
            Instruction::Register(number) => {
                stack.push(target.register(number).ok_or(Fault::Register(number))?);
            }
            Instruction::Load(width) => {
                let address = pop(&mut stack)?;
                stack.push(load(target, address, width)?);
            }
            Instruction::Unary(operation) => {
                let operand = pop(&mut stack)?;
                stack.push(unary(operation, operand));
            }
            Instruction::Binary(operation) => {
                let right = pop(&mut stack)?;
                let left = pop(&mut stack)?;
                stack.push(binary(operation, left, right)?);
            }
            Instruction::Duplicate => {
                let word = pop(&mut stack)?;
                stack.extend([word, word]);
            }
            Instruction::Drop => {
                pop(&mut stack)?;
            }
            Instruction::Swap => {
                let right = pop(&mut stack)?;
                let left = pop(&mut stack)?;
                stack.extend([right, left]);
            }
            Instruction::Select => {
                let condition = pop(&mut stack)?;
                let second = pop(&mut stack)?;
                let first = pop(&mut stack)?;
                stack.push(if condition != 0 { first } else { second });
            }
            Instruction::Jump(to) => at = usize::from(to),
            Instruction::JumpIfZero(to) => {
                if pop(&mut stack)? == 0 {
                    at = usize::from(to);
                }
            }
            Instruction::JumpIfNotZero(to) => {
                if pop(&mut stack)? != 0 {
                    at = usize::from(to);
                }
            }
        }
    }
    pop(&mut stack)
}

fn pop(stack: &mut Vec<u64>) -> Result<u64, Fault> {
    stack.pop().ok_or(Fault::Malformed)
}

fn load(target: &mut dyn Target, address: u64, width: Width) -> Result<u64, Fault> {
    let mut bytes = [0; 8];
    if !target.read(address, &mut bytes[..width.bytes()]) {
        return Err(Fault::Memory { address });
    }
    Ok(width.extend(u64::from_le_bytes(bytes)))
}

fn unary(operation: Unary, operand: u64) -> u64 {
    let float = f64::from_bits(operand);
    match operation {
        Unary::Negate => operand.wrapping_neg(),
        Unary::Complement => !operand,
        Unary::Not => u64::from(operand == 0),
        Unary::Truth => u64::from(operand != 0),
        Unary::TruthFloat => u64::from(float != 0.0),
        Unary::NegateFloat => (-float).to_bits(),
        Unary::SignedToFloat => (operand as i64 as f64).to_bits(),
        Unary::UnsignedToFloat => (operand as f64).to_bits(),
        Unary::FloatToSigned => float as i64 as u64,
        Unary::FloatToUnsigned => float as u64,
        Unary::RoundToSingle => f64::from(float as f32).to_bits(),
        Unary::Extend(width) => width.extend(operand),
    }
}

fn binary(operation: Binary, left: u64, right: u64) -> Result<u64, Fault> {
    let (signed_left, signed_right) = (left as i64, right as i64);
    let (float_left, float_right) = (f64::from_bits(left), f64::from_bits(right));
    let divides = matches!(
        operation,
        Binary::DivideSigned
            | Binary::DivideUnsigned
            | Binary::RemainderSigned
            | Binary::RemainderUnsigned
    );
    if divides && right == 0 {
        return Err(Fault::DivisionByZero);
    }
    Ok(match operation {
        Binary::Add => left.wrapping_add(right),
        Binary::Subtract => left.wrapping_sub(right),
        Binary::Multiply => left.wrapping_mul(right),
        Binary::DivideSigned => signed_left.wrapping_div(signed_right) as u64,
        Binary::DivideUnsigned => left / right,
        Binary::RemainderSigned => signed_left.wrapping_rem(signed_right) as u64,
        Binary::RemainderUnsigned => left % right,
        Binary::And => left & right,
        Binary::Or => left | right,
        Binary::ExclusiveOr => left ^ right,
        Binary::ShiftLeft => shift(right).map_or(0, |count| left << count),
        Binary::ShiftRightUnsigned => shift(right).map_or(0, |count| left >> count),
        Binary::ShiftRightSigned => (signed_left >> shift(right).unwrap_or(63)) as u64,
        Binary::Equal => u64::from(left == right),
        Binary::NotEqual => u64::from(left != right),
        Binary::LessSigned => u64::from(signed_left < signed_right),
        Binary::LessOrEqualSigned => u64::from(signed_left <= signed_right),
        Binary::LessUnsigned => u64::from(left < right),
        Binary::LessOrEqualUnsigned => u64::from(left <= right),
        Binary::AddFloat => (float_left + float_right).to_bits(),
        Binary::SubtractFloat => (float_left - float_right).to_bits(),
        Binary::MultiplyFloat => (float_left * float_right).to_bits(),
        Binary::DivideFloat => (float_left / float_right).to_bits(),
        Binary::EqualFloat => u64::from(float_left == float_right),
        Binary::NotEqualFloat => u64::from(float_left != float_right),
        Binary::LessFloat => u64::from(float_left < float_right),
        Binary::LessOrEqualFloat => u64::from(float_left <= float_right),
    })
}

fn shift(count: u64) -> Option<u32> {
    u32::try_from(count).ok().filter(|count| *count < 64)
}
