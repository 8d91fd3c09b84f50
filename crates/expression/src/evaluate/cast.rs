//! Casts, and the conversion of a value to the type it is assigned to.

use wayfarer_symbols::types::{Encoding, PointerKind};

use super::class_cast::{base_part, moved};
use super::{contents, encode, number_of, pointer_of};
use crate::number::{Number, Scalar};
use crate::scope::{EvaluationError, Scope};
use crate::types::{Shape, TypeRef};
use crate::value::Value;

/// The value in another type.
pub(crate) fn cast(
    value: &Value,
    target: &TypeRef,
    scope: &mut dyn Scope,
) -> Result<Value, EvaluationError> {
    let value = match (value.type_ref.shape(), target.shape()) {
        (
            Shape::Pointer {
                kind: PointerKind::Reference | PointerKind::RvalueReference,
                target: referred,
                ..
            },
            shape,
        ) if !matches!(shape, Shape::Pointer { .. }) => {
            let address = pointer_of(value, scope)?;
            Value::in_memory(referred, address)
        }
        _ => value.clone(),
    };
    match target.shape() {
        Shape::Void => Ok(Value::computed(TypeRef::Void, Vec::new())),
        Shape::Pointer {
            kind: PointerKind::Reference | PointerKind::RvalueReference,
            target: referred,
            ..
        } if !matches!(value.type_ref.shape(), Shape::Pointer { .. }) => {
            let address = value.address().ok_or_else(|| {
                EvaluationError::invalid("Attempt to take address of value not located in memory.")
            })?;
            let address = moved(address, &value.type_ref, &referred, scope)?;
            Ok(Value::computed(
                target.clone(),
                address.to_le_bytes().to_vec(),
            ))
        }
        Shape::Pointer { target: to, .. } => {
            let cast = scalar_cast(&value, target, scope)?;
            let Shape::Pointer { target: from, .. } = value.type_ref.shape() else {
                return Ok(cast);
            };
            let address = pointer_of(&value, scope)?;
            match moved(address, &from, &to, scope)? {
                same if same == address => Ok(cast),
                other => Ok(Value::computed(
                    target.clone(),
                    other.to_le_bytes().to_vec(),
                )),
            }
        }
        Shape::Base(_) | Shape::Enumeration(_) => scalar_cast(&value, target, scope),
        Shape::Aggregate(_) => match base_part(&value, target, scope)? {
            Some(part) => Ok(part),
            None => reinterpret(&value, target, scope),
        },
        Shape::Array { .. } => reinterpret(&value, target, scope),
        Shape::Function { .. } => Ok(Value::in_memory(target.clone(), pointer_of(&value, scope)?)),
        Shape::PointerToMember { .. } | Shape::Record(_) | Shape::Named(_) => {
            Err(EvaluationError::invalid("Invalid cast."))
        }
    }
}

fn scalar_cast(
    value: &Value,
    target: &TypeRef,
    scope: &mut dyn Scope,
) -> Result<Value, EvaluationError> {
    let Some(scalar) = Scalar::of(target) else {
        return reinterpret(value, target, scope);
    };
    // An object without debug information takes the type that the cast gives it.
    if matches!(value.type_ref.shape(), Shape::Named(_))
        && let Some(address) = value.address()
    {
        return Ok(Value::in_memory(target.clone(), address));
    }
    let number = number_of(value, scope).map_err(|error| match error {
        EvaluationError::Invalid(text) if text.starts_with("Argument to arithmetic") => {
            EvaluationError::invalid("Invalid cast.")
        }
        other => other,
    })?;
    let boolean = matches!(target.shape(),
        Shape::Base(base) if base.encoding == Encoding::Boolean);
    let signed = Scalar::of(&value.type_ref).is_none_or(|source| source.signed);
    let converted = if boolean {
        Number::Integer(i128::from(!number.is_zero()))
    } else if scalar.float {
        Number::Float(number.as_float(signed))
    } else {
        Number::Integer(scalar.wrap(number.as_integer()))
    };
    Ok(encode(target.clone(), converted))
}

/// The same bytes under another type: between structures, arrays and vectors of one size.
fn reinterpret(
    value: &Value,
    target: &TypeRef,
    scope: &mut dyn Scope,
) -> Result<Value, EvaluationError> {
    // An array without a length covers what is there.
    if let Shape::Array {
        element,
        count: None,
        is_vector,
    } = target.shape()
        && let (Some(element_size), Some(size)) = (element.size(), value.type_ref.size())
        && element_size > 0
        && !is_vector
    {
        return reinterpret(value, &element.array(Some(size / element_size)), scope);
    }
    if matches!(value.type_ref.shape(), Shape::Named(_))
        && let Some(address) = value.address()
    {
        return Ok(Value::in_memory(target.clone(), address));
    }
    if value.type_ref.size() != target.size() {
        return Err(EvaluationError::invalid("Invalid cast."));
    }
    if let Some(address) = value.address() {
        return Ok(Value::in_memory(target.clone(), address));
    }
    let fetched = contents(value, scope)?;
    Ok(Value::computed(target.clone(), fetched.bytes.clone()))
}
