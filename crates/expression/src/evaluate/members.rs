//! Members: of structures, of their anonymous parts and bases, of the active variant of an enum.

use wayfarer_symbols::types::{Aggregate, BitField, Constant, Member, MemberPosition, Variant};

use super::methods::method;
use super::{Evaluated, Evaluator, contents, encode, number_of, pointer_of};
use crate::number::{Number, Scalar};
use crate::print::{VECTOR, vector_readings};
use crate::scope::{EvaluationError, Scope};
use crate::types::{Shape, Structure, TypeRef};
use crate::value::Value;

/// How deep anonymous members and bases are searched.
pub(super) const MAXIMUM_DEPTH: usize = 32;

impl Evaluator<'_> {
    /// A member by name, through pointers and references.
    pub(super) fn field(&mut self, base: &Value, name: &str) -> Evaluated {
        let mut base = base.clone();
        for _ in 0..8 {
            match base.type_ref.shape() {
                Shape::Pointer { target, .. } => {
                    if matches!(
                        base.place,
                        wayfarer_symbols::location::Place::ImplicitPointer { .. }
                    ) {
                        base = self.dereference(&base)?;
                        continue;
                    }
                    let address = pointer_of(&base, self.scope)?;
                    base = Value::in_memory(target, address);
                }
                Shape::Aggregate(structure) => {
                    if let Some(found) = field_of(&base, name, self.scope)? {
                        return Ok(found);
                    }
                    if let Some(found) = self.static_member(&base.type_ref, name)? {
                        return Ok(found);
                    }
                    if let Some(found) = method(&structure, name, &[], self.scope)? {
                        return Ok(found);
                    }
                    // `->` of a smart pointer is what its `operator->` would give.
                    match crate::print::smart_pointee(&base, self.scope) {
                        Some(inner) => base = inner,
                        None => break,
                    }
                }
                Shape::Record(record) => match record.member(name) {
                    Some((_, offset, type_ref)) => {
                        return Ok(base.part(type_ref.clone(), *offset, None));
                    }
                    None => break,
                },
                Shape::Base(kind) if &*kind.name == VECTOR => {
                    let mut readings = vector_readings().into_iter();
                    match readings.find(|(reading, _)| *reading == name) {
                        Some((_, type_ref)) => return Ok(base.part(type_ref, 0, None)),
                        None => break,
                    }
                }
                _ => {
                    return Err(EvaluationError::invalid(
                        "Attempt to extract a component of a value that is not a structure.",
                    ));
                }
            }
        }
        Err(EvaluationError::NoMember(name.to_string()))
    }

    /// A static member of a class.
    pub(super) fn static_member(
        &mut self,
        class: &TypeRef,
        name: &str,
    ) -> Evaluated<Option<Value>> {
        static_member(class, name, self.scope)
    }
}

pub(crate) fn static_member(
    class: &TypeRef,
    name: &str,
    scope: &mut dyn Scope,
) -> Evaluated<Option<Value>> {
    let Shape::Aggregate(structure) = class.shape() else {
        return Ok(None);
    };
    let Some(member) = structure
        .static_members
        .iter()
        .find(|member| &*member.name == name)
    else {
        return Ok(None);
    };
    let class_name = structure.qualified_name.as_deref().unwrap_or_default();
    if let Some(value) = scope.variable(&format!("{class_name}::{name}"))? {
        return Ok(Some(value));
    }
    let type_ref = structure.member_type(member.type_id);
    Ok(match &member.constant {
        Some(Constant::Integer(value)) => Some(encode(type_ref, Number::Integer(*value))),
        Some(Constant::Bytes(bytes)) => Some(Value::computed(type_ref, bytes.to_vec())),
        None => Some(Value::absent(
            type_ref,
            wayfarer_symbols::location::Absence::OptimisedOut,
        )),
    })
}

/// A member of a structure by name; Rust's tuples have `0` under `__0`.
pub(crate) fn field_of(
    base: &Value,
    name: &str,
    scope: &mut dyn Scope,
) -> Evaluated<Option<Value>> {
    let name = match name.bytes().all(|byte| byte.is_ascii_digit()) {
        true => format!("__{name}"),
        false => name.to_string(),
    };
    search(base, &name, scope, 0)
}

fn search(
    base: &Value,
    name: &str,
    scope: &mut dyn Scope,
    depth: usize,
) -> Evaluated<Option<Value>> {
    let Shape::Aggregate(structure) = base.type_ref.shape() else {
        return Ok(None);
    };
    if depth > MAXIMUM_DEPTH {
        return Ok(None);
    }
    if let Some(member) = structure
        .members
        .iter()
        .find(|member| member.name.as_deref() == Some(name))
    {
        return Ok(Some(member_value(base, &structure, member, scope)?));
    }
    for member in structure
        .members
        .iter()
        .filter(|member| member.name.is_none())
    {
        let inner = member_value(base, &structure, member, scope)?;
        if let Some(found) = search(&inner, name, scope, depth + 1)? {
            return Ok(Some(found));
        }
    }
    if let Some(variant) = active_variant(base, &structure, scope)? {
        for member in &variant.members {
            let inner = member_value(base, &structure, member, scope)?;
            if member.name.as_deref() == Some(name) {
                return Ok(Some(inner));
            }
            if let Some(found) = search(&inner, name, scope, depth + 1)? {
                return Ok(Some(found));
            }
        }
    }
    // `Base::member` and `Base` name a part of the object by its class.
    let (class, rest) = match name.split_once("::") {
        Some((class, rest)) => (Some(class), rest),
        None => (None, name),
    };
    for index in 0..structure.bases.len() {
        let inner = base_value(base, &structure, index, scope)?;
        let short = match inner.type_ref.shape() {
            Shape::Aggregate(base) => base.name.clone(),
            _ => None,
        };
        let named = |wanted: &str| short.as_deref() == Some(wanted);
        if class.is_none() && named(name) {
            return Ok(Some(inner));
        }
        let wanted = match class {
            Some(class) if named(class) => rest,
            _ => name,
        };
        if let Some(found) = search(&inner, wanted, scope, depth + 1)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The value of a member.
pub(crate) fn member_value(
    base: &Value,
    structure: &Structure,
    member: &Member,
    scope: &mut dyn Scope,
) -> Evaluated {
    let type_ref = structure.member_type(member.type_id);
    if let Some(bits) = member.bit_field {
        // Counted from the byte that holds the first bit, so that no byte beyond is touched.
        let byte = bits.bit_offset / 8;
        let bits = BitField {
            bit_offset: bits.bit_offset % 8,
            bit_size: bits.bit_size,
        };
        return Ok(base.part(type_ref, byte, Some(bits)));
    }
    match &member.position {
        MemberPosition::Offset(offset) => Ok(base.part(type_ref, *offset, None)),
        MemberPosition::Expression(expression) => {
            virtual_part(base, structure, type_ref, expression, scope)
        }
    }
}

/// The part of an object that is one of its bases.
pub(crate) fn base_value(
    base: &Value,
    structure: &Structure,
    index: usize,
    scope: &mut dyn Scope,
) -> Evaluated {
    let class = &structure.bases[index];
    let type_ref = structure.member_type(Some(class.type_id));
    match &class.position {
        MemberPosition::Offset(offset) => Ok(base.part(type_ref, *offset, None)),
        MemberPosition::Expression(expression) => {
            virtual_part(base, structure, type_ref, expression, scope)
        }
    }
}

fn virtual_part(
    base: &Value,
    structure: &Structure,
    type_ref: TypeRef,
    expression: &[u8],
    scope: &mut dyn Scope,
) -> Evaluated {
    let address = base
        .address()
        .and_then(|object| scope.member_address(&structure.module, expression, object))
        .ok_or_else(|| EvaluationError::invalid("the virtual base cannot be found"))?;
    Ok(Value::in_memory(type_ref, address))
}

/// The variant of a Rust enum that is there now; `None` for what is not an enum.
pub(crate) fn active_variant<'a>(
    base: &Value,
    structure: &'a Structure,
    scope: &mut dyn Scope,
) -> Evaluated<Option<&'a Variant>> {
    let aggregate: &Aggregate = structure;
    let Some(part) = &aggregate.variant_part else {
        return Ok(None);
    };
    let Some(discriminant) = &part.discriminant else {
        return Ok(part.variants.first());
    };
    let value = member_value(base, structure, discriminant, scope)?;
    let number = match Scalar::of(&value.type_ref) {
        Some(_) => number_of(&value, scope)?.as_integer(),
        None => {
            let fetched = contents(&value, scope)?;
            Scalar::integer(fetched.bytes.len().min(16) as u64, false)
                .decode(&fetched.bytes)
                .as_integer()
        }
    };
    // Discriminants are stated signed or unsigned, as the compiler pleased.
    let bits = value.type_ref.size().unwrap_or(8) * 8;
    let same = |wanted: i128| {
        crate::number::wrap_bits(wanted, bits, false)
            == crate::number::wrap_bits(number, bits, false)
    };
    let chosen = part.variants.iter().find(|variant| {
        variant.discriminants.iter().any(|range| {
            same(range.first) || same(range.last) || (range.first <= number && number <= range.last)
        })
    });
    Ok(chosen.or_else(|| {
        part.variants
            .iter()
            .find(|variant| variant.discriminants.is_empty())
    }))
}
