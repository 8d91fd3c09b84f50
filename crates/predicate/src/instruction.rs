//! The instructions: each takes its operands from a stack of 64-bit words and pushes its result.
//!
//! Words carry no type. Integers narrower than a word are kept extended to 64 bits (by their sign or
//! by zeros, as the compiler chose), floating-point numbers as the bits of an `f64`.

/// What a load reads and how it becomes a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// One byte, zero-extended.
    U8,
    /// Two bytes, zero-extended.
    U16,
    /// Four bytes, zero-extended.
    U32,
    /// Eight bytes.
    U64,
    /// One byte, sign-extended.
    I8,
    /// Two bytes, sign-extended.
    I16,
    /// Four bytes, sign-extended.
    I32,
    /// An IEEE single, widened to an `f64`.
    F32,
    /// An IEEE double.
    F64,
}

impl Width {
    /// How many bytes of memory the load touches.
    pub fn bytes(self) -> usize {
        match self {
            Width::U8 | Width::I8 => 1,
            Width::U16 | Width::I16 => 2,
            Width::U32 | Width::I32 | Width::F32 => 4,
            Width::U64 | Width::F64 => 8,
        }
    }

    /// The word for the low bytes of `bits`, as a load of this width would give it.
    pub fn extend(self, bits: u64) -> u64 {
        match self {
            Width::U8 => u64::from(bits as u8),
            Width::U16 => u64::from(bits as u16),
            Width::U32 => u64::from(bits as u32),
            Width::U64 | Width::F64 => bits,
            Width::I8 => i64::from(bits as i8) as u64,
            Width::I16 => i64::from(bits as i16) as u64,
            Width::I32 => i64::from(bits as i32) as u64,
            Width::F32 => f64::from(f32::from_bits(bits as u32)).to_bits(),
        }
    }
}

/// An instruction with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// Two's complement negation.
    Negate,
    /// All bits inverted.
    Complement,
    /// 1 for zero, 0 for anything else.
    Not,
    /// 1 for anything but zero.
    Truth,
    /// 1 for any floating-point number but ±0.
    TruthFloat,
    /// Floating-point negation.
    NegateFloat,
    /// A signed integer as floating point.
    SignedToFloat,
    /// An unsigned integer as floating point.
    UnsignedToFloat,
    /// Floating point to signed integer, towards zero, saturating.
    FloatToSigned,
    /// Floating point to unsigned integer, towards zero, saturating.
    FloatToUnsigned,
    /// Rounds a floating-point number to single precision.
    RoundToSingle,
    /// The low bits as a load of this width would give them.
    Extend(Width),
}

/// An instruction with two operands: the left one was pushed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// Wrapping addition.
    Add,
    /// Wrapping subtraction.
    Subtract,
    /// Wrapping multiplication.
    Multiply,
    /// Signed division; by zero is a fault.
    DivideSigned,
    /// Unsigned division; by zero is a fault.
    DivideUnsigned,
    /// Signed remainder with the sign of the left operand; by zero is a fault.
    RemainderSigned,
    /// Unsigned remainder; by zero is a fault.
    RemainderUnsigned,
    /// Bits of both.
    And,
    /// Bits of either.
    Or,
    /// Bits of exactly one.
    ExclusiveOr,
    /// Shift towards the high bits; 64 or more gives 0.
    ShiftLeft,
    /// Shift of an unsigned number towards the low bits; 64 or more gives 0.
    ShiftRightUnsigned,
    /// Shift of a signed number towards the low bits; 64 or more gives the sign.
    ShiftRightSigned,
    /// 1 if both words are the same.
    Equal,
    /// 1 if the words differ.
    NotEqual,
    /// Signed comparison.
    LessSigned,
    /// Signed comparison.
    LessOrEqualSigned,
    /// Unsigned comparison.
    LessUnsigned,
    /// Unsigned comparison.
    LessOrEqualUnsigned,
    /// Floating-point addition.
    AddFloat,
    /// Floating-point subtraction.
    SubtractFloat,
    /// Floating-point multiplication.
    MultiplyFloat,
    /// Floating-point division; by zero gives an infinity or no number.
    DivideFloat,
    /// Floating-point comparison.
    EqualFloat,
    /// Floating-point comparison; true if either is not a number.
    NotEqualFloat,
    /// Floating-point comparison.
    LessFloat,
    /// Floating-point comparison.
    LessOrEqualFloat,
}

/// One step of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Instruction {
    /// Pushes the word.
    Constant(u64),
    /// Pushes the register with this DWARF number.
    Register(u16),
    /// Takes an address, pushes what memory holds there.
    Load(Width),
    /// Takes one word, pushes one.
    Unary(Unary),
    /// Takes two words, pushes one.
    Binary(Binary),
    /// Pushes the top word once more.
    Duplicate,
    /// Takes the top word away.
    Drop,
    /// Swaps the two top words.
    Swap,
    /// Takes a condition, then two words: pushes the first of them if the condition is not zero.
    Select,
    /// Continues at the instruction with this index, which lies ahead.
    Jump(u16),
    /// Takes a word and jumps if it is zero.
    JumpIfZero(u16),
    /// Takes a word and jumps if it is not zero.
    JumpIfNotZero(u16),
}

impl Instruction {
    /// How many words the instruction takes and how many it pushes.
    pub fn effect(self) -> (usize, usize) {
        match self {
            Instruction::Constant(_) | Instruction::Register(_) => (0, 1),
            Instruction::Load(_) | Instruction::Unary(_) => (1, 1),
            Instruction::Binary(_) => (2, 1),
            Instruction::Duplicate => (1, 2),
            Instruction::Drop | Instruction::JumpIfZero(_) | Instruction::JumpIfNotZero(_) => {
                (1, 0)
            }
            Instruction::Swap => (2, 2),
            Instruction::Select => (3, 1),
            Instruction::Jump(_) => (0, 0),
        }
    }

    /// Where the instruction may jump to.
    pub fn jump_target(self) -> Option<u16> {
        match self {
            Instruction::Jump(target)
            | Instruction::JumpIfZero(target)
            | Instruction::JumpIfNotZero(target) => Some(target),
            _ => None,
        }
    }
}
