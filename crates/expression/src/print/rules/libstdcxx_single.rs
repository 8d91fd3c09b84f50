//! libstdc++: what holds one object or a fixed few: smart pointers, optional, variant, tuple, atomic.

use super::libstdcxx::template_name;
use super::libstdcxx_nodes::{FORWARD_LINKS, HASH_LINKS, LIST_LINKS, TREE_LINKS, node_value};
use super::walk::{Walk, template_type};
use super::{Entry, Items, Pretty, Rule, Style};
use crate::describe::library_aliases;
use crate::evaluate::base_value;
use crate::types::{Shape, Structure, TypeRef};
use crate::value::Value;

pub(super) const RULES: &[Rule] = &[
    Rule {
        prefix: "std::unique_ptr<",
        make: unique,
    },
    Rule {
        prefix: "std::shared_ptr<",
        make: shared,
    },
    Rule {
        prefix: "std::weak_ptr<",
        make: shared,
    },
    Rule {
        prefix: "std::optional<",
        make: optional,
    },
    Rule {
        prefix: "std::any",
        make: any,
    },
    Rule {
        prefix: "std::variant<",
        make: variant,
    },
    Rule {
        prefix: "std::tuple<",
        make: tuple,
    },
    Rule {
        prefix: "std::pair<",
        make: pair,
    },
    Rule {
        prefix: "std::atomic<",
        make: atomic,
    },
    Rule {
        prefix: "__gnu_cxx::__normal_iterator<",
        make: vector_iterator,
    },
    Rule {
        prefix: "std::_List_",
        make: node_iterator,
    },
    Rule {
        prefix: "std::_Fwd_list_",
        make: node_iterator,
    },
    Rule {
        prefix: "std::_Rb_tree_",
        make: node_iterator,
    },
    Rule {
        prefix: "std::_Deque_iterator<",
        make: node_iterator,
    },
    Rule {
        prefix: "std::strong_ordering",
        make: ordering,
    },
    Rule {
        prefix: "std::weak_ordering",
        make: ordering,
    },
    Rule {
        prefix: "std::partial_ordering",
        make: ordering,
    },
];

/// What a smart pointer or an iterator points to.
pub(super) fn pointee(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Value> {
    let name = structure.qualified_name.as_deref()?;
    if name.starts_with("std::optional<") {
        let engaged = walk.number(value, &["_M_payload._M_engaged"])?;
        let payload = walk.at(value, &["_M_payload._M_payload"])?;
        return (engaged != 0).then_some(payload.part(template_type(structure, 0)?, 0, None));
    }
    let pointer = if name.starts_with("std::unique_ptr<") {
        unique_pointer(walk, value)?
    } else if name.starts_with("std::shared_ptr<") {
        walk.at(value, &["_M_ptr"])?
    } else if name.starts_with("__gnu_cxx::__normal_iterator<") {
        walk.at(value, &["_M_current"])?
    } else if name.starts_with("std::_Deque_iterator<") {
        walk.at(value, &["_M_cur"])?
    } else {
        return node_pointee(walk, value, structure);
    };
    let (address, target) = walk.pointer(&pointer)?;
    Some(Value::in_memory(target, address))
}

/// What the `operator*` of a class refers to.
fn dereferenced(structure: &Structure) -> Option<TypeRef> {
    let mut methods = structure.methods.iter();
    let method = methods.find(|method| &*method.name == "operator*")?;
    match structure.member_type(method.return_type).shape() {
        Shape::Pointer { target, .. } => Some(target),
        _ => None,
    }
}

/// What an iterator over nodes stands at.
fn node_pointee(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Value> {
    const ITERATORS: [(&str, &str, u64); 8] = [
        ("std::_List_iterator<", "_M_node", LIST_LINKS),
        ("std::_List_const_iterator<", "_M_node", LIST_LINKS),
        ("std::_Fwd_list_iterator<", "_M_node", FORWARD_LINKS),
        ("std::_Fwd_list_const_iterator<", "_M_node", FORWARD_LINKS),
        ("std::_Rb_tree_iterator<", "_M_node", TREE_LINKS),
        ("std::_Rb_tree_const_iterator<", "_M_node", TREE_LINKS),
        ("std::__detail::_Node_iterator<", "_M_cur", HASH_LINKS),
        ("std::__detail::_Node_const_iterator<", "_M_cur", HASH_LINKS),
    ];
    let name = structure.qualified_name.as_deref()?;
    let (_, member, links) = ITERATORS
        .into_iter()
        .find(|(prefix, _, _)| name.starts_with(prefix))?;
    let element = template_type(structure, 0).or_else(|| dereferenced(structure))?;
    let (node, _) = walk.pointer_at(value, &[member])?;
    (node != 0).then(|| node_value(node, links, &element))
}

fn unique_pointer(walk: &mut Walk<'_>, value: &Value) -> Option<Value> {
    // The pointer is the first of a tuple, the deleter the second.
    let parts = walk.at(value, &["_M_t._M_t", "_M_t"])?;
    let Shape::Aggregate(structure) = parts.type_ref.shape() else {
        return None;
    };
    tuple_elements(walk, &parts, &structure)?.into_iter().next()
}

fn unique(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Pretty> {
    let pointer = unique_pointer(walk, value)?;
    let target = template_type(structure, 0)?;
    let mut items = Items::new(
        format!("std::unique_ptr<{}>", target.plain_name()),
        Style::Named,
    );
    items.push(Entry::Named("get()".to_string(), pointer));
    Some(Pretty::Items(items))
}

fn shared(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Pretty> {
    let pointer = walk.at(value, &["_M_ptr"])?;
    let counts = walk.at(value, &["_M_refcount._M_pi"])?;
    let target = template_type(structure, 0)?;
    let (address, counted) = walk.pointer(&counts)?;
    let state = if address == 0 {
        "empty".to_string()
    } else {
        let counted = Value::in_memory(counted, address);
        let used = walk.number(&counted, &["_M_use_count"])?;
        let weak = walk.number(&counted, &["_M_weak_count"])?;
        if used == 0 {
            format!("expired, weak count {weak}")
        } else {
            format!("use count {used}, weak count {}", weak - 1)
        }
    };
    let head = format!(
        "{}<{}> ({state})",
        template_name(structure),
        target.plain_name()
    );
    let mut items = Items::new(head, Style::Named);
    items.push(Entry::Named("get()".to_string(), pointer));
    Some(Pretty::Items(items))
}

/// An object within another: its own head and elements, if a rule knows them.
fn contained(
    walk: &mut Walk<'_>,
    head: String,
    value: Value,
    style: Style,
    name: &str,
) -> Option<Pretty> {
    if let Shape::Aggregate(inner) = value.type_ref.shape()
        && let Some(qualified) = inner.qualified_name.clone()
    {
        let rule = super::CPP
            .iter()
            .flat_map(|family| family.iter())
            .find(|rule| qualified.starts_with(rule.prefix));
        if let Some(rule) = rule
            && let Some(Pretty::Items(mut items)) = (rule.make)(walk, &value, &inner)
        {
            items.head = format!("{head} containing {}", items.head);
            return Some(Pretty::Items(items));
        }
    }
    let mut items = Items::new(head, style);
    items.push(match style {
        Style::Array => Entry::Plain(value),
        _ => Entry::Named(name.to_string(), value),
    });
    Some(Pretty::Items(items))
}

fn optional(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Pretty> {
    let target = template_type(structure, 0)?;
    let engaged = walk.number(value, &["_M_payload._M_engaged"])?;
    let head = format!("std::optional<{}>", short_type(&target));
    if engaged == 0 {
        return Some(Pretty::Plain(format!("{head} [no contained value]")));
    }
    let payload = walk.at(value, &["_M_payload._M_payload"])?;
    let inner = payload.part(target, 0, None);
    contained(walk, head, inner, Style::Named, "[contained value]")
}

/// The type of what is in it is only in the name of the function that manages it.
fn any(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Pretty> {
    if structure.qualified_name.as_deref() != Some("std::any") {
        return None;
    }
    let (manager, _) = walk.pointer_at(value, &["_M_manager"])?;
    if manager == 0 {
        return Some(Pretty::Plain("std::any [no contained value]".to_string()));
    }
    let symbol = walk.scope.symbol_at(manager)?;
    let name = symbol.name.strip_prefix("std::any::_Manager_")?;
    let is_inside = name.starts_with("internal<");
    let end = name.find(">::_S_manage")?;
    let held = &name[name.find('<')? + 1..end];
    let type_ref = crate::number::builtin(held, crate::syntax::Language::Cpp)
        .or_else(|| walk.scope.type_named(None, held))?;
    let head = format!("std::any containing {}", short_type(&type_ref));
    let storage = walk.at(value, &["_M_storage"])?;
    let inner = if is_inside {
        storage.part(type_ref, 0, None)
    } else {
        let (address, _) = walk.pointer_at(&storage, &["_M_ptr"])?;
        Value::in_memory(type_ref, address)
    };
    let mut items = Items::new(head, Style::Named);
    items.push(Entry::Named("[contained value]".to_string(), inner));
    Some(Pretty::Items(items))
}

fn variant(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Pretty> {
    let index = walk.number(value, &["_M_index"])?;
    let mut storage = walk.at(value, &["_M_u"])?;
    let start = storage.clone();
    let mut alternatives = Vec::new();
    // The union nests: the first alternative, and a union of the rest.
    while let Some(first) = walk.at(&storage, &["_M_first"]) {
        let Shape::Aggregate(holder) = first.type_ref.shape() else {
            return None;
        };
        alternatives.push(template_type(&holder, 0)?);
        match walk.at(&storage, &["_M_rest"]) {
            Some(rest) if alternatives.len() < 64 => storage = rest,
            _ => break,
        }
    }
    let names: Vec<String> = alternatives.iter().map(short_type).collect();
    let head = format!("{}<{}>", template_name(structure), names.join(", "));
    let chosen = usize::try_from(index)
        .ok()
        .and_then(|index| alternatives.get(index));
    let Some(chosen) = chosen else {
        return Some(Pretty::Plain(format!("{head} [no contained value]")));
    };
    let inner = start.part(chosen.clone(), 0, None);
    contained(
        walk,
        format!("{head} [index {index}]"),
        inner,
        Style::Array,
        "",
    )
}

/// The elements of a tuple: each layer derives from the layer of the rest and from the holder of
/// its own element.
fn tuple_elements(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Vec<Value>> {
    let mut elements = Vec::new();
    let mut current = value.clone();
    let mut layer = structure.clone();
    for _ in 0..64 {
        let mut next = None;
        for index in 0..layer.bases.len() {
            let base = base_value(&current, &layer, index, walk.scope).ok()?;
            let Shape::Aggregate(class) = base.type_ref.shape() else {
                return None;
            };
            let name = class.qualified_name.clone()?;
            if name.starts_with("std::_Tuple_impl<") {
                next = Some((base, class));
            } else if name.starts_with("std::_Head_base<") {
                let own = class
                    .members
                    .iter()
                    .any(|member| member.name.as_deref() == Some("_M_head_impl"));
                elements.push(if own {
                    walk.at(&base, &["_M_head_impl"])?
                } else if class.bases.is_empty() {
                    return None;
                } else {
                    base_value(&base, &class, 0, walk.scope).ok()?
                });
            }
        }
        match next {
            Some((value, class)) => (current, layer) = (value, class),
            None => break,
        }
    }
    Some(elements)
}

fn tuple(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Pretty> {
    let name = template_name(structure);
    let elements = tuple_elements(walk, value, structure)?;
    if elements.is_empty() {
        return Some(Pretty::Plain(format!("empty {name}")));
    }
    let mut items = Items::new(format!("{name} containing"), Style::Named);
    for (index, element) in elements.into_iter().enumerate() {
        let name = format!("[{}]", index + 1);
        items.push(Entry::Named(name, element));
    }
    Some(Pretty::Items(items))
}

fn pair(walk: &mut Walk<'_>, value: &Value, _: &Structure) -> Option<Pretty> {
    let mut items = Items::new(String::new(), Style::Named);
    for name in ["first", "second"] {
        let element = walk.at(value, &[name])?;
        items.push(Entry::Named(name.to_string(), element));
    }
    Some(Pretty::Items(items))
}

fn atomic(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Pretty> {
    let target = template_type(structure, 0)?;
    let inner = walk.at(value, &["_M_b._M_p", "_M_base._M_i", "_M_fp", "_M_i"])?;
    let format = crate::print::Format::nested();
    let text = crate::print::print(&inner, &format, walk.scope).ok()?;
    let text = format!(
        "{}<{}> = {{ {text} }}",
        template_name(structure),
        target.plain_name()
    );
    let held = Entry::Named("[contained value]".to_string(), inner);
    Some(Pretty::Titled(text, vec![held]))
}

fn vector_iterator(walk: &mut Walk<'_>, value: &Value, _: &Structure) -> Option<Pretty> {
    let (address, target) = walk.pointer_at(value, &["_M_current"])?;
    if address == 0 {
        return Some(Pretty::Plain(
            "non-dereferenceable iterator for std::vector".to_string(),
        ));
    }
    Some(Pretty::Same(Value::in_memory(target, address)))
}

fn node_iterator(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Pretty> {
    pointee(walk, value, structure).map(Pretty::Same)
}

fn ordering(walk: &mut Walk<'_>, value: &Value, structure: &Structure) -> Option<Pretty> {
    let number = walk.number(value, &["_M_value"])?;
    let name = structure.qualified_name.as_deref()?;
    let equal = if name == "std::strong_ordering" {
        "equal"
    } else {
        "equivalent"
    };
    let text = match number {
        -1 => "less",
        0 => equal,
        1 => "greater",
        2 => "unordered",
        _ => return None,
    };
    Some(Pretty::Plain(format!("{name}::{text}")))
}

/// The name of a type with the library's own aliases and without its default arguments.
fn short_type(type_ref: &TypeRef) -> String {
    library_aliases(&type_ref.plain_name())
}
