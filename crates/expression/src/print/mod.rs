//! Values as text: gdb's for C and C++, Rust's own for Rust.
//!
//! * `format`: format letters and settings,
//! * `scalar`, `float`, `text`, `pointer`: what is not made of parts,
//! * `registers`: flags and vectors,
//! * `aggregate`, `array`, `dynamic`: C and C++ structures,
//! * `rust_shape`: Rust structs, tuples and enums,
//! * `rules`: containers and smart pointers of the standard libraries, found by their structure.

mod aggregate;
mod array;
mod dynamic;
mod float;
mod format;
mod pointer;
mod registers;
mod rules;
mod rust_shape;
mod scalar;
mod text;

use wayfarer_symbols::location::{Absence, Place};

use crate::evaluate::contents_or_absence;
use crate::number::Scalar;
use crate::scope::{EvaluationError, Scope};
use crate::syntax::Language;
use crate::types::{Shape, TypeRef};
use crate::value::Value;

pub(crate) use array::with_lengths;
pub use format::{Format, Letter};
pub use registers::flags;
pub(crate) use registers::{VECTOR, vector_readings};
pub(crate) use rules::{element_count, nth_element, sequence_of, smart_pointee};

/// The most text that one value may become: damaged data must not fill the screen for ever.
const MAXIMUM_TEXT: usize = 1 << 20;

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
    let mut printer = Printer {
        scope,
        format,
        depth: 0,
        indent: 0,
        written: 0,
        virtual_bases: None,
        statics: Vec::new(),
    };
    Ok(printer.value(value, format.top_level))
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

/// Prints one value and what it is made of.
pub(crate) struct Printer<'a> {
    pub(crate) scope: &'a mut dyn Scope,
    pub(crate) format: &'a Format,
    /// How many structures are open.
    depth: usize,
    /// How many levels the lines of a pretty print are indented.
    indent: usize,
    /// Bytes printed so far, roughly.
    written: usize,
    /// While the bases of an object are printed: the virtual ones that have been, by their names.
    virtual_bases: Option<Vec<String>>,
    /// The static members that are being printed, by their addresses.
    statics: Vec<u64>,
}

impl Printer<'_> {
    /// The text of a value; `top` puts the type before a pointer.
    pub(crate) fn value(&mut self, value: &Value, top: bool) -> String {
        if self.written > MAXIMUM_TEXT {
            return "...".to_string();
        }
        let text = self.any(value, top);
        self.written += text.len();
        text
    }

    fn any(&mut self, value: &Value, top: bool) -> String {
        if let Place::Absent(absence) = &value.place
            && value.contents.is_none()
            && !is_nothing(&value.type_ref)
        {
            return absent(absence);
        }
        if matches!(value.place, Place::ImplicitPointer { .. }) {
            return self.synthetic(value, top);
        }
        if self.depth > self.format.depth.unwrap_or(usize::MAX).min(200)
            && matches!(
                value.type_ref.shape(),
                Shape::Aggregate(_) | Shape::Array { .. }
            )
        {
            return "{...}".to_string();
        }
        if self.format.custom
            && !self.format.raw
            && let (Shape::Aggregate(_), Some(address)) = (value.type_ref.shape(), value.address())
            && let Some(text) = self
                .scope
                .custom_print(&value.type_ref.plain_name(), address)
        {
            return text;
        }
        let rust = value.type_ref.language() == Language::Rust;
        match value.type_ref.shape() {
            Shape::Void => if rust { "()" } else { "void" }.to_string(),
            Shape::Named(name) if &*name == "decltype(nullptr)" => "nullptr".to_string(),
            Shape::Named(name) => format!("<{name}>").replace("<<", "<").replace(">>", ">"),
            Shape::Aggregate(structure) => {
                if top
                    && self.format.object
                    && let Some(address) = value.address()
                    && let Some(whole) = self.whole_object(&value.type_ref, address)
                {
                    let text = self.any(&whole, false);
                    return format!("({}) {text}", whole.type_ref.name());
                }
                if !self.format.raw
                    && let Some(text) = rules::pretty(self, value, &structure)
                {
                    return text;
                }
                if rust {
                    self.rust_structure(value, &structure)
                } else {
                    self.structure(value, &structure)
                }
            }
            Shape::Record(record) => {
                let whole = self.loaded(value);
                let fields: Vec<String> = self.deeper(|printer| {
                    printer.indent += 1;
                    let parts = record.members.iter().map(|(name, offset, type_ref)| {
                        let part = whole.part(type_ref.clone(), *offset, None);
                        format!("{name} = {}", printer.value(&part, false))
                    });
                    let parts = parts.collect();
                    printer.indent -= 1;
                    parts
                });
                self.enclose("{", &fields, "}")
            }
            Shape::Array {
                element,
                count,
                is_vector,
            } => self.array(value, &element, count, is_vector),
            Shape::Pointer { kind, target, .. } => self.pointer(value, kind, &target, top),
            Shape::Function { .. } => self.function(value),
            Shape::Base(base) if &*base.name == VECTOR => match self.bytes(value) {
                Ok(_) => self.vector(value),
                Err(text) => text,
            },
            Shape::Base(base)
                if &*base.name == registers::FLAGS && self.format.letter.is_none() =>
            {
                match self.bytes(value) {
                    Ok(bytes) => {
                        registers::flags(Scalar::integer(4, false).decode(&bytes).as_integer())
                    }
                    Err(text) => text,
                }
            }
            Shape::Base(base) => match self.bytes(value) {
                Ok(bytes) => self.base(value, &base, &bytes),
                Err(text) => text,
            },
            Shape::Enumeration(enumeration) => match self.bytes(value) {
                Ok(bytes) => self.enumeration(value, &enumeration, &bytes),
                Err(text) => text,
            },
            Shape::PointerToMember {
                target,
                class,
                size,
            } => self.pointer_to_member(value, &target, &class, size),
        }
    }

    /// The bytes of a scalar, or the text that stands in its place.
    pub(crate) fn bytes(&mut self, value: &Value) -> Result<Vec<u8>, String> {
        let fetched = contents_or_absence(value, self.scope).map_err(|absence| absent(&absence))?;
        let bits = match value.bits {
            Some(bits) => bits.bit_offset..bits.bit_offset + bits.bit_size,
            None => 0..fetched.bytes.len() as u64 * 8,
        };
        match fetched.absence_of(bits) {
            Some(absence) => Err(absent(absence)),
            None => Ok(fetched.bytes.clone()),
        }
    }

    /// Runs a part one structure deeper.
    pub(crate) fn deeper<T>(&mut self, part: impl FnOnce(&mut Self) -> T) -> T {
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }
}

/// Whether values of a type have no bytes, so that there is nothing to optimise away: Rust's `()`.
fn is_nothing(type_ref: &TypeRef) -> bool {
    type_ref.language() == Language::Rust && type_ref.size() == Some(0)
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
