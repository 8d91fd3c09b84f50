//! Values as trees, and the trees as text: gdb's for C and C++, Rust's own for Rust.
//!
//! A value is opened up by one level (`form`), which is all that anybody shows is made from:
//! `render` writes the text of the whole, `tree` gives front ends one level at a time.
//!
//! * `format`: format letters and settings,
//! * `open`: which of the following opens a value,
//! * `scalar`, `float`, `text`, `pointer`: what is not made of parts,
//! * `registers`: flags and vectors,
//! * `aggregate`, `array`, `dynamic`: C and C++ structures,
//! * `rust_shape`: Rust structs, tuples and enums,
//! * `rules`: containers and smart pointers of the standard libraries, found by their structure.

mod aggregate;
mod array;
mod dynamic;
mod float;
mod form;
mod format;
mod open;
mod pointer;
mod registers;
mod render;
mod rules;
mod rust_shape;
mod scalar;
mod text;
mod tree;

use wayfarer_symbols::location::Absence;

use crate::evaluate::contents_or_absence;
use crate::scope::{EvaluationError, Scope};
use crate::types::{Shape, TypeRef};
use crate::value::Value;

pub(crate) use array::with_lengths;
pub use format::{Format, Letter};
pub(crate) use open::Opener;
pub use registers::flags;
pub(crate) use registers::{VECTOR, vector_readings};
use render::Renderer;
pub(crate) use rules::{element_count, nth_element, sequence_of, smart_pointee};
pub use tree::{ChildName, ValueChild, ValueKind, ValueNode, children, node};

/// The text of a value. Fails, as gdb's `print` does, only when nothing of it can be read.
pub fn print(
    value: &Value,
    format: &Format,
    scope: &mut dyn Scope,
) -> Result<String, EvaluationError> {
    let structured = !matches!(
        value.type_ref.shape(),
        Shape::Function { .. } | Shape::Void | Shape::Named(_)
    );
    if structured && let Err(Absence::Unreadable(unreadable)) = contents_or_absence(value, scope) {
        return Err(unreadable.into());
    }
    Ok(Renderer::new(format, scope).value(value, format.top_level))
}

/// Whether a value is printed even where structures are left out, as in frame lines.
pub fn is_scalar(type_ref: &TypeRef) -> bool {
    match type_ref.shape() {
        Shape::Aggregate(_) | Shape::Array { .. } => false,
        Shape::Pointer {
            kind: wayfarer_symbols::types::PointerKind::Pointer,
            ..
        } => true,
        Shape::Pointer { target, .. } => is_scalar(&target),
        _ => true,
    }
}

/// What stands in the place of a value that is not there.
pub(crate) fn absent(absence: &Absence) -> String {
    match absence {
        Absence::Unreadable(unreadable) => format!(
            "<error: Cannot access memory at address {:#x}>",
            unreadable.address
        ),
        Absence::OptimisedOut | Absence::EntryValueUnknown => "<optimized out>".to_string(),
        Absence::NotSaved(_) => "<not saved>".to_string(),
        // A pointer within a value in pieces, whose target the compiler only describes.
        Absence::Unsupported(reason) if reason.starts_with("pointer to a value") => {
            "<synthetic pointer>".to_string()
        }
        other => format!("<error: {other}>"),
    }
}

/// What stands in the place of a value that cannot be had.
pub(crate) fn failed(error: &EvaluationError) -> String {
    format!("<error: {error}>")
}
