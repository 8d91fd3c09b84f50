//! From a value to its bytes and its number.

use std::sync::Arc;

use wayfarer_symbols::location::{Absence, Fetched, Place};
use wayfarer_symbols::types::BitField;

use crate::number::{Number, Scalar, wrap_bits};
use crate::scope::{EvaluationError, Scope};
use crate::types::Shape;
use crate::value::{MAXIMUM_OBJECT, Value};

/// The bytes of a value, with the holes that the compiler left in it.
pub(crate) fn contents(
    value: &Value,
    scope: &mut dyn Scope,
) -> Result<Arc<Fetched>, EvaluationError> {
    Ok(contents_or_absence(value, scope)?)
}

/// The bytes of a value, or why there are none.
pub(crate) fn contents_or_absence(
    value: &Value,
    scope: &mut dyn Scope,
) -> Result<Arc<Fetched>, Absence> {
    if let Some(known) = &value.contents {
        return Ok(Arc::clone(known));
    }
    let size = match value.bits {
        Some(bits) => bits.bit_offset.saturating_add(bits.bit_size).div_ceil(8),
        None => value.type_ref.size().unwrap_or(0),
    };
    let whole = value.offset.saturating_add(size);
    if whole > MAXIMUM_OBJECT {
        return Err(Absence::Unsupported("the object is too large to be read"));
    }
    if let Place::Value(bytes) = &value.place {
        let mut part: Vec<u8> = bytes
            .iter()
            .skip(value.offset as usize)
            .take(size as usize)
            .copied()
            .collect();
        part.resize(size as usize, 0);
        return Ok(Arc::new(Fetched {
            bytes: part,
            missing: Vec::new(),
        }));
    }
    if size == 0 {
        return Ok(Arc::new(Fetched::default()));
    }
    let fetched = scope.fetch(&value.place, whole as usize)?;
    if value.offset == 0 {
        return Ok(Arc::new(fetched));
    }
    let whole = Value {
        contents: Some(Arc::new(fetched)),
        offset: 0,
        bits: None,
        ..value.clone()
    };
    match whole
        .part(value.type_ref.clone(), value.offset, value.bits)
        .contents
    {
        Some(part) => Ok(part),
        None => Err(Absence::OptimisedOut),
    }
}

/// The number that a value is; an error for what is not a number.
pub(crate) fn number_of(value: &Value, scope: &mut dyn Scope) -> Result<Number, EvaluationError> {
    let Some(scalar) = Scalar::of(&value.type_ref) else {
        return match value.type_ref.shape() {
            // An array is the address of its first element, a function its own.
            Shape::Array { .. } | Shape::Function { .. } => match value.address() {
                Some(address) => Ok(Number::Integer(i128::from(address))),
                None => Err(EvaluationError::invalid(
                    "Attempt to take address of value not located in memory.",
                )),
            },
            Shape::Named(name) => Err(EvaluationError::invalid(format!(
                "'{name}' has unknown type; cast it to its declared type"
            ))),
            _ => Err(EvaluationError::invalid(
                "Argument to arithmetic operation not a number or boolean.",
            )),
        };
    };
    let fetched = contents(value, scope)?;
    let bits = value.bits.unwrap_or(BitField {
        bit_offset: 0,
        bit_size: scalar.bytes * 8,
    });
    if let Some(absence) = fetched.absence_of(bits.bit_offset..bits.bit_offset + bits.bit_size) {
        return Err(absence.clone().into());
    }
    if value.bits.is_some() {
        return Ok(Number::Integer(bits_of(
            &fetched.bytes,
            bits,
            scalar.signed,
        )));
    }
    Ok(scalar.decode(&fetched.bytes))
}

/// The number that some bits of bytes are.
pub(crate) fn bits_of(bytes: &[u8], bits: BitField, signed: bool) -> i128 {
    let mut value = 0i128;
    for index in 0..bits.bit_size.min(128) {
        let bit = bits.bit_offset + index;
        let byte = bytes.get((bit / 8) as usize).copied().unwrap_or(0);
        value |= i128::from(byte >> (bit % 8) & 1) << index;
    }
    wrap_bits(value, bits.bit_size, signed)
}

/// The address that a pointer, reference, array, function or integer means.
pub(crate) fn pointer_of(value: &Value, scope: &mut dyn Scope) -> Result<u64, EvaluationError> {
    Ok(number_of(value, scope)?.as_integer() as u64)
}

/// Bytes of memory; a limit keeps damaged lengths harmless.
pub(crate) fn read_bytes(
    address: u64,
    size: u64,
    scope: &mut dyn Scope,
) -> Result<Vec<u8>, EvaluationError> {
    if size > MAXIMUM_OBJECT {
        return Err(EvaluationError::invalid(
            "the object is too large to be read",
        ));
    }
    let mut bytes = vec![0; size as usize];
    scope.read(address, &mut bytes)?;
    Ok(bytes)
}
