//! Methods: which one a name and its arguments mean, and on which part of an object it works.

use std::sync::Arc;

use wayfarer_symbols::types::Method;

use super::class_cast::base_part;
use super::members::MAXIMUM_DEPTH;
use super::{Evaluated, Evaluator, base_value, overloads, pointer_of};
use crate::scope::{EvaluationError, Scope};
use crate::syntax::Node;
use crate::types::{MadeType, Shape, Structure, TypeRef};
use crate::value::Value;

impl Evaluator<'_> {
    /// The object, or the part of it, whose class has a method of this name: through pointers, smart
    /// ones too, and in bases.
    fn receiver(&mut self, object: &Value, name: &str) -> Evaluated<Option<Value>> {
        let mut object = object.clone();
        for _ in 0..8 {
            match object.type_ref.shape() {
                Shape::Pointer { target, .. } => {
                    let address = pointer_of(&object, self.scope)?;
                    object = Value::in_memory(target, address);
                }
                Shape::Aggregate(_) => {
                    if let Some(owner) = method_owner(&object, name, self.scope, 0)? {
                        return Ok(Some(owner));
                    }
                    match crate::print::smart_pointee(&object, self.scope) {
                        Some(inner) => object = inner,
                        None => return Ok(None),
                    }
                }
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    /// The function to call and the object it is called on.
    pub(super) fn callee(
        &mut self,
        function: &Node,
        arguments: &[Value],
    ) -> Evaluated<(Value, Option<Value>)> {
        match function {
            Node::Field(base, name) | Node::Arrow(base, name) => {
                let object = self.value(base)?;
                match self.method_of(&object, name, arguments)? {
                    Some((callee, this)) => Ok((callee, Some(this))),
                    None => Ok((self.field(&object, name)?, None)),
                }
            }
            Node::Name(name) => {
                let all = self.scope.overloads(name);
                match overloads::best(&all, arguments, 0) {
                    Some(best) if all.len() > 1 => Ok((best.clone(), None)),
                    _ => Ok((self.value(function)?, None)),
                }
            }
            _ => Ok((self.value(function)?, None)),
        }
    }

    /// The method of an object that a name and arguments mean, with the pointer it gets.
    pub(super) fn method_of(
        &mut self,
        object: &Value,
        name: &str,
        arguments: &[Value],
    ) -> Evaluated<Option<(Value, Value)>> {
        let Some(receiver) = self.receiver(object, name)? else {
            return Ok(None);
        };
        let Shape::Aggregate(structure) = receiver.type_ref.shape() else {
            return Ok(None);
        };
        let Some(address) = receiver.address() else {
            return Err(EvaluationError::invalid(
                "a method needs an object in memory.",
            ));
        };
        if let Some(found) = self.virtual_method(&receiver, &structure, name, arguments)? {
            return Ok(Some(found));
        }
        let callee = method(&structure, name, arguments, self.scope)?
            .ok_or_else(|| EvaluationError::NoMember(name.to_string()))?;
        let this = super::pointer_value(&receiver.type_ref, address);
        Ok(Some((callee, this)))
    }

    /// What the object's own table has for a virtual method: the class that it really is decides.
    fn virtual_method(
        &mut self,
        receiver: &Value,
        structure: &Structure,
        name: &str,
        arguments: &[Value],
    ) -> Evaluated<Option<(Value, Value)>> {
        let Some(declared) = chosen(structure, name, arguments) else {
            return Ok(None);
        };
        let Some(slot) = declared.table_slot.filter(|_| declared.is_virtual) else {
            return Ok(None);
        };
        let first = declared
            .table_class
            .map(|class| structure.member_type(Some(class)));
        let part = match &first {
            Some(class) => base_part(receiver, class, self.scope)?,
            None => None,
        };
        let part = part.unwrap_or_else(|| receiver.clone());
        let Some(object) = part.address() else {
            return Ok(None);
        };
        let table = self.word(object)?;
        let code = self.word(table.wrapping_add(slot.wrapping_mul(8)))?;
        let callee = Value::in_memory(function_type(structure, declared), code);
        Ok(Some((callee, super::pointer_value(&part.type_ref, object))))
    }

    fn word(&mut self, address: u64) -> Evaluated<u64> {
        let mut bytes = [0; 8];
        self.scope.read(address, &mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }
}

/// The part of an object whose class declares a method of this name.
fn method_owner(
    object: &Value,
    name: &str,
    scope: &mut dyn Scope,
    depth: usize,
) -> Evaluated<Option<Value>> {
    let Shape::Aggregate(structure) = object.type_ref.shape() else {
        return Ok(None);
    };
    if structure.methods.iter().any(|method| &*method.name == name) {
        return Ok(Some(object.clone()));
    }
    if depth > MAXIMUM_DEPTH {
        return Ok(None);
    }
    for index in 0..structure.bases.len() {
        let base = base_value(object, &structure, index, scope)?;
        if let Some(owner) = method_owner(&base, name, scope, depth + 1)? {
            return Ok(Some(owner));
        }
    }
    Ok(None)
}

fn function_type(structure: &Structure, method: &Method) -> TypeRef {
    let known = |id: &Option<_>| structure.member_type(*id);
    TypeRef::Made(Arc::new(MadeType::Function {
        result: known(&method.return_type),
        parameters: method.parameters.iter().map(known).collect(),
    }))
}

/// The declaration that a name and arguments mean.
fn chosen<'a>(structure: &'a Structure, name: &str, arguments: &[Value]) -> Option<&'a Method> {
    let named = || {
        let methods = structure.methods.iter();
        methods.filter(|method| &*method.name == name)
    };
    let ranked = named().filter_map(|method| {
        let hidden = usize::from(!method.is_static);
        let types: Vec<TypeRef> = method
            .parameters
            .iter()
            .skip(hidden)
            .map(|id| structure.member_type(*id))
            .collect();
        overloads::rank(&types, arguments).map(|rank| (rank, method))
    });
    let best = ranked.min_by_key(|(rank, _)| *rank);
    best.map(|(_, method)| method).or_else(|| named().next())
}

/// A method by name and arguments, as a function value.
pub(super) fn method(
    structure: &Structure,
    name: &str,
    arguments: &[Value],
    scope: &mut dyn Scope,
) -> Evaluated<Option<Value>> {
    let Some(first) = chosen(structure, name, arguments) else {
        return Ok(None);
    };
    let named = structure
        .methods
        .iter()
        .filter(|method| &*method.name == name);
    let is_only = named.clone().count() == 1;
    // The class of a lambda has no name that could be looked up.
    let class_name = structure.qualified_name.as_deref();
    let full_name = class_name.map(|class| format!("{class}::{name}"));
    if let Some(full_name) = full_name.as_ref().filter(|_| is_only)
        && let Some(found) = scope.variable(full_name)?
    {
        return Ok(Some(found));
    }
    for method in std::iter::once(first).chain(named) {
        let defined = scope.definition_of(&structure.module, method.die, name);
        // Only declared here: the linker's name finds it in a library.
        let address = match (defined, &method.linkage_name) {
            (None, Some(linkage_name)) => {
                let found = scope.variable(linkage_name)?;
                found.and_then(|found| found.address())
            }
            (defined, _) => defined,
        };
        if let Some(address) = address {
            return Ok(Some(Value::in_memory(
                function_type(structure, method),
                address,
            )));
        }
    }
    if let Some(full_name) = &full_name
        && let Some(found) = scope.variable(full_name)?
    {
        return Ok(Some(found));
    }
    Err(EvaluationError::invalid(
        "Cannot evaluate function -- may be inlined",
    ))
}
