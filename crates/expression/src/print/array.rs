//! Arrays: character arrays as strings, equal neighbours once, long ones shortened.

use wayfarer_symbols::location::Place;
use wayfarer_symbols::types::Dimension;
use wayfarer_symbols::{Module, Type};

use std::sync::Arc;

use super::form::{Form, Run};
use super::scalar::character_kind;
use super::text::{CharacterKind, string};
use super::{Letter, Opener};
use crate::evaluate::contents_or_absence;
use crate::number::is_text;
use crate::scope::Scope;
use crate::syntax::Language;
use crate::types::{Shape, TypeRef};
use crate::value::Value;

impl Opener<'_> {
    pub(super) fn array(
        &mut self,
        value: &Value,
        element: &TypeRef,
        count: Option<u64>,
        is_vector: bool,
    ) -> Form {
        let rust = value.type_ref.language() == Language::Rust;
        let (element, count) = match count {
            Some(count) => (element.clone(), Some(count)),
            None => match dynamic_array(&value.type_ref, self.scope) {
                Some((element, count)) => (element, Some(count)),
                None => (element.clone(), None),
            },
        };
        let element = &element;
        let Some(count) = count.filter(|count| *count > 0 || rust) else {
            return Form::Text(self.boundless(value));
        };
        let whole = Value {
            type_ref: element.array(Some(count)),
            ..value.clone()
        };
        let run = Run {
            whole,
            element: element.clone(),
            count,
            rust,
        };
        let letter = self.format.letter;
        if !rust
            && !is_vector
            && (letter.is_none() || letter == Some(Letter::Text))
            && let Some(kind) = character_kind(element)
            && !self.has_holes(&run.whole)
        {
            return self.character_array(run, kind);
        }
        if is_text(element) {
            return self.character_array(run, CharacterKind::RUST);
        }
        Form::Run(run)
    }

    /// Whether some of an array is there, but not all: then it is not a string.
    fn has_holes(&mut self, whole: &Value) -> bool {
        !matches!(whole.place, Place::Memory(_) | Place::Value(_))
            && contents_or_absence(whole, self.scope).is_ok_and(|found| !found.missing.is_empty())
    }

    /// The array with the bytes of its first elements, read at once.
    pub(super) fn beginning(&mut self, run: &Run, count: u64) -> Value {
        if run.whole.contents.is_some() {
            return run.whole.clone();
        }
        let part = Value {
            type_ref: run.element.array(Some(count)),
            ..run.whole.clone()
        };
        match contents_or_absence(&part, self.scope) {
            Ok(contents) => Value {
                contents: Some(contents),
                ..run.whole.clone()
            },
            Err(_) => run.whole.clone(),
        }
    }

    fn character_array(&mut self, run: Run, kind: CharacterKind) -> Form {
        match self.characters(&run.whole, kind, run.count) {
            Ok(text) => Form::String(text, Some(run)),
            Err(missing) => Form::Missing(missing),
        }
    }

    fn characters(
        &mut self,
        value: &Value,
        kind: CharacterKind,
        count: u64,
    ) -> Result<String, String> {
        let limit = self.format.limit();
        let shown = count.min((limit as u64).saturating_add(1).saturating_mul(4));
        let part = match value.type_ref.shape() {
            Shape::Array { element, .. } if value.contents.is_none() => Value {
                type_ref: element.array(Some(shown)),
                ..value.clone()
            },
            _ => value.clone(),
        };
        let mut bytes = self.bytes(&part)?;
        let width = kind.bytes;
        if self.format.null_stop
            && let Some(end) = bytes
                .chunks_exact(width)
                .position(|unit| unit.iter().all(|byte| *byte == 0))
        {
            bytes.truncate(end * width);
        } else if (count as usize) <= limit
            && bytes.len() >= width
            && bytes[bytes.len() - width..].iter().all(|byte| *byte == 0)
        {
            // The nul that ends a string is not part of it.
            bytes.truncate(bytes.len() - width);
        } else if count as usize > limit && limit != usize::MAX {
            // When all that is shown are nuls, gdb still counts only what it shows.
            bytes.truncate(bytes.len().min((limit + 1) * 4 * width));
        }
        let more = shown < count;
        Ok(string(&bytes, kind, limit, self.format.repeats, more))
    }

    /// An array without a length: where it is.
    fn boundless(&mut self, value: &Value) -> String {
        match value.address() {
            Some(address) => self.address(address),
            None => "{}".to_string(),
        }
    }
}

/// The element type and length of an array whose length the program decides.
fn dynamic_array(type_ref: &TypeRef, scope: &mut dyn Scope) -> Option<(TypeRef, u64)> {
    let TypeRef::Known { module, .. } = type_ref.strip() else {
        return None;
    };
    let node = type_ref.strip().node()?;
    let Type::Array(array) = &*node else {
        return None;
    };
    let mut element = TypeRef::known(&module, array.element);
    let (first, rest) = array.dimensions.split_first()?;
    for dimension in rest.iter().rev() {
        element = element.array(Some(count_of(&module, dimension, scope)?));
    }
    Some((element, count_of(&module, first, scope)?))
}

fn count_of(module: &Arc<Module>, dimension: &Dimension, scope: &mut dyn Scope) -> Option<u64> {
    match dimension {
        Dimension::Count(count) => Some(*count),
        Dimension::Unknown => None,
        other => scope.dynamic_count(module, other),
    }
}

/// The type of a value with the lengths that the program decides filled in.
pub(crate) fn with_lengths(type_ref: &TypeRef, scope: &mut dyn Scope) -> TypeRef {
    match type_ref.shape() {
        Shape::Array { count: None, .. } => match dynamic_array(type_ref, scope) {
            Some((element, count)) => element.array(Some(count)),
            None => type_ref.clone(),
        },
        _ => type_ref.clone(),
    }
}
