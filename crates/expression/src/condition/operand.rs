//! Values under way and what is done to them: loads, members, conversions.

use wayfarer_predicate::{Binary, Instruction, Unary, Width};
use wayfarer_symbols::types::{BitField, Encoding, MemberPosition, PointerKind};

use super::code::Code;
use super::storage::Storage;
use crate::number::{Number, Scalar};
use crate::syntax::BinaryOperator;
use crate::types::{Shape, TypeRef};

/// A value under way: code that leaves its address or its word on the stack.
pub(super) struct Operand {
    pub type_ref: TypeRef,
    pub code: Code,
    pub kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Address,
    /// The address of the byte with the first bit.
    Bits(BitField),
    Word,
}

impl Operand {
    pub(super) fn word(type_ref: TypeRef, code: Code) -> Operand {
        Operand {
            type_ref,
            code,
            kind: Kind::Word,
        }
    }
}

/// The instruction of a comparison, and whether its operands change places.
pub(super) fn compare(operator: BinaryOperator, scalar: Scalar) -> (bool, Binary) {
    let (less, less_or_equal) = match (scalar.float, scalar.signed) {
        (true, _) => (Binary::LessFloat, Binary::LessOrEqualFloat),
        (false, true) => (Binary::LessSigned, Binary::LessOrEqualSigned),
        (false, false) => (Binary::LessUnsigned, Binary::LessOrEqualUnsigned),
    };
    match operator {
        BinaryOperator::Equal if scalar.float => (false, Binary::EqualFloat),
        BinaryOperator::Equal => (false, Binary::Equal),
        BinaryOperator::NotEqual if scalar.float => (false, Binary::NotEqualFloat),
        BinaryOperator::NotEqual => (false, Binary::NotEqual),
        BinaryOperator::Less => (false, less),
        BinaryOperator::LessOrEqual => (false, less_or_equal),
        BinaryOperator::Greater => (true, less),
        _ => (true, less_or_equal),
    }
}

pub(super) fn arithmetic(operator: BinaryOperator, scalar: Scalar) -> Option<Binary> {
    Some(match (operator, scalar.float, scalar.signed) {
        (BinaryOperator::Add, true, _) => Binary::AddFloat,
        (BinaryOperator::Subtract, true, _) => Binary::SubtractFloat,
        (BinaryOperator::Multiply, true, _) => Binary::MultiplyFloat,
        (BinaryOperator::Divide, true, _) => Binary::DivideFloat,
        (_, true, _) => return None,
        (BinaryOperator::Add, ..) => Binary::Add,
        (BinaryOperator::Subtract, ..) => Binary::Subtract,
        (BinaryOperator::Multiply, ..) => Binary::Multiply,
        (BinaryOperator::Divide, _, true) => Binary::DivideSigned,
        (BinaryOperator::Divide, _, false) => Binary::DivideUnsigned,
        (BinaryOperator::Remainder, _, true) => Binary::RemainderSigned,
        (BinaryOperator::Remainder, _, false) => Binary::RemainderUnsigned,
        (BinaryOperator::BitAnd, ..) => Binary::And,
        (BinaryOperator::BitOr, ..) => Binary::Or,
        (BinaryOperator::BitXor, ..) => Binary::ExclusiveOr,
        (BinaryOperator::ShiftLeft, ..) => Binary::ShiftLeft,
        (BinaryOperator::ShiftRight, _, true) => Binary::ShiftRightSigned,
        (BinaryOperator::ShiftRight, _, false) => Binary::ShiftRightUnsigned,
        _ => return None,
    })
}

pub(super) fn stored(type_ref: TypeRef, storage: Storage) -> Option<Operand> {
    Some(match storage {
        Storage::Memory { register, offset } => Operand {
            type_ref,
            code: match register {
                Some(register) => Code::register(register).plus(offset),
                None => Code::constant(offset),
            },
            kind: Kind::Address,
        },
        Storage::Register(number) => {
            let scalar = scalar(&type_ref)?;
            if scalar.float || number >= 16 {
                return None;
            }
            let width = width(scalar)?;
            let code = Code::register(number).unary(Unary::Extend(width));
            Operand::word(type_ref, code)
        }
        Storage::Constant(bytes) => {
            let scalar = scalar(&type_ref)?;
            let bytes: Vec<u8> = bytes.into_iter().take(scalar.bytes as usize).collect();
            let word = match scalar.decode(&bytes) {
                Number::Integer(integer) => integer as u64,
                Number::Float(float) => float.to_bits(),
            };
            Operand::word(type_ref, Code::constant(word))
        }
    })
}

/// A member by name through anonymous members and bases: its type, its offset, its bits.
pub(super) fn member(
    type_ref: &TypeRef,
    name: &str,
    depth: usize,
) -> Option<(TypeRef, u64, Option<BitField>)> {
    let Shape::Aggregate(structure) = type_ref.shape() else {
        return None;
    };
    if depth > 16 {
        return None;
    }
    let offset = |position: &MemberPosition| match position {
        MemberPosition::Offset(offset) => Some(*offset),
        MemberPosition::Expression(_) => None,
    };
    for member in &structure.members {
        if member.name.as_deref() == Some(name) {
            let type_ref = structure.member_type(member.type_id);
            return match member.bit_field {
                Some(bits) => Some((
                    type_ref,
                    bits.bit_offset / 8,
                    Some(BitField {
                        bit_offset: bits.bit_offset % 8,
                        bit_size: bits.bit_size,
                    }),
                )),
                None => Some((type_ref, offset(&member.position)?, None)),
            };
        }
    }
    let nameless = structure
        .members
        .iter()
        .filter(|member| member.name.is_none())
        .map(|member| (structure.member_type(member.type_id), &member.position));
    let bases = structure
        .bases
        .iter()
        .map(|base| (structure.member_type(Some(base.type_id)), &base.position));
    nameless.chain(bases).find_map(|(inner, position)| {
        let start = offset(position)?;
        let (type_ref, at, bits) = member(&inner, name, depth + 1)?;
        Some((type_ref, start + at, bits))
    })
}

/// The word of what an operand is.
pub(super) fn load(operand: Operand) -> Option<Operand> {
    let operand = through_reference(operand)?;
    match operand.kind {
        Kind::Word => Some(operand),
        Kind::Address => {
            // Arrays and functions are their addresses.
            match operand.type_ref.shape() {
                Shape::Array {
                    element,
                    is_vector: false,
                    ..
                } => {
                    return Some(Operand::word(element.pointer(), operand.code));
                }
                Shape::Function { .. } => {
                    return Some(Operand::word(operand.type_ref.pointer(), operand.code));
                }
                _ => {}
            }
            let width = width(scalar(&operand.type_ref)?)?;
            let code = operand.code.then(Instruction::Load(width));
            Some(Operand::word(operand.type_ref, code))
        }
        Kind::Bits(bits) => {
            let end = bits.bit_offset + bits.bit_size;
            let width = match end {
                0 => return None,
                1..=8 => Width::U8,
                9..=16 => Width::U16,
                17..=32 => Width::U32,
                33..=64 => Width::U64,
                _ => return None,
            };
            let signed = scalar(&operand.type_ref)?.signed;
            let shift = if signed {
                Binary::ShiftRightSigned
            } else {
                Binary::ShiftRightUnsigned
            };
            // To the top, so that what lies above is cut off, and down again with the sign.
            let code = operand
                .code
                .then(Instruction::Load(width))
                .binary(Code::constant(64 - end), Binary::ShiftLeft)
                .binary(Code::constant(64 - bits.bit_size), shift);
            Some(Operand::word(operand.type_ref, code))
        }
    }
}

/// What a reference refers to.
pub(super) fn through_reference(operand: Operand) -> Option<Operand> {
    match operand.type_ref.shape() {
        Shape::Pointer {
            kind: PointerKind::Reference | PointerKind::RvalueReference,
            target,
            ..
        } => {
            let code = match operand.kind {
                Kind::Word => operand.code,
                Kind::Address => operand.code.then(Instruction::Load(Width::U64)),
                Kind::Bits(_) => return None,
            };
            Some(Operand {
                type_ref: target,
                code,
                kind: Kind::Address,
            })
        }
        _ => Some(operand),
    }
}

pub(super) fn dereference(operand: Operand) -> Option<Operand> {
    let target = pointee(&operand.type_ref)?;
    if matches!(target.shape(), Shape::Void) {
        return None;
    }
    Some(Operand {
        type_ref: target,
        code: operand.code,
        kind: Kind::Address,
    })
}

pub(super) fn pointee(type_ref: &TypeRef) -> Option<TypeRef> {
    match type_ref.shape() {
        Shape::Pointer { target, .. } => Some(target),
        _ => None,
    }
}

pub(super) fn is_boolean(type_ref: &TypeRef) -> bool {
    matches!(type_ref.shape(), Shape::Base(base) if base.encoding == Encoding::Boolean)
}

/// Scalars that fit in a word.
pub(super) fn scalar(type_ref: &TypeRef) -> Option<Scalar> {
    Scalar::of(type_ref).filter(|scalar| width(*scalar).is_some())
}

pub(super) fn width(scalar: Scalar) -> Option<Width> {
    Some(match (scalar.float, scalar.bytes, scalar.signed) {
        (true, 4, _) => Width::F32,
        (true, 8, _) => Width::F64,
        (true, ..) => return None,
        (_, 1, false) => Width::U8,
        (_, 1, true) => Width::I8,
        (_, 2, false) => Width::U16,
        (_, 2, true) => Width::I16,
        (_, 4, false) => Width::U32,
        (_, 4, true) => Width::I32,
        (_, 8, _) => Width::U64,
        _ => return None,
    })
}

/// A word cut to its type.
pub(super) fn wrapped(code: Code, type_ref: &TypeRef) -> Option<Code> {
    match width(scalar(type_ref)?)? {
        Width::U64 => Some(code),
        narrow => Some(code.unary(Unary::Extend(narrow))),
    }
}

/// The word of an operand in another type.
pub(super) fn convert(operand: Operand, target: &TypeRef) -> Option<Code> {
    let from = scalar(&operand.type_ref)?;
    let to = scalar(target)?;
    let code = operand.code;
    Some(match (from.float, to.float) {
        (true, true) if to.bytes == 4 && from.bytes != 4 => code.unary(Unary::RoundToSingle),
        (true, true) => code,
        (false, true) => {
            let code = code.unary(if from.signed {
                Unary::SignedToFloat
            } else {
                Unary::UnsignedToFloat
            });
            if to.bytes == 4 {
                code.unary(Unary::RoundToSingle)
            } else {
                code
            }
        }
        (true, false) => {
            let code = code.unary(if to.signed {
                Unary::FloatToSigned
            } else {
                Unary::FloatToUnsigned
            });
            wrapped(code, target)?
        }
        (false, false) if from == to => code,
        (false, false) => wrapped(code, target)?,
    })
}
