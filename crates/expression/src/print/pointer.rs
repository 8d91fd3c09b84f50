//! Pointers, references, functions, and the strings that pointers to characters mean.

use wayfarer_symbols::types::PointerKind;

use super::form::{Around, Form};
use super::scalar::character_kind;
use super::text::{CharacterKind, string};
use super::{Letter, Opener, failed};
use crate::evaluate::pointer_of;
use crate::number::Scalar;
use crate::scope::Scope;
use crate::syntax::Language;
use crate::types::{Shape, TypeRef};
use crate::value::Value;

/// The longest string that is looked for when all elements are wanted.
const MAXIMUM_STRING: usize = 1 << 20;

impl Opener<'_> {
    pub(super) fn pointer(
        &mut self,
        value: &Value,
        kind: PointerKind,
        target: &TypeRef,
        top: bool,
    ) -> Form {
        let bytes = match self.bytes(value) {
            Ok(bytes) => bytes,
            Err(missing) => return Form::Missing(missing),
        };
        let address = pointer_of(value, self.scope);
        let to = |text: String| Form::Pointer {
            text,
            target: target.clone(),
            address: address.as_ref().map_or(0, |address| *address),
        };
        if let Some(letter) = self.format.letter
            && letter != Letter::Text
            && kind == PointerKind::Pointer
        {
            let scalar = Scalar::integer(bytes.len().clamp(1, 8) as u64, false);
            return to(self.with_letter(letter, None, scalar, &bytes));
        }
        let address = match address {
            Ok(address) => address,
            Err(error) => return Form::Missing(failed(&error)),
        };
        let rust = value.type_ref.language() == Language::Rust;
        if rust {
            return self.rust_pointer(value, target, address, top);
        }
        if kind != PointerKind::Pointer {
            return self.reference(value, target, address, top);
        }
        if top
            && self.format.object
            && let Some(whole) = self.whole_object(target, address)
        {
            let at = whole.address().unwrap_or(address);
            let name = whole.type_ref.pointer().name();
            return to(format!("({name}) {}", self.address(at)));
        }
        let prefix = if top && !hides_type(target, &value.type_ref) {
            format!("({}) ", value.type_ref.name())
        } else {
            String::new()
        };
        to(format!("{prefix}{}", self.plain_pointer(target, address)))
    }

    /// The address with its symbol, and the string it points to.
    fn plain_pointer(&mut self, target: &TypeRef, address: u64) -> String {
        let is_function = matches!(target.shape(), Shape::Function { .. });
        let mut text = if self.format.symbols || is_function {
            self.address(address)
        } else if self.format.addresses {
            format!("{address:#x}")
        } else {
            String::new()
        };
        if is_function || address == 0 {
            return text;
        }
        if let Some(kind) = character_kind(target) {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&self.string_at(address, kind));
        }
        text
    }

    fn reference(&mut self, value: &Value, target: &TypeRef, address: u64, top: bool) -> Form {
        let inner = Value::in_memory(target.clone(), address);
        // What a rule knows is shown in the place of the reference.
        if let Shape::Aggregate(structure) = target.shape()
            && !self.format.raw
            && let Some(form) = super::rules::pretty(self, &inner, &structure)
        {
            return form;
        }
        let prefix = if top {
            format!("({}) ", value.type_ref.name())
        } else {
            String::new()
        };
        let place = if self.format.addresses {
            format!("@{address:#x}: ")
        } else {
            String::new()
        };
        Form::Around(Around {
            before: format!("{prefix}{place}"),
            inner,
            after: String::new(),
            deeper: true,
        })
    }

    /// The string at an address up to its nul, shortened.
    pub(crate) fn string_at(&mut self, address: u64, kind: CharacterKind) -> String {
        let limit = self.format.limit().min(MAXIMUM_STRING);
        let (bytes, end) = read_string(address, kind.bytes, limit, self.scope);
        match end {
            StringEnd::Nul => string(&bytes, kind, limit, self.format.repeats, false),
            StringEnd::Limit => string(&bytes, kind, limit, self.format.repeats, true),
            StringEnd::Unreadable(at) if bytes.is_empty() => {
                format!("<error: Cannot access memory at address {at:#x}>")
            }
            StringEnd::Unreadable(at) => format!(
                "{}<error: Cannot access memory at address {at:#x}>",
                string(&bytes, kind, limit, self.format.repeats, false)
            ),
        }
    }

    pub(super) fn function(&mut self, value: &Value) -> String {
        let address = value.address().unwrap_or(0);
        let text = self.address(address);
        format!("{{{}}} {text}", value.type_ref.name())
    }

    /// A pointer whose target was optimised away but is known.
    pub(super) fn synthetic(&mut self, value: &Value, top: bool) -> String {
        if top {
            format!("({}) <synthetic pointer>", value.type_ref.name())
        } else {
            "<synthetic pointer>".to_string()
        }
    }

    pub(super) fn pointer_to_member(
        &mut self,
        value: &Value,
        target: &TypeRef,
        class: &TypeRef,
        size: u64,
    ) -> Form {
        let bytes = match self.bytes(value) {
            Ok(bytes) => bytes,
            Err(missing) => return Form::Missing(missing),
        };
        Form::Text(self.member_pointed_to(value, target, class, size, &bytes))
    }

    fn member_pointed_to(
        &mut self,
        value: &Value,
        target: &TypeRef,
        class: &TypeRef,
        size: u64,
        bytes: &[u8],
    ) -> String {
        let word = Scalar::integer(8, true)
            .decode(&bytes[..bytes.len().min(8)])
            .as_integer();
        let prefix = format!("({}) ", value.type_ref.name());
        if matches!(target.shape(), Shape::Function { .. }) && size == 16 {
            if word == 0 {
                return "NULL".to_string();
            }
            let adjustment = Scalar::integer(8, true)
                .decode(bytes.get(8..16).unwrap_or_default())
                .as_integer();
            let adjusted = match adjustment {
                0 => String::new(),
                other => format!(", this adjustment {other}"),
            };
            if word & 1 == 1 {
                return format!("&virtual table offset {}{adjusted}", word - 1);
            }
            return format!("{prefix}{}{adjusted}", self.address(word as u64));
        }
        if word == -1 {
            return "NULL".to_string();
        }
        if let Shape::Aggregate(structure) = class.shape()
            && let Some(member) = structure.members.iter().find(|member| {
                member.position == wayfarer_symbols::types::MemberPosition::Offset(word as u64)
            })
            && let Some(name) = &member.name
        {
            return format!("&{}::{name}", class.plain_name());
        }
        word.to_string()
    }
}

/// Whether gdb leaves the type of a pointer away: that to characters,
/// unless it has a name of its own.
fn hides_type(target: &TypeRef, pointer: &TypeRef) -> bool {
    let typedef = matches!(
        pointer.without_qualifiers().node().as_deref(),
        Some(wayfarer_symbols::Type::Typedef(_))
    );
    let name = target.without_qualifiers().name();
    !typedef && matches!(&*name, "char" | "wchar_t" | "char16_t" | "char32_t")
}

pub(crate) enum StringEnd {
    Nul,
    Limit,
    Unreadable(u64),
}

/// Reads characters up to a nul, in steps that do not cross a page needlessly.
pub(crate) fn read_string(
    address: u64,
    width: usize,
    limit: usize,
    scope: &mut dyn Scope,
) -> (Vec<u8>, StringEnd) {
    let mut bytes: Vec<u8> = Vec::new();
    let width = width.max(1);
    loop {
        let at = address.wrapping_add(bytes.len() as u64);
        let to_page = 4096 - (at % 4096) as usize;
        let step = to_page.min(256).max(width) / width * width;
        let mut chunk = vec![0; step];
        if scope.read(at, &mut chunk).is_err() {
            chunk.truncate(width);
            if scope.read(at, &mut chunk).is_err() {
                return (bytes, StringEnd::Unreadable(at));
            }
        }
        for unit in chunk.chunks_exact(width) {
            if unit.iter().all(|byte| *byte == 0) {
                return (bytes, StringEnd::Nul);
            }
            if bytes.len() / width == limit {
                return (bytes, StringEnd::Limit);
            }
            bytes.extend(unit);
        }
    }
}
