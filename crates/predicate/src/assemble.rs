//! Puts a program together with labels instead of instruction numbers.

use crate::instruction::{Binary, Instruction, Unary};
use crate::program::{MAXIMUM_LENGTH, Program, VerifyError};

/// A place in the program that is not known yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label(usize);

/// Collects instructions; labels are resolved by [`Assembler::finish`].
#[derive(Debug, Default)]
pub struct Assembler {
    instructions: Vec<Instruction>,
    /// Where each label is bound.
    labels: Vec<Option<usize>>,
    /// Jumps to patch: the instruction and the label it goes to.
    jumps: Vec<(usize, Label)>,
}

impl Assembler {
    /// An empty program.
    pub fn new() -> Assembler {
        Assembler::default()
    }

    /// Appends an instruction.
    pub fn push(&mut self, instruction: Instruction) -> &mut Assembler {
        self.instructions.push(instruction);
        self
    }

    /// Appends a constant.
    pub fn constant(&mut self, word: u64) -> &mut Assembler {
        self.push(Instruction::Constant(word))
    }

    /// Appends an instruction with one operand.
    pub fn unary(&mut self, operation: Unary) -> &mut Assembler {
        self.push(Instruction::Unary(operation))
    }

    /// Appends an instruction with two operands.
    pub fn binary(&mut self, operation: Binary) -> &mut Assembler {
        self.push(Instruction::Binary(operation))
    }

    /// A label to be bound later.
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// Binds the label to the next instruction.
    pub fn bind(&mut self, label: Label) {
        self.labels[label.0] = Some(self.instructions.len());
    }

    /// Appends a jump.
    pub fn jump(&mut self, label: Label) {
        self.jump_with(label, Instruction::Jump(0));
    }

    /// Appends a jump that is taken if the top word is zero.
    pub fn jump_if_zero(&mut self, label: Label) {
        self.jump_with(label, Instruction::JumpIfZero(0));
    }

    /// Appends a jump that is taken if the top word is not zero.
    pub fn jump_if_not_zero(&mut self, label: Label) {
        self.jump_with(label, Instruction::JumpIfNotZero(0));
    }

    fn jump_with(&mut self, label: Label, instruction: Instruction) {
        self.jumps.push((self.instructions.len(), label));
        self.instructions.push(instruction);
    }

    /// Resolves the labels and verifies the result.
    pub fn finish(mut self) -> Result<Program, VerifyError> {
        let length = self.instructions.len();
        if length > MAXIMUM_LENGTH {
            return Err(VerifyError::Length(length));
        }
        for (at, label) in self.jumps {
            let target = self.labels[label.0]
                .and_then(|target| u16::try_from(target).ok())
                .ok_or(VerifyError::JumpTarget { at })?;
            match &mut self.instructions[at] {
                Instruction::Jump(to)
                | Instruction::JumpIfZero(to)
                | Instruction::JumpIfNotZero(to) => *to = target,
                _ => return Err(VerifyError::JumpTarget { at }),
            }
        }
        Program::new(self.instructions)
    }
}
