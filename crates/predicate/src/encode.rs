//! Programs as bytes: a version, then one operation byte per instruction with its operand after it.
//!
//! The version changes whenever the meaning of any byte changes, so that an agent and a debugger of
//! different age notice instead of evaluating something else. All numbers are little-endian.

use std::fmt;

use crate::instruction::{Binary, Instruction, Unary, Width};
use crate::program::{MAXIMUM_LENGTH, Program, VerifyError};

/// The first byte of an encoded program.
pub const FORMAT_VERSION: u8 = 1;

const WIDTHS: [Width; 9] = [
    Width::U8,
    Width::U16,
    Width::U32,
    Width::U64,
    Width::I8,
    Width::I16,
    Width::I32,
    Width::F32,
    Width::F64,
];

const UNARY: [Unary; 11] = [
    Unary::Negate,
    Unary::Complement,
    Unary::Not,
    Unary::Truth,
    Unary::TruthFloat,
    Unary::NegateFloat,
    Unary::SignedToFloat,
    Unary::UnsignedToFloat,
    Unary::FloatToSigned,
    Unary::FloatToUnsigned,
    Unary::RoundToSingle,
];

const BINARY: [Binary; 27] = [
    Binary::Add,
    Binary::Subtract,
    Binary::Multiply,
    Binary::DivideSigned,
    Binary::DivideUnsigned,
    Binary::RemainderSigned,
    Binary::RemainderUnsigned,
    Binary::And,
    Binary::Or,
    Binary::ExclusiveOr,
    Binary::ShiftLeft,
    Binary::ShiftRightUnsigned,
    Binary::ShiftRightSigned,
    Binary::Equal,
    Binary::NotEqual,
    Binary::LessSigned,
    Binary::LessOrEqualSigned,
    Binary::LessUnsigned,
    Binary::LessOrEqualUnsigned,
    Binary::AddFloat,
    Binary::SubtractFloat,
    Binary::MultiplyFloat,
    Binary::DivideFloat,
    Binary::EqualFloat,
    Binary::NotEqualFloat,
    Binary::LessFloat,
    Binary::LessOrEqualFloat,
];

/// Operation bytes. The groups leave room to grow: widths are added to `LOAD` and `EXTEND`, places
/// in the tables above to `UNARY_BASE` and `BINARY_BASE`.
mod operation {
    pub const CONSTANT: u8 = 0x01;
    pub const REGISTER: u8 = 0x02;
    pub const DUPLICATE: u8 = 0x03;
    pub const DROP: u8 = 0x04;
    pub const SWAP: u8 = 0x05;
    pub const SELECT: u8 = 0x06;
    pub const JUMP: u8 = 0x07;
    pub const JUMP_IF_ZERO: u8 = 0x08;
    pub const JUMP_IF_NOT_ZERO: u8 = 0x09;
    pub const LOAD: u8 = 0x10;
    pub const EXTEND: u8 = 0x20;
    pub const UNARY_BASE: u8 = 0x30;
    pub const BINARY_BASE: u8 = 0x60;
}

/// Why bytes are not a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// The version is another one than ours.
    Version(Option<u8>),
    /// A byte that is not an operation.
    Operation {
        /// Its place in the bytes.
        offset: usize,
    },
    /// The bytes end inside an instruction.
    Truncated,
    /// The instructions are not a valid program.
    Invalid(VerifyError),
}

impl fmt::Display for DecodeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::Version(Some(version)) => write!(
                formatter,
                "a condition of format {version}; this side knows format {FORMAT_VERSION}: use the same release on both sides"
            ),
            DecodeError::Version(None) => formatter.write_str("an empty condition"),
            DecodeError::Operation { offset } => {
                write!(formatter, "no operation at byte {offset} of the condition")
            }
            DecodeError::Truncated => formatter.write_str("the condition is cut short"),
            DecodeError::Invalid(error) => error.fmt(formatter),
        }
    }
}

impl std::error::Error for DecodeError {}

impl Program {
    /// The program as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![FORMAT_VERSION];
        for instruction in self.instructions() {
            encode(*instruction, &mut bytes);
        }
        bytes
    }

    /// Reads and verifies a program.
    pub fn from_bytes(bytes: &[u8]) -> Result<Program, DecodeError> {
        let (version, mut rest) = match bytes.split_first() {
            Some((version, rest)) => (*version, rest),
            None => return Err(DecodeError::Version(None)),
        };
        if version != FORMAT_VERSION {
            return Err(DecodeError::Version(Some(version)));
        }
        let mut instructions = Vec::new();
        while !rest.is_empty() {
            if instructions.len() == MAXIMUM_LENGTH {
                return Err(DecodeError::Invalid(VerifyError::Length(
                    MAXIMUM_LENGTH + 1,
                )));
            }
            let offset = bytes.len() - rest.len();
            instructions.push(decode(&mut rest, offset)?);
        }
        Program::new(instructions).map_err(DecodeError::Invalid)
    }
}

fn encode(instruction: Instruction, bytes: &mut Vec<u8>) {
    let jump = |operation: u8, target: u16| {
        let [low, high] = target.to_le_bytes();
        [operation, low, high]
    };
    match instruction {
        Instruction::Constant(word) => {
            bytes.push(operation::CONSTANT);
            bytes.extend(word.to_le_bytes());
        }
        Instruction::Register(number) => bytes.extend(jump(operation::REGISTER, number)),
        Instruction::Duplicate => bytes.push(operation::DUPLICATE),
        Instruction::Drop => bytes.push(operation::DROP),
        Instruction::Swap => bytes.push(operation::SWAP),
        Instruction::Select => bytes.push(operation::SELECT),
        Instruction::Jump(target) => bytes.extend(jump(operation::JUMP, target)),
        Instruction::JumpIfZero(target) => bytes.extend(jump(operation::JUMP_IF_ZERO, target)),
        Instruction::JumpIfNotZero(target) => {
            bytes.extend(jump(operation::JUMP_IF_NOT_ZERO, target));
        }
        Instruction::Load(width) => bytes.push(operation::LOAD + place(&WIDTHS, &width)),
        Instruction::Unary(Unary::Extend(width)) => {
            bytes.push(operation::EXTEND + place(&WIDTHS, &width));
        }
        Instruction::Unary(unary) => bytes.push(operation::UNARY_BASE + place(&UNARY, &unary)),
        Instruction::Binary(binary) => bytes.push(operation::BINARY_BASE + place(&BINARY, &binary)),
    }
}

/// The place of a value in its table; every value has one, as a test checks.
fn place<T: PartialEq>(table: &[T], value: &T) -> u8 {
    table.iter().position(|entry| entry == value).unwrap_or(0) as u8
}

fn decode(rest: &mut &[u8], offset: usize) -> Result<Instruction, DecodeError> {
    let [byte] = take(rest)?;
    let unknown = DecodeError::Operation { offset };
    let from = |base: u8| usize::from(byte - base);
    Ok(match byte {
        operation::CONSTANT => Instruction::Constant(u64::from_le_bytes(take(rest)?)),
        operation::REGISTER => Instruction::Register(u16::from_le_bytes(take(rest)?)),
        operation::DUPLICATE => Instruction::Duplicate,
        operation::DROP => Instruction::Drop,
        operation::SWAP => Instruction::Swap,
        operation::SELECT => Instruction::Select,
        operation::JUMP => Instruction::Jump(u16::from_le_bytes(take(rest)?)),
        operation::JUMP_IF_ZERO => Instruction::JumpIfZero(u16::from_le_bytes(take(rest)?)),
        operation::JUMP_IF_NOT_ZERO => Instruction::JumpIfNotZero(u16::from_le_bytes(take(rest)?)),
        operation::LOAD..operation::EXTEND => {
            Instruction::Load(*WIDTHS.get(from(operation::LOAD)).ok_or(unknown)?)
        }
        operation::EXTEND..operation::UNARY_BASE => Instruction::Unary(Unary::Extend(
            *WIDTHS.get(from(operation::EXTEND)).ok_or(unknown)?,
        )),
        operation::UNARY_BASE..operation::BINARY_BASE => {
            Instruction::Unary(*UNARY.get(from(operation::UNARY_BASE)).ok_or(unknown)?)
        }
        operation::BINARY_BASE.. => {
            Instruction::Binary(*BINARY.get(from(operation::BINARY_BASE)).ok_or(unknown)?)
        }
        _ => return Err(unknown),
    })
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], DecodeError> {
    let (head, tail) = rest.split_first_chunk().ok_or(DecodeError::Truncated)?;
    *rest = tail;
    Ok(*head)
}
