//! Rust: strings, slices, vectors, rings of elements.

use super::walk::{Ring, Sequence, Walk, template_type};
use super::{Entry, Items, Pretty, Rule, Style, cut_short};
use crate::print::text::CharacterKind;
use crate::types::{Shape, Structure, TypeRef};
use crate::value::Value;

pub(super) const RULES: &[Rule] = &[
    Rule {
        prefix: "alloc::string::String",
        make: owned_text,
    },
    Rule {
        prefix: "std::path::PathBuf",
        make: owned_text,
    },
    Rule {
        prefix: "std::ffi::os_str::OsString",
        make: owned_text,
    },
    Rule {
        prefix: "alloc::ffi::c_str::CString",
        make: c_text,
    },
    Rule {
        prefix: "&",
        make: borrowed,
    },
    Rule {
        prefix: "*",
        make: borrowed,
    },
    Rule {
        prefix: "alloc::boxed::Box<",
        make: borrowed,
    },
    Rule {
        prefix: "alloc::vec::Vec<",
        make: vector,
    },
    Rule {
        prefix: "alloc::collections::vec_deque::VecDeque<",
        make: ring,
    },
    Rule {
        prefix: "alloc::collections::linked_list::LinkedList<",
        make: linked_list,
    },
    Rule {
        prefix: "alloc::collections::binary_heap::BinaryHeap<",
        make: heap,
    },
];

/// The elements of a vector, slice or string.
pub(super) fn sequence(
    walk: &mut Walk<'_>,
    value: &Value,
    structure: &Structure,
) -> Option<Sequence> {
    let name = structure.qualified_name.as_deref()?;
    if name.starts_with("alloc::vec::Vec<") {
        return vector_parts(walk, value, structure);
    }
    if name.starts_with("alloc::string::String") {
        let inner = walk.at(value, &["vec"])?;
        let Shape::Aggregate(vector) = inner.type_ref.shape() else {
            return None;
        };
        return vector_parts(walk, &inner, &vector);
    }
    wide_parts(walk, value)
}

/// A fat pointer: where the elements are and how many.
pub(super) fn wide_parts(walk: &mut Walk<'_>, value: &Value) -> Option<Sequence> {
    let (address, target) = walk.pointer_at(value, &["data_ptr"])?;
    let count = walk.number(value, &["length"])?;
    // The pointer may name the slice, and not its element.
    let element = match target.shape() {
        Shape::Array { element, .. } => element,
        _ => target,
    };
    Some(Sequence::new(element, address, u64::try_from(count).ok()?))
}

fn vector_parts(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Sequence> {
    let element = template_type(structure, 0)?;
    let buffer = walk.at(value, &["buf"])?;
    let (address, _) = walk.pointer(&buffer)?;
    let count = walk.number(value, &["len"])?;
    Some(Sequence::new(element, address, u64::try_from(count).ok()?))
}

/// The vector of bytes that a string type is made of, through its wrappers.
fn bytes_of(walk: &mut Walk<'_>, value: &Value) -> Option<Sequence> {
    let vector = super::walk::unwrap(value, |shape| match shape {
        Shape::Aggregate(structure) => structure
            .qualified_name
            .as_deref()
            .is_some_and(|name| name.starts_with("alloc::vec::Vec<")),
        _ => false,
    })?;
    let Shape::Aggregate(structure) = vector.type_ref.shape() else {
        return None;
    };
    vector_parts(walk, &vector, &structure).filter(|found| found.element.size() == Some(1))
}

fn text(walk: &mut Walk<'_>, sequence: &Sequence) -> Pretty {
    match walk.text(sequence.address, sequence.count, 1) {
        Ok((bytes, more)) => Pretty::Text {
            bytes,
            kind: CharacterKind::RUST,
            more,
        },
        Err(error) => Pretty::Plain(cut_short(&error)),
    }
}

fn owned_text(walk: &mut Walk<'_>, value: &Value, _: &Structure) -> Option<Pretty> {
    let sequence = bytes_of(walk, value)?;
    Some(text(walk, &sequence))
}

fn c_text(walk: &mut Walk<'_>, value: &Value, _: &Structure) -> Option<Pretty> {
    let inner = walk.at(value, &["inner"])?;
    let mut sequence = wide_parts(walk, &inner)?;
    // The nul is part of the storage, not of the text.
    sequence.count = sequence.count.saturating_sub(1);
    Some(text(walk, &sequence))
}

/// Wide pointers: to text, to slices, to trait objects.
fn borrowed(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Pretty> {
    let name = structure.qualified_name.as_deref()?;
    if let Some(sequence) = wide_parts(walk, value) {
        let target = name
            .trim_start_matches("alloc::boxed::Box<")
            .trim_start_matches(['&', '*'])
            .trim_start_matches("mut ")
            .trim_start_matches("const ");
        let is_text = ["str", "std::path::Path", "std::ffi::os_str::OsStr"]
            .iter()
            .any(|kind| {
                target
                    .strip_prefix(kind)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with([',', '>']))
            });
        if is_text {
            return Some(text(walk, &sequence));
        }
        if target.starts_with("core::ffi::c_str::CStr") {
            let sequence = Sequence {
                count: sequence.count.saturating_sub(1),
                ..sequence
            };
            return Some(text(walk, &sequence));
        }
        let mut items = list(sequence);
        if name.starts_with('&') {
            let sign = if name.starts_with("&mut ") {
                "&mut"
            } else {
                "&"
            };
            items.head = sign.to_string();
        }
        return Some(Pretty::Items(items));
    }
    trait_object(walk, value, name)
}

fn list(sequence: Sequence) -> Items {
    Items::run(String::new(), Style::RustList, sequence)
}

/// `&dyn Trait`: the object by its concrete type if the virtual table tells it.
fn trait_object(walk: &mut Walk<'_>, value: &Value, name: &str) -> Option<Pretty> {
    let (address, _) = walk.pointer_at(value, &["pointer", "data_ptr"])?;
    let (vtable, _) = walk.pointer_at(value, &["vtable"])?;
    if let Some(concrete) = walk.scope.vtable_type(vtable) {
        let object = Value::in_memory(concrete, address);
        let head = if name.starts_with('&') {
            "&dyn"
        } else {
            "Box<dyn>"
        };
        return Some(Pretty::Wrapped(head.to_string(), object, String::new()));
    }
    let symbol = match walk.scope.symbol_at(vtable) {
        Some(symbol) => format!(" <{}>", symbol.name),
        None => String::new(),
    };
    Some(Pretty::Plain(format!(
        "{name} {{pointer: {address:#x}, vtable: {vtable:#x}{symbol}}}"
    )))
}

fn vector(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Pretty> {
    let sequence = vector_parts(walk, value, structure)?;
    Some(Pretty::Items(list(sequence)))
}

fn heap(walk: &mut Walk<'_>, value: &Value, _: &Structure) -> Option<Pretty> {
    Some(Pretty::Same(walk.at(value, &["data"])?))
}

fn ring(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Pretty> {
    let element = template_type(structure, 0)?;
    let size = element.size()?;
    let buffer = walk.at(value, &["buf"])?;
    let (address, _) = walk.pointer(&buffer)?;
    let head = u64::try_from(walk.number(value, &["head"])?).ok()?;
    let count = u64::try_from(walk.number(value, &["len"])?).ok()?;
    let capacity = walk.number(value, &["buf.inner.cap", "buf.cap"])?;
    let capacity = if size == 0 {
        u64::MAX
    } else {
        u64::try_from(capacity).ok()?
    };
    if count > capacity {
        return None;
    }
    let mut sequence = Sequence::new(element, address, count);
    sequence.ring = Some(Ring { head, capacity });
    Some(Pretty::Items(list(sequence)))
}

fn linked_list(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Pretty> {
    let count = u64::try_from(walk.number(value, &["len"])?).ok()?;
    let head = walk.at(value, &["head"])?;
    let node_type = node_type(&head.type_ref)?;
    template_type(structure, 0)?;
    let mut items = Items::listed(String::new(), Style::RustList, count);
    items.more = count > walk.shown(count);
    let mut node = first_word(walk, &head)?;
    for _ in 0..walk.shown(count) {
        if node == 0 {
            break;
        }
        let current = Value::in_memory(node_type.clone(), node);
        items.push(Entry::Plain(walk.at(&current, &["element"])?));
        let next = walk.at(&current, &["next"])?;
        match first_word(walk, &next) {
            Some(address) => node = address,
            None => {
                items.error = Some(format!(
                    "<error: Cannot access memory at address {node:#x}>"
                ));
                break;
            }
        }
    }
    Some(Pretty::Items(items))
}

/// An `Option<NonNull<T>>` is one word.
pub(super) fn first_word(walk: &mut Walk<'_>, value: &Value) -> Option<u64> {
    if value.type_ref.size()? != 8 {
        return None;
    }
    walk.word(value.address()?).ok()
}

/// What the pointer within an `Option<NonNull<T>>` points to, by the types alone.
pub(super) fn node_type(option: &TypeRef) -> Option<TypeRef> {
    fn search(type_ref: &TypeRef, depth: usize) -> Option<TypeRef> {
        if depth > 8 {
            return None;
        }
        match type_ref.shape() {
            Shape::Pointer { target, .. } => Some(target),
            Shape::Aggregate(structure) => {
                let members = structure.members.iter();
                let variants = structure
                    .variant_part
                    .iter()
                    .flat_map(|part| part.variants.iter())
                    .flat_map(|variant| variant.members.iter());
                members
                    .chain(variants)
                    .find_map(|member| search(&structure.member_type(member.type_id), depth + 1))
            }
            _ => None,
        }
    }
    search(option, 0)
}
