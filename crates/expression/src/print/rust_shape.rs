//! Rust's structs, tuples, enums, pointers, in the form that Rust programmers write them.

use super::form::{Around, FieldStyle, Fields, Form, Part, Parts};
use super::{Opener, failed};
use crate::evaluate::{active_variant, member_value};
use crate::syntax::Language;
use crate::types::{Shape, Structure, TypeRef};
use crate::value::Value;

impl Opener<'_> {
    pub(super) fn rust_structure(&mut self, value: &Value, structure: &Structure) -> Form {
        if structure.is_declaration {
            return Form::Text("<incomplete type>".to_string());
        }
        if structure.variant_part.is_some() {
            let value = self.loaded(value);
            return self.rust_enum(&value, structure);
        }
        let name = structure
            .qualified_name
            .as_deref()
            .or(structure.name.as_deref())
            .map(short_name)
            .unwrap_or_default();
        rust_fields(&name, value, structure)
    }

    /// The variant that is there, by its name and data.
    fn rust_enum(&mut self, value: &Value, structure: &Structure) -> Form {
        let missing = |text: &str| Form::Missing(text.to_string());
        let variant = match active_variant(value, structure, self.scope) {
            Ok(Some(variant)) => variant,
            Ok(None) => return missing("<no such variant>"),
            Err(error) => return Form::Missing(failed(&error)),
        };
        let Some(member) = variant.members.first() else {
            return missing("<no such variant>");
        };
        let name = member.name.as_deref().unwrap_or_default();
        match member_value(value, structure, member, self.scope) {
            Ok(inner) => match inner.type_ref.shape() {
                Shape::Aggregate(data) => rust_fields(name, &inner, &data),
                _ => Form::Around(Around {
                    before: format!("{name}("),
                    inner,
                    after: ")".to_string(),
                    deeper: false,
                }),
            },
            Err(error) => Form::Missing(failed(&error)),
        }
    }

    /// The members of a structure of Rust, in order.
    pub(super) fn rust_parts(&mut self, value: &Value, structure: &Structure) -> Vec<Part> {
        let value = self.loaded(value);
        structure
            .members
            .iter()
            .map(|member| self.member(&value, structure, member))
            .collect()
    }

    /// References show what they refer to, raw pointers where they point.
    pub(super) fn rust_pointer(
        &mut self,
        value: &Value,
        target: &TypeRef,
        address: u64,
        top: bool,
    ) -> Form {
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
                return Form::Missing(format!(
                    "{sign}<error: Cannot access memory at address {address:#x}>"
                ));
            }
            let (before, after) = match sign {
                "" => ("Box(", ")"),
                sign => (sign, ""),
            };
            return Form::Around(Around {
                before: before.to_string(),
                inner,
                after: after.to_string(),
                deeper: true,
            });
        }
        let text = self.address(address);
        Form::Pointer {
            text: match top {
                true => format!("({}) {text}", value.type_ref.name()),
                false => text,
            },
            target: target.clone(),
            address,
        }
    }
}

/// The members of a structure by their names, or by their order where Rust only numbers them.
fn rust_fields(name: &str, value: &Value, structure: &Structure) -> Form {
    let tuple = structure.members.iter().all(|member| {
        member
            .name
            .as_deref()
            .is_some_and(|name| name.starts_with("__") && name[2..].parse::<u32>().is_ok())
    });
    // The name of a tuple is its type.
    let is_type = name.starts_with('(');
    if structure.members.is_empty() {
        let name = if name.is_empty() || is_type {
            "()"
        } else {
            name
        };
        return Form::Text(name.to_string());
    }
    Form::Fields(Fields {
        name: if is_type { "" } else { name }.to_string(),
        style: match tuple {
            true => FieldStyle::Tuple,
            false => FieldStyle::Struct,
        },
        parts: Parts::Members(value.clone(), structure.clone()),
    })
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
    // `::` was passed as two colons; a start after the text cannot be.
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
