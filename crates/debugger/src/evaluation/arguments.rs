//! Arguments and results of a call by the System V calling convention: which goes where.

use wayfarer_backend::CallArgument;
use wayfarer_expression::{EvaluationError, Scope, Shape, TypeRef, Value};
use wayfarer_symbols::types::{Encoding, MemberPosition, PointerKind};

type Answer<T> = Result<T, EvaluationError>;

/// A call ready for the back end.
#[derive(Default)]
pub(crate) struct CallPlan {
    pub numbers: Vec<CallArgument>,
    pub vectors: Vec<Vec<u8>>,
    pub blocks: Vec<Vec<u8>>,
    /// The result comes back in `blocks[0]`, whose address was passed first.
    pub result_in_block: bool,
}

/// How eight bytes of a value travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Integer,
    Vector,
}

/// Lays out a call. The result type decides whether a hidden pointer goes first.
pub(crate) fn plan_call(
    parameters: &[TypeRef],
    result: &TypeRef,
    arguments: &[Value],
    scope: &mut dyn Scope,
) -> Answer<CallPlan> {
    let mut plan = CallPlan::default();
    if classes(result).is_none() {
        plan.blocks
            .push(vec![0; result.size().unwrap_or(0) as usize]);
        plan.numbers.push(CallArgument::Block(0));
        plan.result_in_block = true;
    }
    for (index, argument) in arguments.iter().enumerate() {
        plan.add(argument, parameters.get(index), scope)?;
    }
    Ok(plan)
}

impl CallPlan {
    fn add(
        &mut self,
        argument: &Value,
        parameter: Option<&TypeRef>,
        scope: &mut dyn Scope,
    ) -> Answer<()> {
        let takes_reference = parameter.is_some_and(is_reference);
        let referred;
        let mut argument = argument;
        if is_reference(&argument.type_ref)
            && !takes_reference
            && let Shape::Pointer { target, .. } = argument.type_ref.shape()
        {
            let bytes = bytes_of(argument, 8, scope)?;
            let address = u64::from_le_bytes(bytes.try_into().unwrap_or_default());
            referred = Value::in_memory(target, address);
            argument = &referred;
        }
        check(argument, parameter)?;
        if let (Shape::Array { .. } | Shape::Function { .. }, Some(address)) =
            (argument.type_ref.shape(), argument.address())
        {
            self.numbers.push(CallArgument::Number(address));
            return Ok(());
        }
        // A reference parameter takes the address of what is given.
        if let Some(Shape::Pointer { kind, .. }) = parameter.map(TypeRef::shape)
            && kind != PointerKind::Pointer
            && !matches!(argument.type_ref.shape(), Shape::Pointer { .. })
            && let Some(address) = argument.address()
        {
            self.numbers.push(CallArgument::Number(address));
            return Ok(());
        }
        let size = argument.type_ref.size().unwrap_or(8) as usize;
        let mut bytes = bytes_of(argument, size, scope)?;
        // What is nowhere in memory, a literal say, is put there for the time of the call.
        if let Some(Shape::Pointer { target, .. }) = parameter.map(TypeRef::shape)
            && takes_reference
            && !is_reference(&argument.type_ref)
        {
            if let (Some(from), Some(to)) = (scalar(&argument.type_ref), scalar(&target)) {
                bytes = converted(&bytes, from, to);
            }
            self.blocks.push(bytes);
            self.numbers
                .push(CallArgument::Block(self.blocks.len() as u32 - 1));
            return Ok(());
        }
        if let Shape::Array { .. } = argument.type_ref.shape() {
            self.blocks.push(bytes);
            self.numbers
                .push(CallArgument::Block(self.blocks.len() as u32 - 1));
            return Ok(());
        }
        let classes = match (scalar(&argument.type_ref), parameter.and_then(scalar)) {
            (Some(from), Some(to)) => {
                bytes = converted(&bytes, from, to);
                vec![if to.0 == Kind::Float {
                    Class::Vector
                } else {
                    Class::Integer
                }]
            }
            (Some(from), None) => {
                // Without a prototype a float travels as a double, a small integer as a word.
                let to = if from.0 == Kind::Float {
                    (Kind::Float, 8)
                } else {
                    (from.0, 8)
                };
                bytes = converted(&bytes, from, to);
                vec![if to.0 == Kind::Float {
                    Class::Vector
                } else {
                    Class::Integer
                }]
            }
            _ => classes(&argument.type_ref).ok_or_else(|| {
                EvaluationError::invalid(
                    "an object of more than 16 bytes can't be passed by value: pass its address.",
                )
            })?,
        };
        bytes.resize(classes.len() * 8, 0);
        for (part, class) in bytes.chunks_exact(8).zip(classes) {
            match class {
                Class::Vector => self.vectors.push(part.to_vec()),
                Class::Integer => self.numbers.push(CallArgument::Number(u64::from_le_bytes(
                    part.try_into().unwrap_or_default(),
                ))),
            }
        }
        Ok(())
    }
}

/// A reference of C++.
fn is_reference(type_ref: &TypeRef) -> bool {
    matches!(
        type_ref.shape(),
        Shape::Pointer {
            kind: PointerKind::Reference | PointerKind::RvalueReference,
            ..
        }
    )
}

/// An object is passed for an object only: as a number it would be an address that leads anywhere.
fn check(argument: &Value, parameter: Option<&TypeRef>) -> Answer<()> {
    let Some(parameter) = parameter else {
        return Ok(());
    };
    let wanted = match parameter.shape() {
        Shape::Pointer { target, .. } if is_reference(parameter) => target,
        _ => parameter.clone(),
    };
    let is_object =
        |type_ref: &TypeRef| matches!(type_ref.shape(), Shape::Aggregate(_) | Shape::Record(_));
    let is_number = |type_ref: &TypeRef| {
        scalar(type_ref).is_some() || matches!(type_ref.shape(), Shape::Array { .. })
    };
    let given = match argument.type_ref.shape() {
        Shape::Pointer { target, .. } if is_reference(&argument.type_ref) => target,
        _ => argument.type_ref.clone(),
    };
    if (is_object(&wanted) && is_number(&given)) || (is_number(&wanted) && is_object(&given)) {
        return Err(EvaluationError::invalid("Invalid cast."));
    }
    Ok(())
}

fn bytes_of(value: &Value, size: usize, scope: &mut dyn Scope) -> Answer<Vec<u8>> {
    let fetched = match value.contents() {
        Some(contents) => contents.clone(),
        None => scope.fetch(&value.place, size + value.offset as usize)?,
    };
    if let Some((_, absence)) = fetched.missing.first() {
        return Err(absence.clone().into());
    }
    let start = if value.contents().is_some() {
        0
    } else {
        value.offset as usize
    };
    Ok(fetched
        .bytes
        .get(start..start + size)
        .unwrap_or_default()
        .to_vec())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Signed,
    Unsigned,
    Float,
}

/// What a scalar type is, and its size.
fn scalar(type_ref: &TypeRef) -> Option<(Kind, usize)> {
    match type_ref.shape() {
        Shape::Base(base) if base.size <= 8 => Some((
            match base.encoding {
                Encoding::Float => Kind::Float,
                Encoding::Signed | Encoding::SignedCharacter => Kind::Signed,
                _ => Kind::Unsigned,
            },
            base.size as usize,
        )),
        Shape::Pointer { .. } => (type_ref.size() == Some(8)).then_some((Kind::Unsigned, 8)),
        Shape::Enumeration(enumeration) => Some((
            if enumeration.is_signed {
                Kind::Signed
            } else {
                Kind::Unsigned
            },
            enumeration.size as usize,
        )),
        _ => None,
    }
}

fn converted(bytes: &[u8], from: (Kind, usize), to: (Kind, usize)) -> Vec<u8> {
    let mut wide = [0u8; 8];
    let count = bytes.len().min(8);
    wide[..count].copy_from_slice(&bytes[..count]);
    if from.0 == Kind::Signed && count > 0 && count < 8 && bytes[count - 1] & 0x80 != 0 {
        wide[count..].fill(0xff);
    }
    let word = u64::from_le_bytes(wide);
    let float = match from {
        (Kind::Float, 4) => f64::from(f32::from_bits(word as u32)),
        (Kind::Float, _) => f64::from_bits(word),
        (Kind::Signed, _) => (word as i64) as f64,
        _ => word as f64,
    };
    match to {
        (Kind::Float, 4) => (float as f32).to_le_bytes().to_vec(),
        (Kind::Float, _) => float.to_le_bytes().to_vec(),
        _ if from.0 == Kind::Float => (float as i64).to_le_bytes().to_vec(),
        _ => word.to_le_bytes().to_vec(),
    }
}

/// The classes of a value's eightbytes; none: it travels in memory.
pub(super) fn classes(type_ref: &TypeRef) -> Option<Vec<Class>> {
    match type_ref.shape() {
        Shape::Void => return Some(Vec::new()),
        Shape::Base(base) if base.encoding == Encoding::Float => {
            return match base.size {
                ..=8 => Some(vec![Class::Vector]),
                // An x87 register: handled by who looks at the result.
                _ => Some(vec![Class::Integer, Class::Integer]),
            };
        }
        Shape::Base(_)
        | Shape::Pointer { .. }
        | Shape::Enumeration(_)
        | Shape::Record(_)
        | Shape::PointerToMember { .. } => {
            let size = type_ref.size().unwrap_or(8);
            return (size <= 16).then(|| vec![Class::Integer; size.div_ceil(8) as usize]);
        }
        _ => {}
    }
    let size = type_ref.size()?;
    if size > 16 {
        return None;
    }
    let mut found = vec![None; size.div_ceil(8) as usize];
    classify(type_ref, 0, &mut found, 0)?;
    Some(
        found
            .into_iter()
            .map(|class| class.unwrap_or(Class::Integer))
            .collect(),
    )
}

/// Merges the classes of a type at an offset into those of the whole.
fn classify(
    type_ref: &TypeRef,
    offset: u64,
    found: &mut [Option<Class>],
    depth: u32,
) -> Option<()> {
    if depth > 16 {
        return None;
    }
    match type_ref.shape() {
        Shape::Aggregate(structure) => {
            if structure.is_dynamic || structure.bases.iter().any(|base| base.is_virtual) {
                return None;
            }
            let variants = structure
                .variant_part
                .iter()
                .flat_map(|part| part.variants.iter().flat_map(|variant| &variant.members));
            for member in structure.members.iter().chain(variants) {
                let MemberPosition::Offset(at) = member.position else {
                    return None;
                };
                classify(
                    &structure.member_type(member.type_id),
                    offset + at,
                    found,
                    depth + 1,
                )?;
            }
            for base in &structure.bases {
                let MemberPosition::Offset(at) = base.position else {
                    return None;
                };
                classify(
                    &structure.member_type(Some(base.type_id)),
                    offset + at,
                    found,
                    depth + 1,
                )?;
            }
        }
        Shape::Array { element, count, .. } => {
            let size = element.size()?;
            for index in 0..count.unwrap_or(0).min(16) {
                classify(&element, offset + index * size, found, depth + 1)?;
            }
        }
        _ => {
            let class = match type_ref.shape() {
                Shape::Base(base) if base.encoding == Encoding::Float && base.size <= 8 => {
                    Class::Vector
                }
                _ => Class::Integer,
            };
            let end = offset + type_ref.size().unwrap_or(0).max(1);
            for index in offset / 8..end.div_ceil(8) {
                if let Some(slot) = found.get_mut(index as usize) {
                    *slot = Some(if *slot == Some(Class::Integer) {
                        Class::Integer
                    } else {
                        class
                    });
                }
            }
        }
    }
    Some(())
}
