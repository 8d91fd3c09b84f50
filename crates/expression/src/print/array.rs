//! Arrays: character arrays as strings, equal neighbours once, long ones shortened.

use wayfarer_symbols::location::Place;
use wayfarer_symbols::types::Dimension;
use wayfarer_symbols::{Module, Type};

use std::sync::Arc;

use super::scalar::character_kind;
use super::text::{CharacterKind, string};
use super::{Letter, Printer, absent};
use crate::evaluate::contents_or_absence;
use crate::number::is_text;
use crate::scope::Scope;
use crate::syntax::Language;
use crate::types::{Shape, TypeRef};
use crate::value::Value;

impl Printer<'_> {
    pub(super) fn array(
        &mut self,
        value: &Value,
        element: &TypeRef,
        count: Option<u64>,
        is_vector: bool,
    ) -> String {
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
            return self.boundless(value);
        };
        let whole = Value {
            type_ref: element.array(Some(count)),
            ..value.clone()
        };
        let letter = self.format.letter;
        if !rust
            && !is_vector
            && (letter.is_none() || letter == Some(Letter::Text))
            && let Some(kind) = character_kind(element)
            && !self.has_holes(&whole)
        {
            return self.character_array(&whole, kind, count);
        }
        if is_text(element) {
            return self.character_array(&whole, CharacterKind::RUST, count);
        }
        let (open, close) = if rust { ("[", "]") } else { ("{", "}") };
        let size = element.size().unwrap_or(0);
        let shown = count.min(self.format.limit() as u64 + self.format.repeats as u64 + 1);
        let parent = self.part_of(&whole, element, shown);
        let elements = (0..count).map(|index| parent.part(element.clone(), index * size, None));
        let body = self.deeper(|printer| printer.elements(elements, count, size == 0));
        format!("{open}{body}{close}")
    }

    /// Whether some of an array is there, but not all: then it is no string.
    fn has_holes(&mut self, whole: &Value) -> bool {
        !matches!(whole.place, Place::Memory(_) | Place::Value(_))
            && contents_or_absence(whole, self.scope).is_ok_and(|found| !found.missing.is_empty())
    }

    /// The array with the bytes of its first elements, read at once.
    fn part_of(&mut self, whole: &Value, element: &TypeRef, shown: u64) -> Value {
        if whole.contents.is_some() {
            return whole.clone();
        }
        let part = Value {
            type_ref: element.array(Some(shown)),
            ..whole.clone()
        };
        match contents_or_absence(&part, self.scope) {
            Ok(contents) => Value {
                contents: Some(contents),
                ..whole.clone()
            },
            Err(_) => whole.clone(),
        }
    }

    /// `1, 2 <repeats 12 times>, 3...`
    pub(crate) fn elements(
        &mut self,
        mut elements: impl Iterator<Item = Value>,
        count: u64,
        no_size: bool,
    ) -> String {
        let limit = self.format.limit();
        let repeats = self.format.repeats;
        let mut pieces: Vec<String> = Vec::new();
        let mut printed = 0usize;
        let mut done = 0u64;
        let mut next = elements.next();
        while let Some(current) = next.take() {
            if printed >= limit {
                break;
            }
            let bytes = contents_or_absence(&current, self.scope).ok();
            let mut run = 1u64;
            next = elements.next();
            while let (Some(candidate), Some(bytes)) = (&next, &bytes) {
                // A run needs no end beyond the elements; a huge one of nothing is counted.
                if no_size || run > 1 << 20 {
                    break;
                }
                match contents_or_absence(candidate, self.scope) {
                    Ok(other) if other == *bytes => {
                        run += 1;
                        next = elements.next();
                    }
                    _ => break,
                }
            }
            let text = self.value(&current, false);
            if run > repeats as u64 {
                pieces.push(format!("{text} <repeats {run} times>"));
                printed += repeats;
                done += run;
            } else {
                for _ in 0..run {
                    if printed == limit {
                        break;
                    }
                    pieces.push(text.clone());
                    printed += 1;
                    done += 1;
                }
            }
        }
        let ellipsis = if done < count { "..." } else { "" };
        format!("{}{ellipsis}", pieces.join(", "))
    }

    fn character_array(&mut self, value: &Value, kind: CharacterKind, count: u64) -> String {
        let limit = self.format.limit();
        let shown = count.min((limit as u64).saturating_add(1).saturating_mul(4));
        let part = match value.type_ref.shape() {
            Shape::Array { element, .. } if value.contents.is_none() => Value {
                type_ref: element.array(Some(shown)),
                ..value.clone()
            },
            _ => value.clone(),
        };
        let mut bytes = match self.bytes(&part) {
            Ok(bytes) => bytes,
            Err(text) => return text,
        };
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
        string(&bytes, kind, limit, self.format.repeats, shown < count)
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

impl Printer<'_> {
    /// What stands in the place of a value whose bytes are not there.
    pub(crate) fn missing(&mut self, value: &Value) -> Option<String> {
        contents_or_absence(value, self.scope)
            .err()
            .map(|absence| absent(&absence))
    }
}
