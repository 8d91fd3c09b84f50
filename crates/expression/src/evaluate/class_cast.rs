//! Casts along C++ inheritance: to the part of an object that is a base, and back to the object
//! round a base.

use wayfarer_symbols::types::MemberPosition;

use super::{Evaluated, base_value};
use crate::scope::Scope;
use crate::types::{Shape, Structure, TypeRef};
use crate::value::Value;

/// Deeper inheritance than any program has.
const MAXIMUM_DEPTH: usize = 32;

/// The part of an object that is its base of a class, if it has one.
pub(super) fn base_part(
    object: &Value,
    class: &TypeRef,
    scope: &mut dyn Scope,
) -> Evaluated<Option<Value>> {
    search(object, class, scope, 0)
}

fn search(
    object: &Value,
    class: &TypeRef,
    scope: &mut dyn Scope,
    depth: usize,
) -> Evaluated<Option<Value>> {
    let Shape::Aggregate(structure) = object.type_ref.shape() else {
        return Ok(None);
    };
    if depth > MAXIMUM_DEPTH {
        return Ok(None);
    }
    for index in 0..structure.bases.len() {
        let base = structure.member_type(Some(structure.bases[index].type_id));
        let is_wanted = base.same(class);
        if !is_wanted && !has_bases(&base) {
            continue;
        }
        let part = base_value(object, &structure, index, scope)?;
        if is_wanted {
            return Ok(Some(part));
        }
        if let Some(found) = search(&part, class, scope, depth + 1)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn has_bases(class: &TypeRef) -> bool {
    matches!(class.shape(), Shape::Aggregate(structure) if !structure.bases.is_empty())
}

/// The address that a pointer to an object of one class has as a pointer to another: moved if one
/// is a base of the other, the same otherwise.
pub(super) fn moved(
    address: u64,
    from: &TypeRef,
    to: &TypeRef,
    scope: &mut dyn Scope,
) -> Evaluated<u64> {
    let (Shape::Aggregate(_), Shape::Aggregate(derived)) = (from.shape(), to.shape()) else {
        return Ok(address);
    };
    if address == 0 || from.same(to) {
        return Ok(address);
    }
    let object = Value::in_memory(from.clone(), address);
    if let Some(part) = base_part(&object, to, scope)? {
        return Ok(part.address().unwrap_or(address));
    }
    match offset_of_base(&derived, from, 0) {
        Some(offset) => Ok(address.wrapping_sub(offset)),
        None => Ok(address),
    }
}

/// Where in a class a base begins; a virtual one begins somewhere else in every object.
fn offset_of_base(structure: &Structure, class: &TypeRef, depth: usize) -> Option<u64> {
    if depth > MAXIMUM_DEPTH {
        return None;
    }
    structure.bases.iter().find_map(|base| {
        let MemberPosition::Offset(offset) = base.position else {
            return None;
        };
        let type_ref = structure.member_type(Some(base.type_id));
        if type_ref.same(class) {
            return Some(offset);
        }
        match type_ref.shape() {
            Shape::Aggregate(inner) => {
                Some(offset.wrapping_add(offset_of_base(&inner, class, depth + 1)?))
            }
            _ => None,
        }
    })
}
