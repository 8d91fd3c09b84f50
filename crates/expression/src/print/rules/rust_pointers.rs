//! Rust: counted pointers, with their counts.

use super::rust_sequences::wide_parts;
use super::walk::{Walk, unwrap};
use super::{Entry, Pretty, Rule};
use crate::types::{Shape, Structure, TypeRef};
use crate::value::Value;

pub(super) const RULES: &[Rule] = &[
    Rule {
        prefix: "alloc::rc::Rc<",
        make: counted,
    },
    Rule {
        prefix: "alloc::sync::Arc<",
        make: counted,
    },
    Rule {
        prefix: "alloc::rc::Weak<",
        make: weak,
    },
    Rule {
        prefix: "alloc::sync::Weak<",
        make: weak,
    },
    Rule {
        prefix: "core::ptr::non_null::NonNull<",
        make: raw,
    },
    Rule {
        prefix: "core::ptr::unique::Unique<",
        make: raw,
    },
    Rule {
        prefix: "core::pin::Pin<",
        make: pinned,
    },
];

/// What a counted pointer or a pin points to.
pub(super) fn pointee(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Value> {
    let name = structure.qualified_name.as_deref()?;
    if name.starts_with("alloc::rc::Rc<") || name.starts_with("alloc::sync::Arc<") {
        return counted_parts(walk, value).map(|parts| parts.inner);
    }
    if name.starts_with("&dyn ")
        || name.starts_with("&mut dyn ")
        || name.starts_with("alloc::boxed::Box<dyn ")
    {
        let (address, _) = walk.pointer_at(value, &["pointer", "data_ptr"])?;
        let (vtable, _) = walk.pointer_at(value, &["vtable"])?;
        let concrete = walk.scope.vtable_type(vtable)?;
        return Some(Value::in_memory(concrete, address));
    }
    if name.starts_with("core::pin::Pin<") || name.starts_with("core::ptr::non_null::NonNull<") {
        let (address, target) = walk.pointer(value)?;
        return Some(Value::in_memory(target, address));
    }
    None
}

struct Counted {
    strong: i128,
    weak: i128,
    inner: Value,
}

fn counted_parts(walk: &mut Walk<'_>, value: &Value) -> Option<Counted> {
    let pointer = walk.at(value, &["ptr"])?;
    let (address, target) = walk.pointer(&pointer)?;
    if address == u64::MAX || address == 0 {
        return None;
    }
    let block = Value::in_memory(target, address);
    let strong = walk.number(&block, &["strong"])?;
    let weak = walk.number(&block, &["weak"])?;
    let inner = walk.at(&block, &["value", "data"])?;
    // A pointer to text or a slice knows the length that the block does not.
    let wide = unwrap(&pointer, |shape| match shape {
        Shape::Aggregate(structure) => structure
            .members
            .iter()
            .any(|member| member.name.as_deref() == Some("length")),
        _ => false,
    });
    let inner = match wide.and_then(|wide| walk.number(&wide, &["length"])) {
        Some(count) => {
            let element = match inner.type_ref.shape() {
                Shape::Array { element, .. } => element,
                _ => inner.type_ref.clone(),
            };
            Value::in_memory(
                element.array(Some(u64::try_from(count).ok()?)),
                inner.address()?,
            )
        }
        None => inner,
    };
    Some(Counted {
        strong,
        weak,
        inner,
    })
}

fn short(structure: &Structure) -> String {
    crate::print::rust_shape::short_name(structure.qualified_name.as_deref().unwrap_or_default())
}

fn counted(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Pretty> {
    let parts = counted_parts(walk, value)?;
    let counts = format!(", strong={}, weak={}", parts.strong, parts.weak - 1);
    let name = structure.qualified_name.as_deref()?;
    if name.contains("Rc<str") || name.contains("Arc<str") {
        let Shape::Array { count, .. } = parts.inner.type_ref.shape() else {
            return None;
        };
        let (bytes, more) = walk.text(parts.inner.address()?, count?, 1).ok()?;
        let text = crate::print::text::string(
            &bytes,
            crate::print::text::CharacterKind::RUST,
            walk.characters,
            10,
            more,
        );
        return Some(Pretty::Plain(format!(
            "{}({text}{counts})",
            short(structure)
        )));
    }
    Some(Pretty::Wrapped(short(structure), parts.inner, counts))
}

fn weak(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Pretty> {
    let (address, _) = walk.pointer(value)?;
    if address == u64::MAX {
        return Some(Pretty::Plain(format!("{}(dangling)", short(structure))));
    }
    let parts = counted_parts(walk, value)?;
    let behind = if parts.strong > 0 { 1 } else { 0 };
    let counts = format!("strong={}, weak={}", parts.strong, parts.weak - behind);
    if parts.strong == 0 {
        return Some(Pretty::Plain(format!("{}({counts})", short(structure))));
    }
    // The object may hold this very pointer, so it is not followed.
    let text = format!(
        "{}({:#x}, {counts})",
        short(structure),
        parts.inner.address()?
    );
    let target = Entry::Named("*".to_string(), parts.inner);
    Some(Pretty::Titled(text, vec![target]))
}

fn raw(walk: &mut Walk<'_>, value: &Value, _: &Structure) -> Option<Pretty> {
    if wide_parts(walk, value).is_some() {
        return None;
    }
    let pointer = walk.at(value, &["pointer"])?;
    let (address, target) = walk.pointer(&pointer)?;
    let type_ref: TypeRef = target.pointer();
    if value.type_ref.size() != Some(8) {
        return None;
    }
    Some(Pretty::Same(Value::computed(
        type_ref,
        address.to_le_bytes().to_vec(),
    )))
}

fn pinned(walk: &mut Walk<'_>, value: &Value, _: &Structure) -> Option<Pretty> {
    let inner = walk.at(value, &["pointer", "__pointer"])?;
    Some(Pretty::Wrapped("Pin".to_string(), inner, String::new()))
}
