//! Rust's structs, tuples, enums, pointers, in the form that Rust programmers write them.

use super::{Printer, failed};
use crate::evaluate::{active_variant, member_value};
use crate::syntax::Language;
use crate::types::{Shape, Structure, TypeRef};
use crate::value::Value;

impl Printer<'_> {
    pub(super) fn rust_structure(&mut self, value: &Value, structure: &Structure) -> String {
        if structure.is_declaration {
            return "<incomplete type>".to_string();
        }
        let value = self.loaded(value);
        if structure.variant_part.is_some() {
            return self.rust_enum(&value, structure);
        }
        let name = structure
            .qualified_name
            .as_deref()
            .or(structure.name.as_deref())
            .map(short_name)
            .unwrap_or_default();
        self.rust_fields(&name, &value, structure)
    }

    /// The variant that is there, by its name and data.
    fn rust_enum(&mut self, value: &Value, structure: &Structure) -> String {
        let variant = match active_variant(value, structure, self.scope) {
            Ok(Some(variant)) => variant,
            Ok(None) => return "<no such variant>".to_string(),
            Err(error) => return failed(&error),
        };
        let Some(member) = variant.members.first() else {
            return "<no such variant>".to_string();
        };
        let name = member.name.as_deref().unwrap_or_default();
        match member_value(value, structure, member, self.scope) {
            Ok(inner) => match inner.type_ref.shape() {
                Shape::Aggregate(data) => {
                    let inner = self.loaded(&inner);
                    self.rust_fields(name, &inner, &data)
                }
                _ => {
                    let text = self.value(&inner, false);
                    format!("{name}({text})")
                }
            },
            Err(error) => failed(&error),
        }
    }

    fn rust_fields(&mut self, name: &str, value: &Value, structure: &Structure) -> String {
        let tuple = structure.members.iter().all(|member| {
            member
                .name
                .as_deref()
                .is_some_and(|name| name.starts_with("__") && name[2..].parse::<u32>().is_ok())
        });
        let parts: Vec<String> = self.deeper(|printer| {
            printer.indent += 1;
            let parts = structure
                .members
                .iter()
                .map(|member| {
                    let text = match member_value(value, structure, member, printer.scope) {
                        Ok(inner) => printer.value(&inner, false),
                        Err(error) => failed(&error),
                    };
                    match &member.name {
                        Some(name) if !tuple => format!("{name}: {text}"),
                        _ => text,
                    }
                })
                .collect();
            printer.indent -= 1;
            parts
        });
        if parts.is_empty() {
            return if name.is_empty() || name.starts_with('(') {
                "()".to_string()
            } else {
                name.to_string()
            };
        }
        // The name of a tuple is its type.
        let name = if name.starts_with('(') { "" } else { name };
        if tuple {
            if name.is_empty() && parts.len() == 1 {
                return format!("({},)", parts[0]);
            }
            return self.enclose(&format!("{name}("), &parts, ")");
        }
        let open = if name.is_empty() {
            "{".to_string()
        } else {
            format!("{name} {{")
        };
        self.enclose(&open, &parts, "}")
    }

    /// References show what they refer to, raw pointers where they point.
    pub(super) fn rust_pointer(
        &mut self,
        value: &Value,
        target: &TypeRef,
        address: u64,
        top: bool,
    ) -> String {
        let name = match value.type_ref.shape() {
            Shape::Pointer { name, .. } => name,
            _ => None,
        };
        let name = name.as_deref().unwrap_or_default();
        let function = matches!(target.shape(), Shape::Function { .. });
        let follows = name.starts_with('&') || name.starts_with("alloc::boxed::Box<");
        if follows && !function && !matches!(target.shape(), Shape::Void) {
            let inner = Value::in_memory(target.clone(), address);
            let sign = if name.starts_with("&mut ") {
                "&mut "
            } else if name.starts_with('&') {
                "&"
            } else {
                ""
            };
            if self.missing(&inner).is_some() {
                return format!("{sign}<error: Cannot access memory at address {address:#x}>");
            }
            let text = self.deeper(|printer| printer.value(&inner, false));
            return if sign.is_empty() {
                format!("Box({text})")
            } else {
                format!("{sign}{text}")
            };
        }
        let text = self.address(address);
        if top {
            return format!("({}) {text}", value.type_ref.name());
        }
        text
    }
}

/// The last part of a path, without generic arguments: `Vec` of `alloc::vec::Vec<u8>`.
pub(crate) fn short_name(qualified: &str) -> String {
    if qualified.starts_with(['(', '&', '*', '[']) {
        return qualified.to_string();
    }
    let mut depth = 0usize;
    let mut start = 0;
    let mut end = qualified.len();
    let bytes = qualified.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'<' => {
                if depth == 0 && at > start {
                    end = at;
                }
                depth += 1;
            }
            b'>' if at > 0 && bytes[at - 1] != b'-' => depth = depth.saturating_sub(1),
            b':' if depth == 0 && bytes.get(at + 1) == Some(&b':') => {
                start = at + 2;
                end = qualified.len();
            }
            _ => {}
        }
    }
    // `::` was passed as two colons; a start behind the text cannot be.
    qualified
        .get(start.min(qualified.len())..end.max(start))
        .unwrap_or(qualified)
        .trim_start_matches(':')
        .to_string()
}

/// Whether values of a type are printed Rust's way.
pub(crate) fn is_rust(type_ref: &TypeRef) -> bool {
    type_ref.language() == Language::Rust
}
