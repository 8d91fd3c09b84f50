//! Operators that a C++ program defines for its own classes.

use super::{Evaluated, Evaluator, overloads};
use crate::print::sequence_of;
use crate::syntax::Language;
use crate::types::{Shape, TypeRef};
use crate::value::Value;

impl Evaluator<'_> {
    /// What the program's own operator makes of its operands, the first of which decides; nothing where there is none.
    pub(super) fn own_operator(
        &mut self,
        symbol: &str,
        operands: &[Value],
    ) -> Evaluated<Option<Value>> {
        if self.language != Language::Cpp {
            return Ok(None);
        }
        let mut given = Vec::with_capacity(operands.len());
        for operand in operands {
            given.push(self.through_reference(operand.clone())?);
        }
        let Some((object, arguments)) = given.split_first() else {
            return Ok(None);
        };
        if !given.iter().any(is_object) {
            return Ok(None);
        }
        let name = format!("operator{symbol}");
        if is_object(object) && object.address().is_some() {
            match self.method_of(object, &name, arguments) {
                Ok(Some((callee, this))) => {
                    let mut values = vec![this];
                    values.extend_from_slice(arguments);
                    return self.run(&callee, &values).map(Some);
                }
                Ok(None) => {}
                // Known, but only inlined: a function may still do.
                Err(error) if self.free_operator(&name, &given).is_none() => return Err(error),
                Err(_) => {}
            }
        }
        match self.free_operator(&name, &given) {
            Some(callee) => self.run(&callee, &given).map(Some),
            None => Ok(None),
        }
    }

    /// A function of that name that suits the operands, in any namespace.
    fn free_operator(&mut self, name: &str, operands: &[Value]) -> Option<Value> {
        let all = self.scope.overloads(name);
        overloads::best(&all, operands, 0).cloned()
    }

    /// Calls, or says of which type the result would be.
    pub(super) fn run(&mut self, callee: &Value, values: &[Value]) -> Evaluated {
        let (result, parameters) = match super::target_function(&callee.type_ref) {
            Some(Shape::Function {
                result, parameters, ..
            }) => (result, parameters),
            _ => (TypeRef::Void, Vec::new()),
        };
        if self.effects {
            if self.language != Language::Rust {
                return self.scope.call(callee, values);
            }
            let mut fitted = Vec::with_capacity(values.len());
            for (index, value) in values.iter().enumerate() {
                fitted.push(self.as_slice(value, parameters.get(index))?);
            }
            return self.scope.call(callee, &fitted);
        }
        Ok(Value::computed(result, Vec::new()))
    }
}

impl Evaluator<'_> {
    /// Rust makes a slice of a reference to a vector, an array or a string where a slice is wanted.
    fn as_slice(&mut self, value: &Value, parameter: Option<&TypeRef>) -> Evaluated {
        let Some(parameter) = parameter else {
            return Ok(value.clone());
        };
        let Shape::Aggregate(wanted) = parameter.shape() else {
            return Ok(value.clone());
        };
        let has = |name: &str| {
            let mut members = wanted.members.iter();
            members.any(|member| member.name.as_deref() == Some(name))
        };
        let is_slice = wanted.members.len() == 2 && has("data_ptr") && has("length");
        if !is_slice || !matches!(value.type_ref.shape(), Shape::Pointer { .. }) {
            return Ok(value.clone());
        }
        let object = self.dereference(value)?;
        let (address, count) = match object.type_ref.shape() {
            Shape::Array {
                count: Some(count), ..
            } => (object.address(), count),
            _ => match sequence_of(&object, self.scope) {
                Some((_, address, count)) => (Some(address), count),
                None => return Ok(value.clone()),
            },
        };
        let Some(address) = address else {
            return Ok(value.clone());
        };
        let mut bytes = address.to_le_bytes().to_vec();
        bytes.extend(count.to_le_bytes());
        Ok(Value::computed(parameter.clone(), bytes))
    }
}

fn is_object(value: &Value) -> bool {
    matches!(value.type_ref.shape(), Shape::Aggregate(_))
}
