//! The names of types, as gdb writes them: C's inside-out declarators, and Rust's own syntax.

use std::sync::Arc;

use wayfarer_symbols::Type;
use wayfarer_symbols::types::{AggregateKind, PointerKind, Qualifier};

use crate::number::is_text;
use crate::syntax::Language;
use crate::types::{MadeType, Shape, TypeRef};

/// How deep a type may nest in its own name before it counts as damaged.
const MAXIMUM_DEPTH: usize = 48;

impl TypeRef {
    /// `int *`, `char [16]`, `struct point`, `std::vector<int>`, `core::option::Option<u32>`.
    pub fn name(&self) -> String {
        self.name_with(String::new(), self.language(), 0)
    }

    /// The declaration of something of this type: `int (*handler)(int)`.
    pub fn declare(&self, name: &str) -> String {
        self.name_with(name.to_string(), self.language(), 0)
    }

    /// The name without `struct`, `union` or `enum`, as a definition is looked up by.
    pub fn plain_name(&self) -> String {
        let name = self.name();
        for keyword in ["struct ", "union ", "enum ", "class "] {
            if let Some(plain) = name.strip_prefix(keyword) {
                return plain.to_string();
            }
        }
        name
    }

    /// The type written round `inner`, which is what its declarator holds so far.
    fn name_with(&self, inner: String, language: Language, depth: usize) -> String {
        if depth > MAXIMUM_DEPTH {
            return "<circular type>".to_string();
        }
        if language == Language::Rust {
            return spaced(&self.rust_name(depth), &inner);
        }
        if let Some((qualifiers, target)) = self.qualifiers() {
            let points = matches!(
                target,
                TypeRef::Made(ref made) if matches!(**made, MadeType::Pointer(..))
            ) || matches!(target.node().as_deref(), Some(Type::Pointer(_)));
            if points {
                return target.name_with(
                    spaced(&format!(" {qualifiers}"), &inner),
                    language,
                    depth + 1,
                );
            }
            let name = target.name_with(inner, language, depth + 1);
            // The elements of a constant array are constant, and may say so themselves.
            return match name.strip_prefix(&*qualifiers) {
                Some(rest) if rest.starts_with(' ') => name,
                _ => format!("{qualifiers} {name}"),
            };
        }
        match self.shape_unstripped() {
            Unstripped::Named(name) => spaced(&name, &inner),
            Unstripped::Shape(Shape::Pointer { kind, target, .. }) => {
                let sign = match kind {
                    PointerKind::Pointer => "*",
                    PointerKind::Reference => "&",
                    PointerKind::RvalueReference => "&&",
                };
                let wraps = matches!(
                    target.shape_unstripped(),
                    Unstripped::Shape(Shape::Array { .. } | Shape::Function { .. })
                );
                let inner = if wraps {
                    format!("({sign}{inner})")
                } else {
                    format!("{sign}{inner}")
                };
                target.name_with(inner, language, depth + 1)
            }
            Unstripped::Shape(Shape::Array {
                element,
                count,
                is_vector,
            }) => {
                let bounds = match count {
                    Some(count) if is_vector => format!("__attribute__ ((vector_size({count})))"),
                    Some(count) => format!("[{count}]"),
                    None => "[]".to_string(),
                };
                let inner = if is_vector {
                    spaced(&bounds, &inner)
                } else {
                    format!("{inner}{bounds}")
                };
                element.name_with(inner, language, depth + 1)
            }
            Unstripped::Shape(Shape::Function {
                result,
                parameters,
                is_variadic,
                is_prototyped,
            }) => {
                let mut list: Vec<String> = parameters
                    .iter()
                    .map(|parameter| parameter.name_with(String::new(), language, depth + 1))
                    .collect();
                if is_variadic {
                    list.push("...".to_string());
                }
                if list.is_empty() && (is_prototyped || language == Language::Cpp) {
                    list.push("void".to_string());
                }
                let inner = format!("{inner}({})", list.join(", "));
                result.name_with(inner, language, depth + 1)
            }
            Unstripped::Shape(Shape::PointerToMember { target, class, .. }) => {
                let function = matches!(target.shape(), Shape::Function { .. });
                let target = if function {
                    with_constant_this(&target)
                } else {
                    target
                };
                let class = class.plain_name();
                let inner = if function {
                    format!("({class}::*{inner})")
                } else {
                    format!("{class}::*{inner}")
                };
                target.name_with(inner, language, depth + 1)
            }
            Unstripped::Shape(_) => spaced("void", &inner),
        }
    }

    /// `const volatile`, if the type has them.
    pub(crate) fn qualifier_words(&self) -> Option<String> {
        self.qualifiers().map(|(words, _)| words)
    }

    /// The qualifiers before the type, in gdb's order, and the type without them.
    fn qualifiers(&self) -> Option<(String, TypeRef)> {
        let mut found = Vec::new();
        let mut current = self.clone();
        for _ in 0..MAXIMUM_DEPTH {
            let (qualifier, next) = match &current {
                TypeRef::Known { module, .. } => match current.node().as_deref() {
                    Some(Type::Qualified(qualified)) => (
                        qualified.qualifier,
                        TypeRef::known(module, qualified.target),
                    ),
                    _ => break,
                },
                TypeRef::Made(made) => match &**made {
                    MadeType::Qualified(qualifier, target) => (*qualifier, target.clone()),
                    _ => break,
                },
                TypeRef::Void => break,
            };
            found.push(qualifier);
            current = next;
        }
        let words: Vec<&str> = [
            (Qualifier::Const, "const"),
            (Qualifier::Volatile, "volatile"),
            (Qualifier::Restrict, "restrict"),
            (Qualifier::Atomic, "_Atomic"),
        ]
        .iter()
        .filter(|(qualifier, _)| found.contains(qualifier))
        .map(|(_, word)| *word)
        .collect();
        if words.is_empty() {
            return None;
        }
        Some((words.join(" "), current))
    }

    /// The name of a named type, or the shape of one that is written by its parts.
    fn shape_unstripped(&self) -> Unstripped {
        if let TypeRef::Made(made) = self {
            match &**made {
                MadeType::CodeSymbol => {
                    return Unstripped::Named("<text variable, no debug info>".to_string());
                }
                MadeType::Record(record) => return Unstripped::Named(record.title()),
                MadeType::Base(base, _) => return Unstripped::Named(base.name.to_string()),
                _ => {}
            }
        }
        let Some(node) = self.node() else {
            return match self.shape() {
                Shape::Named(name) => Unstripped::Named(name.to_string()),
                shape => Unstripped::Shape(shape),
            };
        };
        match &*node {
            Type::Base(base) => Unstripped::Named(self.canonical(&base.name)),
            Type::Typedef(typedef) => Unstripped::Named(typedef.qualified_name.to_string()),
            Type::Unspecified(named) => Unstripped::Named(named.name.to_string()),
            Type::Aggregate(aggregate) => {
                let keyword = match aggregate.kind {
                    AggregateKind::Struct => "struct",
                    AggregateKind::Class => "class",
                    AggregateKind::Union => "union",
                };
                Unstripped::Named(
                    self.tagged(
                        keyword,
                        aggregate
                            .qualified_name
                            .as_deref()
                            .or(aggregate.name.as_deref()),
                    ),
                )
            }
            Type::Enumeration(enumeration) => Unstripped::Named(
                self.tagged(
                    "enum",
                    enumeration
                        .qualified_name
                        .as_deref()
                        .or(enumeration.name.as_deref()),
                ),
            ),
            _ => Unstripped::Shape(self.shape()),
        }
    }

    fn tagged(&self, keyword: &str, name: Option<&str>) -> String {
        match (name, self.language()) {
            (Some(name), Language::C) => format!("{keyword} {name}"),
            (Some(name), _) => self.canonical(name),
            (None, _) => format!("{keyword} {{...}}"),
        }
    }

    /// A name with the words of C's types in their usual order.
    fn canonical(&self, name: &str) -> String {
        match self.language() {
            Language::Rust => name.to_string(),
            _ => crate::describe::canonical_words(name),
        }
    }

    fn rust_name(&self, depth: usize) -> String {
        if depth > MAXIMUM_DEPTH {
            return "<circular type>".to_string();
        }
        if matches!(self, TypeRef::Void) {
            return "()".to_string();
        }
        match self.shape_unstripped() {
            Unstripped::Named(name) => name,
            Unstripped::Shape(Shape::Pointer {
                name: Some(name), ..
            }) => name.to_string(),
            Unstripped::Shape(Shape::Pointer { kind, target, .. }) => {
                let target = target.rust_name(depth + 1);
                if kind == PointerKind::Pointer {
                    format!("*mut {target}")
                } else {
                    format!("&{target}")
                }
            }
            Unstripped::Shape(Shape::Array { element, .. }) if is_text(&element) => {
                "&str".to_string()
            }
            Unstripped::Shape(Shape::Array { element, count, .. }) => {
                let element = element.rust_name(depth + 1);
                match count {
                    Some(count) => format!("[{element}; {count}]"),
                    None => format!("[{element}]"),
                }
            }
            Unstripped::Shape(Shape::Function {
                result, parameters, ..
            }) => {
                let list: Vec<String> = parameters
                    .iter()
                    .map(|parameter| parameter.rust_name(depth + 1))
                    .collect();
                let result = match result {
                    TypeRef::Void => String::new(),
                    other => format!(" -> {}", other.rust_name(depth + 1)),
                };
                format!("fn ({}){result}", list.join(", "))
            }
            Unstripped::Shape(_) => "()".to_string(),
        }
    }
}

/// The type of a method: its hidden `this` never changes.
fn with_constant_this(function: &TypeRef) -> TypeRef {
    let Shape::Function {
        result,
        mut parameters,
        ..
    } = function.shape()
    else {
        return function.clone();
    };
    if let Some(this) = parameters.first_mut()
        && this.qualifiers().is_none()
    {
        *this = this.qualified(Qualifier::Const);
    }
    TypeRef::Made(Arc::new(MadeType::Function { result, parameters }))
}

enum Unstripped {
    Named(String),
    Shape(Shape),
}

/// `name inner`, with the blank that gdb sets between them.
fn spaced(name: &str, inner: &str) -> String {
    if inner.is_empty() {
        name.to_string()
    } else if inner.starts_with(' ') {
        format!("{name}{inner}")
    } else {
        format!("{name} {inner}")
    }
}
