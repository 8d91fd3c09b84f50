//! Values: a type, and where the bits are or what they are.

use std::sync::Arc;

use wayfarer_symbols::location::{Absence, Fetched, Place};
use wayfarer_symbols::types::BitField;

use crate::types::TypeRef;

/// The largest object that is read as a whole.
pub const MAXIMUM_OBJECT: u64 = 64 << 20;

/// A value of the program, or computed from values of it.
#[derive(Clone, Debug)]
pub struct Value {
    /// Its type.
    pub type_ref: TypeRef,
    /// Where the object is that it is, or is a part of.
    pub place: Place,
    /// Bytes from the start of that object; always 0 for a place in memory.
    pub offset: u64,
    /// If the value is a bit field: its bits, from the start of the value.
    pub bits: Option<BitField>,
    /// The bytes, if they were read already.
    pub(crate) contents: Option<Arc<Fetched>>,
}

impl Value {
    /// A value at a place; its bytes are read when they are needed.
    pub fn at(type_ref: TypeRef, place: Place) -> Value {
        Value {
            type_ref,
            place,
            offset: 0,
            bits: None,
            contents: None,
        }
    }

    /// A value in memory.
    pub fn in_memory(type_ref: TypeRef, address: u64) -> Value {
        Value::at(type_ref, Place::Memory(address))
    }

    /// A value that is nowhere but here.
    pub fn computed(type_ref: TypeRef, bytes: Vec<u8>) -> Value {
        Value::at(type_ref, Place::Value(bytes))
    }

    /// A value that the compiler left nothing of.
    pub fn absent(type_ref: TypeRef, absence: Absence) -> Value {
        Value::at(type_ref, Place::Absent(absence))
    }

    /// The value as it was when it was read: what the value history keeps.
    pub fn with_contents(mut self, contents: Fetched) -> Value {
        self.contents = Some(Arc::new(contents));
        self
    }

    /// The bytes, if they were read already.
    pub fn contents(&self) -> Option<&Fetched> {
        self.contents.as_deref()
    }

    /// Its address, if it lives in memory and is not a bit field.
    pub fn address(&self) -> Option<u64> {
        match (&self.place, self.bits) {
            (Place::Memory(address), None) => Some(address.wrapping_add(self.offset)),
            _ => None,
        }
    }

    /// The part of this value at an offset.
    pub fn part(&self, type_ref: TypeRef, offset: u64, bits: Option<BitField>) -> Value {
        let (place, whole_offset) = match &self.place {
            Place::Memory(address) => (
                Place::Memory(address.wrapping_add(self.offset).wrapping_add(offset)),
                0,
            ),
            other => (other.clone(), self.offset.saturating_add(offset)),
        };
        let size = match bits {
            Some(bits) => (bits.bit_offset.saturating_add(bits.bit_size)).div_ceil(8),
            None => type_ref.size().unwrap_or(0),
        };
        let contents = self
            .contents
            .as_ref()
            .and_then(|whole| slice(whole, offset, size));
        Value {
            type_ref,
            place,
            offset: whole_offset,
            bits,
            contents: contents.map(Arc::new),
        }
    }
}

/// The bytes from `offset` on, with the holes that lie in them.
fn slice(whole: &Fetched, offset: u64, size: u64) -> Option<Fetched> {
    let start = usize::try_from(offset).ok()?;
    let end = start.checked_add(usize::try_from(size).ok()?)?;
    let bytes = whole.bytes.get(start..end)?.to_vec();
    let (first, last) = (offset * 8, (offset + size) * 8);
    let missing = whole
        .missing
        .iter()
        .filter(|(range, _)| range.start < last && first < range.end)
        .map(|(range, absence)| {
            (
                range.start.max(first) - first..range.end.min(last) - first,
                absence.clone(),
            )
        })
        .collect();
    Some(Fetched { bytes, missing })
}
