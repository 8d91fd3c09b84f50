//! `set`: assignment to memory, registers, bit fields, structures and convenience variables.

use wayfarer_symbols::location::Place;
use wayfarer_symbols::types::{BitField, Encoding};

use super::{Evaluated, Evaluator, cast, contents, encode, number_of, pointer_of};
use crate::number::{Number, builtin_or_void};
use crate::scope::{EvaluationError, Scope};
use crate::syntax::{BinaryOperator, Node};
use crate::types::{Shape, TypeRef};
use crate::value::{MAXIMUM_OBJECT, Value};

impl Evaluator<'_> {
    pub(super) fn assign(
        &mut self,
        operator: Option<BinaryOperator>,
        target: &Node,
        source: &Node,
    ) -> Evaluated {
        let mut source = self.value(source)?;
        if let Some(operator) = operator {
            let old = self.value(target)?;
            source = self.arithmetic(operator, &old, &source)?;
        }
        self.store(target, source)
    }

    /// `++` and `--` before their operand.
    pub(super) fn step(&mut self, operator: BinaryOperator, target: &Node) -> Evaluated {
        let old = self.value(target)?;
        let one = encode(
            builtin_or_void("int", crate::syntax::Language::C),
            Number::Integer(1),
        );
        let new = self.arithmetic(operator, &old, &one)?;
        self.store(target, new)
    }

    fn store(&mut self, target: &Node, source: Value) -> Evaluated {
        if let Node::Dollar(name) = target {
            let register = self.scope.dollar(name)?.filter(|value| {
                matches!(value.place, Place::Register(_)) || value.address().is_some()
            });
            if register.is_none_or(|value| value.address().is_some()) {
                let value = self.loaded(source)?;
                let kept = Value::computed(
                    value.type_ref.clone(),
                    contents(&value, self.scope)?.bytes.clone(),
                );
                if self.effects {
                    self.scope.set_convenience(name, &kept)?;
                }
                return Ok(kept);
            }
        }
        let target = self.value(target)?;
        let target = self.through_reference(target)?;
        if !self.effects {
            return Ok(target);
        }
        store(&target, &source, self.scope)
    }
}

/// Writes a value over another, converted to its type. The result is the target as it is now.
pub(crate) fn store(target: &Value, source: &Value, scope: &mut dyn Scope) -> Evaluated {
    if let Place::Value(_) | Place::ImplicitPointer { .. } = target.place {
        return Err(EvaluationError::invalid(
            "Left operand of assignment is not an lvalue.",
        ));
    }
    if let Place::Absent(absence) = &target.place {
        return Err(absence.clone().into());
    }
    if let Some(bits) = target.bits {
        store_bits(target, bits, source, scope)?;
    } else {
        let bytes = converted(target, source, scope)?;
        scope.store(&target.place, target.offset, &bytes)?;
        if let Place::Register(_) = target.place {
            // The frame's registers were read before; what is there now is what was written.
            return Ok(Value::computed(target.type_ref.clone(), bytes));
        }
    }
    let mut fresh = target.clone();
    fresh.contents = None;
    let fetched = contents(&fresh, scope)?;
    Ok(fresh.with_contents((*fetched).clone()))
}

/// The bytes of `source` as something of the type of `target`.
fn converted(target: &Value, source: &Value, scope: &mut dyn Scope) -> Evaluated<Vec<u8>> {
    let type_ref = &target.type_ref;
    let value = match (type_ref.shape(), source.type_ref.shape()) {
        // A string assigned to a pointer must live in the program first.
        (Shape::Pointer { .. }, Shape::Array { .. }) if source.address().is_none() => {
            let bytes = contents(source, scope)?.bytes.clone();
            let address = scope.allocate(&bytes)?;
            return Ok(address.to_le_bytes().to_vec());
        }
        // A string may be shorter than the array it is assigned to.
        (Shape::Array { .. }, Shape::Array { .. }) => {
            let size = type_ref.size().unwrap_or(0);
            if size > MAXIMUM_OBJECT {
                return Err(EvaluationError::invalid(
                    "the object is too large to be written",
                ));
            }
            let size = size as usize;
            let mut bytes = contents(source, scope)?.bytes.clone();
            if bytes.len() > size {
                return Err(EvaluationError::invalid(
                    "Array does not fit in the target.",
                ));
            }
            bytes.resize(size, 0);
            return Ok(bytes);
        }
        (Shape::Aggregate(_), _) if !type_ref.same(&source.type_ref) => {
            return Err(EvaluationError::invalid("Invalid cast."));
        }
        (Shape::Aggregate(_), _) => source.clone(),
        _ => cast(source, type_ref, scope)?,
    };
    Ok(contents(&value, scope)?.bytes.clone())
}

/// Changes some bits and leaves the others of the same bytes as they are.
fn store_bits(
    target: &Value,
    bits: BitField,
    source: &Value,
    scope: &mut dyn Scope,
) -> Evaluated<()> {
    let mut number = number_of(source, scope)?.as_integer();
    if is_boolean(&target.type_ref) {
        number = i128::from(number != 0);
    }
    let mut fresh = target.clone();
    fresh.contents = None;
    let mut bytes = contents(&fresh, scope)?.bytes.clone();
    for index in 0..bits.bit_size.min(128) {
        let bit = bits.bit_offset + index;
        if let Some(byte) = bytes.get_mut((bit / 8) as usize) {
            let mask = 1 << (bit % 8);
            if number >> index & 1 == 1 {
                *byte |= mask;
            } else {
                *byte &= !mask;
            }
        }
    }
    scope.store(&target.place, target.offset, &bytes)
}

fn is_boolean(type_ref: &TypeRef) -> bool {
    matches!(type_ref.shape(), Shape::Base(base) if base.encoding == Encoding::Boolean)
}

impl Evaluator<'_> {
    /// What a pointer points to.
    pub(super) fn dereference(&mut self, value: &Value) -> Evaluated {
        let value = match value.type_ref.shape() {
            Shape::Pointer { target, .. } if matches!(target.shape(), Shape::Void) => {
                return Err(EvaluationError::invalid(
                    "Attempt to dereference a generic pointer.",
                ));
            }
            Shape::Pointer { .. } => value.clone(),
            Shape::Array { element, .. } => return self.element(value, &element, 0),
            Shape::Function { .. } => return Ok(value.clone()),
            Shape::Base(_) => {
                // gdb takes an integer for the address of a long.
                let address = pointer_of(value, self.scope)?;
                return Ok(Value::in_memory(
                    builtin_or_void("long", crate::syntax::Language::C),
                    address,
                ));
            }
            _ => {
                if let Some(target) = crate::print::smart_pointee(value, self.scope) {
                    return Ok(target);
                }
                return Err(EvaluationError::invalid(
                    "Attempt to take contents of a non-pointer value.",
                ));
            }
        };
        let Shape::Pointer { target, .. } = value.type_ref.shape() else {
            return Ok(value);
        };
        if let Place::ImplicitPointer {
            target: die,
            byte_offset: 0,
        } = value.place
        {
            let module = match &value.type_ref.strip() {
                TypeRef::Known { module, .. } => Some(std::sync::Arc::clone(module)),
                _ => None,
            };
            if let Some(found) = self.scope.variable_of(module, die) {
                return Ok(found);
            }
        }
        let reference = matches!(
            target.shape(),
            Shape::Pointer {
                kind: wayfarer_symbols::types::PointerKind::Reference,
                ..
            }
        ) && self.language != crate::syntax::Language::Rust;
        let address = pointer_of(&value, self.scope)?;
        let found = Value::in_memory(target, address);
        if reference {
            return self.through_reference(found);
        }
        Ok(found)
    }
}
