//! A verified program: bounded in length, stack and steps.

use std::fmt;

use crate::instruction::Instruction;

/// The most instructions a program may have.
pub const MAXIMUM_LENGTH: usize = 4096;

/// The most words a program may have on its stack.
pub const MAXIMUM_STACK: usize = 64;

/// Instructions that passed the verifier. The value of the program is the one word that is left on
/// the stack at its end.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Program {
    instructions: Vec<Instruction>,
}

/// Why a list of instructions is not a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerifyError {
    /// No instructions, or more than [`MAXIMUM_LENGTH`].
    Length(usize),
    /// An instruction finds fewer words on the stack than it takes.
    StackTooShort {
        /// The index of the instruction.
        at: usize,
    },
    /// An instruction pushes beyond [`MAXIMUM_STACK`].
    StackTooDeep {
        /// The index of the instruction.
        at: usize,
    },
    /// A jump does not go forward, or goes beyond the end.
    JumpTarget {
        /// The index of the instruction.
        at: usize,
    },
    /// Two ways lead to an instruction with stacks of different depth.
    UnevenStack {
        /// The index of the instruction.
        at: usize,
    },
    /// No way leads to an instruction.
    Unreachable {
        /// The index of the instruction.
        at: usize,
    },
    /// The program does not end with exactly one word.
    Result {
        /// How many words it ends with.
        depth: usize,
    },
}

impl fmt::Display for VerifyError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VerifyError::Length(length) => write!(
                formatter,
                "a condition of {length} instructions; 1 to {MAXIMUM_LENGTH} are allowed"
            ),
            VerifyError::StackTooShort { at } => {
                write!(formatter, "instruction {at} takes more than the stack has")
            }
            VerifyError::StackTooDeep { at } => {
                write!(formatter, "instruction {at} exceeds {MAXIMUM_STACK} words")
            }
            VerifyError::JumpTarget { at } => {
                write!(formatter, "instruction {at} does not jump forward")
            }
            VerifyError::UnevenStack { at } => write!(
                formatter,
                "instruction {at} is reached with stacks of different depth"
            ),
            VerifyError::Unreachable { at } => write!(formatter, "instruction {at} is dead"),
            VerifyError::Result { depth } => {
                write!(formatter, "the condition ends with {depth} words, not one")
            }
        }
    }
}

impl std::error::Error for VerifyError {}

impl Program {
    /// Verifies the instructions.
    pub fn new(instructions: Vec<Instruction>) -> Result<Program, VerifyError> {
        verify(&instructions)?;
        Ok(Program { instructions })
    }

    /// The instructions, in order.
    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }
}

/// Follows every way through the instructions once. Because jumps go forward only, the depth at an
/// instruction is settled before the instruction is looked at.
fn verify(instructions: &[Instruction]) -> Result<(), VerifyError> {
    let length = instructions.len();
    if length == 0 || length > MAXIMUM_LENGTH {
        return Err(VerifyError::Length(length));
    }
    let mut depths: Vec<Option<usize>> = vec![None; length + 1];
    depths[0] = Some(0);
    for (at, instruction) in instructions.iter().enumerate() {
        let Some(depth) = depths[at] else {
            return Err(VerifyError::Unreachable { at });
        };
        let (taken, pushed) = instruction.effect();
        let Some(left) = depth.checked_sub(taken) else {
            return Err(VerifyError::StackTooShort { at });
        };
        let after = left + pushed;
        if after > MAXIMUM_STACK {
            return Err(VerifyError::StackTooDeep { at });
        }
        if let Some(target) = instruction.jump_target() {
            let target = usize::from(target);
            if target <= at || target > length {
                return Err(VerifyError::JumpTarget { at });
            }
            meet(&mut depths, target, after)?;
        }
        if !matches!(instruction, Instruction::Jump(_)) {
            meet(&mut depths, at + 1, after)?;
        }
    }
    match depths[length] {
        Some(1) => Ok(()),
        depth => Err(VerifyError::Result {
            depth: depth.unwrap_or(0),
        }),
    }
}

fn meet(depths: &mut [Option<usize>], at: usize, depth: usize) -> Result<(), VerifyError> {
    match depths[at] {
        Some(known) if known != depth => Err(VerifyError::UnevenStack { at }),
        _ => {
            depths[at] = Some(depth);
            Ok(())
        }
    }
}
