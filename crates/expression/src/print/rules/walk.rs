//! How rules look into values: by paths of member names, by structure, by address.

use crate::evaluate::{field_of, number_of, read_bytes};
use crate::scope::{EvaluationError, Scope};
use crate::types::{Shape, Structure, TypeRef};
use crate::value::Value;

/// How many wrappers a rule looks through.
const MAXIMUM_WRAPPERS: usize = 12;

/// A reader of values for rules.
pub(super) struct Walk<'a> {
    pub scope: &'a mut dyn Scope,
    /// How many elements are wanted.
    pub limit: usize,
    /// How many characters of a string are wanted.
    pub characters: usize,
}

/// A run of elements in memory.
#[derive(Clone)]
pub(crate) struct Sequence {
    pub element: TypeRef,
    pub address: u64,
    pub count: u64,
    /// The run begins somewhere in a ring.
    pub ring: Option<Ring>,
}

/// A buffer that begins anew at its start.
#[derive(Clone, Copy)]
pub(crate) struct Ring {
    /// The place of the first element.
    pub head: u64,
    /// How many places there are.
    pub capacity: u64,
}

impl Sequence {
    pub(super) fn new(element: TypeRef, address: u64, count: u64) -> Sequence {
        Sequence {
            element,
            address,
            count,
            ring: None,
        }
    }

    pub(super) fn element_at(&self, index: u64) -> Value {
        let size = self.element.size().unwrap_or(0);
        let place = match self.ring {
            Some(ring) => ring.head.wrapping_add(index) % ring.capacity.max(1),
            None => index,
        };
        let address = self.address.wrapping_add(place.wrapping_mul(size));
        Value::in_memory(self.element.clone(), address)
    }
}

impl<'a> Walk<'a> {
    pub(super) fn new(scope: &'a mut dyn Scope, limit: usize) -> Walk<'a> {
        Walk {
            scope,
            limit,
            characters: limit,
        }
    }
}

impl Walk<'_> {
    /// The member at a path such as `_M_impl._M_start`; the first of several paths that is there.
    pub(super) fn at(&mut self, value: &Value, paths: &[&str]) -> Option<Value> {
        paths.iter().find_map(|path| {
            let mut current = value.clone();
            for name in path.split('.') {
                current = field_of(&current, name, self.scope).ok()??;
            }
            Some(current)
        })
    }

    /// The number at a path, wrappers of one member looked through.
    pub(super) fn number(&mut self, value: &Value, paths: &[&str]) -> Option<i128> {
        let member = self.at(value, paths)?;
        self.plain_number(&member)
    }

    /// The number that a value is or wraps.
    pub(super) fn plain_number(&mut self, value: &Value) -> Option<i128> {
        let scalar = unwrap(value, |shape| {
            matches!(
                shape,
                Shape::Base(_) | Shape::Enumeration(_) | Shape::Pointer { .. }
            )
        })?;
        Some(number_of(&scalar, self.scope).ok()?.as_integer())
    }

    /// The address that the first pointer in a value holds, and the type it points to.
    pub(super) fn pointer(&mut self, value: &Value) -> Option<(u64, TypeRef)> {
        let pointer = unwrap(value, |shape| matches!(shape, Shape::Pointer { .. }))?;
        let Shape::Pointer { target, .. } = pointer.type_ref.shape() else {
            return None;
        };
        let address = number_of(&pointer, self.scope).ok()?.as_integer() as u64;
        Some((address, target))
    }

    /// The pointer at a path.
    pub(super) fn pointer_at(&mut self, value: &Value, paths: &[&str]) -> Option<(u64, TypeRef)> {
        let member = self.at(value, paths)?;
        self.pointer(&member)
    }

    /// A word of memory.
    pub(super) fn word(&mut self, address: u64) -> Result<u64, EvaluationError> {
        let bytes = read_bytes(address, 8, self.scope)?;
        Ok(u64::from_le_bytes(bytes.try_into().unwrap_or_default()))
    }

    /// How many of `count` elements are to be looked at.
    pub(super) fn shown(&self, count: u64) -> u64 {
        count.min(self.limit as u64)
    }

    /// The bytes of a string that are shown, and whether there are more.
    pub(super) fn text(
        &mut self,
        address: u64,
        count: u64,
        width: u64,
    ) -> Result<(Vec<u8>, bool), EvaluationError> {
        // A character may take four bytes; one more tells that there is more.
        let most = (self.characters as u64)
            .saturating_add(1)
            .saturating_mul(4)
            .min(1 << 22);
        let shown = count.min(most);
        let bytes = read_bytes(address, shown.saturating_mul(width), self.scope)?;
        Ok((bytes, shown < count))
    }
}

/// The nth type among the template arguments.
pub(super) fn template_type(structure: &Structure, index: usize) -> Option<TypeRef> {
    structure
        .template_parameters
        .iter()
        .filter(|parameter| parameter.value.is_none())
        .nth(index)
        .filter(|parameter| parameter.type_id.is_some())
        .map(|parameter| structure.member_type(parameter.type_id))
}

/// Looks through structures, first members with data first, for a value of a wanted shape.
pub(super) fn unwrap(value: &Value, wanted: fn(&Shape) -> bool) -> Option<Value> {
    unwrap_deep(value, wanted, 0)
}

fn unwrap_deep(value: &Value, wanted: fn(&Shape) -> bool, depth: usize) -> Option<Value> {
    let shape = value.type_ref.shape();
    if wanted(&shape) {
        return Some(value.clone());
    }
    if depth > MAXIMUM_WRAPPERS {
        return None;
    }
    let Shape::Aggregate(structure) = shape else {
        return None;
    };
    use wayfarer_symbols::types::MemberPosition;
    let offset = |position: &MemberPosition| match position {
        MemberPosition::Offset(offset) => Some(*offset),
        MemberPosition::Expression(_) => None,
    };
    for base in &structure.bases {
        let type_ref = structure.member_type(Some(base.type_id));
        if let Some(at) = offset(&base.position)
            && let Some(found) = unwrap_deep(&value.part(type_ref, at, None), wanted, depth + 1)
        {
            return Some(found);
        }
    }
    for member in &structure.members {
        let type_ref = structure.member_type(member.type_id);
        if type_ref.size().unwrap_or(0) == 0 || member.bit_field.is_some() {
            continue;
        }
        if let Some(at) = offset(&member.position)
            && let Some(found) = unwrap_deep(&value.part(type_ref, at, None), wanted, depth + 1)
        {
            return Some(found);
        }
    }
    None
}

/// The next multiple of an alignment.
pub(super) fn align(offset: u64, alignment: u64) -> u64 {
    offset.next_multiple_of(alignment.max(1))
}
