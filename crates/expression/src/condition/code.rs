//! Pieces of a program, put together before their jumps are resolved.

use wayfarer_predicate::{Assembler, Binary, Instruction, Program, Unary};

/// Instructions with labels.
#[derive(Clone, Debug, Default)]
pub(super) struct Code(Vec<Item>);

#[derive(Clone, Copy, Debug)]
enum Item {
    Instruction(Instruction),
    Label(usize),
    Jump(usize),
    JumpIfZero(usize),
    JumpIfNotZero(usize),
}

impl Code {
    pub(super) fn constant(word: u64) -> Code {
        Code(vec![Item::Instruction(Instruction::Constant(word))])
    }

    pub(super) fn register(number: u16) -> Code {
        Code(vec![Item::Instruction(Instruction::Register(number))])
    }

    pub(super) fn then(mut self, instruction: Instruction) -> Code {
        self.0.push(Item::Instruction(instruction));
        self
    }

    pub(super) fn unary(self, operation: Unary) -> Code {
        self.then(Instruction::Unary(operation))
    }

    /// This, then the other, then an operation on both.
    pub(super) fn binary(mut self, other: Code, operation: Binary) -> Code {
        self.0.extend(other.0);
        self.then(Instruction::Binary(operation))
    }

    /// The address this pushes, moved.
    pub(super) fn plus(self, distance: u64) -> Code {
        if distance == 0 {
            return self;
        }
        self.binary(Code::constant(distance), Binary::Add)
    }

    /// `self && other` or `self || other`, the second evaluated only if it matters.
    pub(super) fn logic(self, other: Code, is_or: bool, labels: &mut usize) -> Code {
        let (short, end) = (*labels, *labels + 1);
        *labels += 2;
        let mut items = self.0;
        items.push(if is_or {
            Item::JumpIfNotZero(short)
        } else {
            Item::JumpIfZero(short)
        });
        items.extend(other.0);
        items.push(Item::Instruction(Instruction::Unary(Unary::Truth)));
        items.push(Item::Jump(end));
        items.push(Item::Label(short));
        items.push(Item::Instruction(Instruction::Constant(u64::from(is_or))));
        items.push(Item::Label(end));
        Code(items)
    }

    /// `self ? chosen : other`.
    pub(super) fn choose(self, chosen: Code, other: Code, labels: &mut usize) -> Code {
        let (otherwise, end) = (*labels, *labels + 1);
        *labels += 2;
        let mut items = self.0;
        items.push(Item::JumpIfZero(otherwise));
        items.extend(chosen.0);
        items.push(Item::Jump(end));
        items.push(Item::Label(otherwise));
        items.extend(other.0);
        items.push(Item::Label(end));
        Code(items)
    }

    pub(super) fn assemble(self) -> Option<Program> {
        let mut assembler = Assembler::new();
        let mut labels = std::collections::HashMap::new();
        for item in self.0 {
            let mut label = |assembler: &mut Assembler, number: usize| {
                *labels.entry(number).or_insert_with(|| assembler.label())
            };
            match item {
                Item::Instruction(instruction) => {
                    assembler.push(instruction);
                }
                Item::Label(number) => {
                    let label = label(&mut assembler, number);
                    assembler.bind(label);
                }
                Item::Jump(number) => {
                    let label = label(&mut assembler, number);
                    assembler.jump(label);
                }
                Item::JumpIfZero(number) => {
                    let label = label(&mut assembler, number);
                    assembler.jump_if_zero(label);
                }
                Item::JumpIfNotZero(number) => {
                    let label = label(&mut assembler, number);
                    assembler.jump_if_not_zero(label);
                }
            }
        }
        assembler.finish().ok()
    }
}
