//! Rust types as the items that define them.

use wayfarer_symbols::types::AggregateKind;

use crate::types::{Shape, Structure, TypeRef};

pub(super) fn describe(type_ref: &TypeRef) -> String {
    match type_ref.shape() {
        Shape::Aggregate(structure) => {
            let name = structure.qualified_name.as_deref().unwrap_or_default();
            // A tuple is its own definition.
            if name.starts_with('(') {
                return name.to_string();
            }
            if structure.variant_part.is_some() {
                return enumeration(name, &structure);
            }
            let keyword = match structure.kind {
                AggregateKind::Union => "union",
                _ => "struct",
            };
            structure_text(&format!("{keyword} {name}"), &structure)
        }
        Shape::Enumeration(enumeration) => {
            let name = enumeration.qualified_name.as_deref().unwrap_or_default();
            let lines: String = enumeration
                .enumerators
                .iter()
                .map(|enumerator| format!("  {},\n", enumerator.name))
                .collect();
            format!("enum {name} {{\n{lines}}}")
        }
        _ => type_ref.name(),
    }
}

/// Whether the members are those of a tuple: `__0`, `__1`.
pub(super) fn is_tuple(structure: &Structure) -> bool {
    !structure.members.is_empty()
        && structure.members.iter().all(|member| {
            member.name.as_deref().is_some_and(|name| {
                name.strip_prefix("__")
                    .is_some_and(|rest| rest.parse::<u32>().is_ok())
            })
        })
}

fn member_names(structure: &Structure) -> Vec<String> {
    let tuple = is_tuple(structure);
    structure
        .members
        .iter()
        .map(|member| {
            let type_name = structure.member_type(member.type_id).name();
            match &member.name {
                Some(name) if !tuple => format!("{name}: {type_name}"),
                _ => type_name,
            }
        })
        .collect()
}

fn structure_text(head: &str, structure: &Structure) -> String {
    let members = member_names(structure);
    if members.is_empty() {
        return head.to_string();
    }
    let lines: String = members
        .iter()
        .map(|member| format!("  {member},\n"))
        .collect();
    if is_tuple(structure) {
        format!("{head} (\n{lines})")
    } else {
        format!("{head} {{\n{lines}}}")
    }
}

fn enumeration(name: &str, structure: &Structure) -> String {
    let variants = structure
        .variant_part
        .iter()
        .flat_map(|part| part.variants.iter())
        .flat_map(|variant| variant.members.first());
    let mut lines = String::new();
    for member in variants {
        let variant = member.name.as_deref().unwrap_or_default();
        let data = match structure.member_type(member.type_id).shape() {
            Shape::Aggregate(data) => {
                let members = member_names(&data);
                if members.is_empty() {
                    String::new()
                } else if is_tuple(&data) {
                    format!("({})", members.join(", "))
                } else {
                    format!("{{{}}}", members.join(", "))
                }
            }
            _ => String::new(),
        };
        lines.push_str(&format!("  {variant}{data},\n"));
    }
    format!("enum {name} {{\n{lines}}}")
}
