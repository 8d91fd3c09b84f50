//! Elements, slices and `@`.

use super::{Evaluated, Evaluator, number_of, pointer_of};
use crate::number::{Number, text_element};
use crate::print::{nth_element, sequence_of, smart_pointee};
use crate::scope::EvaluationError;
use crate::syntax::Node;
use crate::types::{Shape, TypeRef};
use crate::value::{MAXIMUM_OBJECT, Value};

/// Elements of containers that must be walked through are not looked for beyond this one.
const MAXIMUM_INDEX: u64 = 1 << 20;

impl Evaluator<'_> {
    pub(super) fn index(&mut self, base: &Value, index: &Value) -> Evaluated {
        let index = self.through_reference(index.clone())?;
        let Number::Integer(index) = number_of(&index, self.scope)? else {
            return Err(EvaluationError::invalid("an index must be an integer."));
        };
        let index = index as i64;
        if let Shape::Pointer {
            kind: wayfarer_symbols::types::PointerKind::Pointer,
            target,
            ..
        } = base.type_ref.shape()
        {
            if let Shape::Array { element, .. } = target.shape()
                && self.language == crate::syntax::Language::Rust
            {
                let base = self.dereference(base)?;
                return self.element(&base, &element, index);
            }
            let address = pointer_of(base, self.scope)?;
            let size = target.size().unwrap_or(1) as i64;
            let address = address.wrapping_add(index.wrapping_mul(size) as u64);
            return Ok(Value::in_memory(target, address));
        }
        let base = self.through_reference(base.clone())?;
        if let Shape::Array { element, .. } = base.type_ref.shape() {
            return self.element(&base, &element, index);
        }
        if let Some((element, address, count)) = sequence_of(&base, self.scope) {
            if index < 0 || index as u64 >= count {
                return Err(EvaluationError::invalid(format!(
                    "index {index} is out of range: there are {count} elements."
                )));
            }
            let size = element.size().unwrap_or(0);
            let address = address.wrapping_add(size.wrapping_mul(index as u64));
            return Ok(Value::in_memory(element, address));
        }
        if let Shape::Aggregate(_) = base.type_ref.shape() {
            let wanted = u64::try_from(index)
                .ok()
                .filter(|index| *index < MAXIMUM_INDEX);
            if let Some(found) = wanted.and_then(|index| nth_element(&base, index, self.scope)) {
                return found.ok_or_else(|| {
                    EvaluationError::invalid(format!("index {index} is out of range."))
                });
            }
            if let Some(inner) = smart_pointee(&base, self.scope) {
                // A pointer to several objects points to the first of them.
                if base.type_ref.name().contains("[]")
                    && !matches!(inner.type_ref.shape(), Shape::Array { .. })
                    && let Some(address) = inner.address()
                {
                    let size = inner.type_ref.size().unwrap_or(1) as i64;
                    let address = address.wrapping_add(index.wrapping_mul(size) as u64);
                    return Ok(Value::in_memory(inner.type_ref, address));
                }
                let index = super::encode(
                    crate::number::builtin_or_void("long", crate::syntax::Language::C),
                    Number::Integer(i128::from(index)),
                );
                return self.index(&inner, &index);
            }
        }
        Err(EvaluationError::invalid(format!(
            "cannot subscript something of type `{}'",
            base.type_ref.name()
        )))
    }

    /// An element of an array; C's arrays have no guarded bounds.
    pub(super) fn element(&mut self, base: &Value, element: &TypeRef, index: i64) -> Evaluated {
        let size = element.size().unwrap_or(0);
        let offset = (index as u64).wrapping_mul(size);
        if let Some(address) = base.address() {
            return Ok(Value::in_memory(
                element.clone(),
                address.wrapping_add(offset),
            ));
        }
        let whole = base.type_ref.size().unwrap_or(0);
        if index < 0 || offset.checked_add(size).is_none_or(|end| end > whole) {
            return Err(EvaluationError::invalid("no such vector element"));
        }
        Ok(base.part(element.clone(), offset, None))
    }

    pub(super) fn slice(
        &mut self,
        base: &Node,
        from: Option<&Node>,
        to: Option<&Node>,
        inclusive: bool,
    ) -> Evaluated {
        let base = self.value(base)?;
        let base = self.through_reference(base)?;
        let from = self.bound(from)?.unwrap_or(0);
        let to = self.bound(to)?;
        let (element, address, length) = match base.type_ref.shape() {
            Shape::Array { element, count, .. } => {
                let address = base.address().ok_or_else(|| {
                    EvaluationError::invalid("only an array in memory can be sliced.")
                })?;
                (element, address, count)
            }
            Shape::Pointer { target, .. } => (target, pointer_of(&base, self.scope)?, None),
            _ => match sequence_of(&base, self.scope) {
                Some((element, address, count)) => {
                    let element = match base.type_ref.plain_name().as_str() {
                        "&str" | "&mut str" | "alloc::string::String" => text_element(),
                        _ => element,
                    };
                    (element, address, Some(count))
                }
                None => {
                    return Err(EvaluationError::invalid(
                        "cannot take a slice of this type.",
                    ));
                }
            },
        };
        let end = match (to, length) {
            (Some(to), _) if inclusive => to.saturating_add(1),
            (Some(to), _) => to,
            (None, Some(length)) => length,
            (None, None) => {
                return Err(EvaluationError::invalid(
                    "a slice of a pointer needs an upper bound.",
                ));
            }
        };
        if from > end || length.is_some_and(|length| end > length) {
            return Err(EvaluationError::invalid(match length {
                Some(length) => {
                    format!("the slice {from}..{end} is out of range: there are {length} elements.")
                }
                None => format!("the slice {from}..{end} is empty."),
            }));
        }
        let size = element.size().unwrap_or(0);
        let start = address.wrapping_add(size.wrapping_mul(from));
        Ok(Value::in_memory(element.array(Some(end - from)), start))
    }

    fn bound(&mut self, node: Option<&Node>) -> Evaluated<Option<u64>> {
        let Some(node) = node else {
            return Ok(None);
        };
        let value = self.value(node)?;
        match number_of(&value, self.scope)? {
            Number::Integer(bound) => match u64::try_from(bound) {
                Ok(bound) => Ok(Some(bound)),
                Err(_) => Err(EvaluationError::invalid(
                    "the bounds of a slice cannot be negative.",
                )),
            },
            Number::Float(_) => Err(EvaluationError::invalid("an index must be an integer.")),
        }
    }

    pub(super) fn repeat(&mut self, base: &Node, count: &Node) -> Evaluated {
        let base = self.value(base)?;
        let base = self.through_reference(base)?;
        let count = self.value(count)?;
        let count = number_of(&count, self.scope)?.as_integer();
        let Some(address) = base.address() else {
            return Err(EvaluationError::invalid(
                "Only values in memory can be extended with '@'.",
            ));
        };
        if count <= 0 {
            return Err(EvaluationError::invalid(
                "Invalid number 0 of repetitions.".replace('0', &count.to_string()),
            ));
        }
        let size = base.type_ref.size().unwrap_or(0).max(1);
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        if count
            .checked_mul(size)
            .is_none_or(|total| total > MAXIMUM_OBJECT)
        {
            return Err(EvaluationError::invalid(format!(
                "value requires {} bytes, which is more than max-value-size",
                count.saturating_mul(size)
            )));
        }
        Ok(Value::in_memory(base.type_ref.array(Some(count)), address))
    }
}
