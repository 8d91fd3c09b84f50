//! The commonest methods of the standard libraries, which optimised programs have only inlined.

use super::{Evaluated, Evaluator};
use crate::number::{Number, builtin_or_void};
use crate::print::{element_count, nth_element, sequence_of, smart_pointee};
use crate::scope::EvaluationError;
use crate::syntax::{Language, Node};
use crate::types::Shape;
use crate::value::Value;

impl Evaluator<'_> {
    /// What a method without arguments would give, if it is one of those that are known here.
    pub(super) fn library_method(
        &mut self,
        function: &Node,
        arguments: &[Node],
    ) -> Evaluated<Option<Value>> {
        let (Node::Field(base, name) | Node::Arrow(base, name)) = function else {
            return Ok(None);
        };
        if !arguments.is_empty() {
            return Ok(None);
        }
        let mut object = self.value(base)?;
        for _ in 0..8 {
            if let Shape::Pointer { .. } = object.type_ref.shape() {
                object = self.dereference(&object)?;
                continue;
            }
            if let Some(found) = self.known_method(&object, name)? {
                return Ok(Some(found));
            }
            match smart_pointee(&object, self.scope) {
                Some(inner) => object = inner,
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    fn known_method(&mut self, object: &Value, name: &str) -> Evaluated<Option<Value>> {
        Ok(match name {
            "size" | "length" | "len" => element_count(object, self.scope)
                .map(|count| self.made_integer("unsigned long", i128::from(count))),
            "empty" | "is_empty" => {
                element_count(object, self.scope).map(|count| self.boolean(count == 0))
            }
            "front" | "first" => nth(object, 0, self)?,
            "back" | "last" => match element_count(object, self.scope) {
                Some(count) if count > 0 => nth(object, count - 1, self)?,
                _ => None,
            },
            "get" => match smart_pointee(object, self.scope) {
                Some(inner) => inner
                    .address()
                    .map(|address| super::pointer_value(&inner.type_ref, address)),
                None => None,
            },
            _ => None,
        })
    }
}

fn nth(object: &Value, index: u64, evaluator: &mut Evaluator<'_>) -> Evaluated<Option<Value>> {
    if sequence_of(object, evaluator.scope).is_some() {
        let index = super::encode(
            builtin_or_void("long", Language::C),
            Number::Integer(i128::from(index)),
        );
        return evaluator.index(object, &index).map(Some);
    }
    match nth_element(object, index, evaluator.scope) {
        Some(Some(element)) => Ok(Some(element)),
        Some(None) => Err(EvaluationError::invalid("there are no elements.")),
        None => Ok(None),
    }
}
