//! From the type that was written to the type that is meant.

use wayfarer_symbols::types::{PointerKind, Qualifier};

use std::sync::Arc;

use crate::number::builtin;
use crate::scope::{EvaluationError, Scope};
use crate::syntax::{Language, TypeSyntax};
use crate::types::{MadeType, TypeRef};

/// The type that some syntax means here.
pub(crate) fn resolve_type(
    syntax: &TypeSyntax,
    language: Language,
    scope: &mut dyn Scope,
) -> Result<TypeRef, EvaluationError> {
    let mut inner = |syntax: &TypeSyntax| resolve_type(syntax, language, scope);
    Ok(match syntax {
        TypeSyntax::Named { keyword, name } => {
            if keyword.is_none()
                && let Some(found) = builtin(name, language)
            {
                return Ok(found);
            }
            return scope
                .type_named(keyword.as_deref(), name)
                .ok_or_else(|| no_type(keyword.as_deref(), name));
        }
        TypeSyntax::Pointer(target) => inner(target)?.pointer(),
        TypeSyntax::Reference(target) => match (&**target, language) {
            // Rust's wide references are structs of their own in the debug information.
            (TypeSyntax::Slice(_), _) | (TypeSyntax::Named { .. }, Language::Rust) => {
                let name = format!("&{}", written(target));
                match scope.type_named(None, &name) {
                    Some(found) => found,
                    None => {
                        resolve_type(target, language, scope)?.pointer_of(PointerKind::Reference)
                    }
                }
            }
            _ => inner(target)?.pointer_of(PointerKind::Reference),
        },
        TypeSyntax::RvalueReference(target) => {
            inner(target)?.pointer_of(PointerKind::RvalueReference)
        }
        TypeSyntax::Array(element, count) => inner(element)?.array(*count),
        TypeSyntax::Slice(element) => inner(element)?.array(None),
        TypeSyntax::Tuple(parts) if parts.is_empty() => TypeRef::Void,
        TypeSyntax::Tuple(_) => {
            let name = written(syntax);
            return scope
                .type_named(None, &name)
                .ok_or_else(|| no_type(None, &name));
        }
        TypeSyntax::Function(result, parameters) => {
            let result = inner(result)?;
            let mut list = Vec::new();
            for parameter in parameters {
                list.push(resolve_type(parameter, language, scope)?);
            }
            TypeRef::Made(Arc::new(MadeType::Function {
                result,
                parameters: list,
            }))
        }
        TypeSyntax::Const(target) => inner(target)?.qualified(Qualifier::Const),
        TypeSyntax::Volatile(target) => inner(target)?.qualified(Qualifier::Volatile),
        TypeSyntax::TypeOf(_) => {
            return Err(EvaluationError::invalid("typeof is not possible here."));
        }
    })
}

fn no_type(keyword: Option<&str>, name: &str) -> EvaluationError {
    match keyword {
        Some(keyword) => EvaluationError::NoType {
            keyword: keyword.to_string(),
            name: name.to_string(),
        },
        None => EvaluationError::NoSymbol(name.to_string()),
    }
}

/// A Rust type as the debug information would name it.
fn written(syntax: &TypeSyntax) -> String {
    match syntax {
        TypeSyntax::Named { name, .. } => name.clone(),
        TypeSyntax::Pointer(target) => format!("*mut {}", written(target)),
        TypeSyntax::Reference(target) | TypeSyntax::RvalueReference(target) => {
            format!("&{}", written(target))
        }
        TypeSyntax::Array(element, Some(count)) => format!("[{}; {count}]", written(element)),
        TypeSyntax::Array(element, None) | TypeSyntax::Slice(element) => {
            format!("[{}]", written(element))
        }
        TypeSyntax::Tuple(parts) => {
            let parts: Vec<String> = parts.iter().map(written).collect();
            format!("({})", parts.join(", "))
        }
        TypeSyntax::Function(result, _) => written(result),
        TypeSyntax::Const(target) | TypeSyntax::Volatile(target) => written(target),
        TypeSyntax::TypeOf(_) => String::new(),
    }
}
