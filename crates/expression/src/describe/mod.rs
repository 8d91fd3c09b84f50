//! What `ptype` and `whatis` say of a type: gdb's layout for C and C++, Rust's items for Rust.

mod aliases;
mod cpp_class;
mod offsets;
mod rust_item;

use wayfarer_symbols::types::{AggregateKind, Enumeration};

use crate::evaluate::TypeOf;
use crate::syntax::Language;
use crate::types::{Shape, Structure, TypeRef};

pub(crate) use aliases::{canonical_words, library_aliases};
pub use offsets::describe_offsets;

/// The text of `whatis`, without its `type = `.
pub fn whatis(found: &TypeOf) -> String {
    let type_ref = match found {
        TypeOf::Value(type_ref) => type_ref.clone(),
        // Of a typedef, what it stands for, one step.
        TypeOf::Type(type_ref) => match type_ref.node().as_deref() {
            Some(wayfarer_symbols::Type::Typedef(_)) => type_ref.peel().unwrap_or(TypeRef::Void),
            _ => type_ref.clone(),
        },
    };
    displayed_name(&type_ref)
}

/// The text of `ptype`, without its `type = `: the type with its members.
pub fn describe_type(type_ref: &TypeRef) -> String {
    if type_ref.language() == Language::Rust {
        return rust_item::describe(type_ref);
    }
    if let Shape::Record(record) = type_ref.shape() {
        return record.definition(0);
    }
    expand(type_ref, "", 1, 0)
}

/// The name of a type as users write it, with the library's aliases.
pub(crate) fn displayed_name(type_ref: &TypeRef) -> String {
    let name = type_ref.name();
    match type_ref.language() {
        Language::Cpp => library_aliases(&name),
        _ => name,
    }
}

/// A declaration as users write it.
fn displayed_declaration(type_ref: &TypeRef, name: &str) -> String {
    let text = type_ref.declare(name);
    match type_ref.language() {
        Language::Cpp => library_aliases(&text),
        _ => text,
    }
}

/// A type with its innermost structure written out. `show` counts down as gdb's does: structures
/// are written out while it is positive, nameless ones also at zero.
fn expand(type_ref: &TypeRef, declarator: &str, show: i32, level: usize) -> String {
    let plain = || displayed_declaration(type_ref, declarator);
    let Some((innermost, layers)) = innermost(type_ref, show) else {
        return plain();
    };
    let body = match innermost.shape() {
        Shape::Aggregate(structure) => {
            let nameless = structure.name.is_none();
            if !(show > 0 || nameless && show == 0) {
                return plain();
            }
            // A type that the library has a short name for is that name.
            let name = innermost.name();
            if innermost.language() == Language::Cpp
                && outline(&library_aliases(&name)) != outline(&name)
            {
                return plain();
            }
            let show = if show > 0 { show } else { 1 };
            structure_text(&innermost, &structure, show, level)
        }
        Shape::Enumeration(enumeration) => {
            if !(show > 0 || enumeration.name.is_none() && show == 0) {
                return plain();
            }
            enumeration_text(&innermost, &enumeration)
        }
        _ => return resolved_name(type_ref, declarator, show),
    };
    // The declarator is what the layers make of a type named by a single word.
    let wrapped = layers.declare_over(declarator);
    if wrapped.is_empty() {
        body
    } else {
        format!("{body} {wrapped}")
    }
}

/// The name of a template and how many arguments it has, whatever they are.
fn outline(name: &str) -> (&str, usize) {
    let Some((template, arguments)) = name.split_once('<') else {
        return (name, 0);
    };
    let mut depth = 0usize;
    let mut count = 1;
    for letter in arguments.chars() {
        match letter {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => count += 1,
            _ => {}
        }
    }
    (template, count)
}

/// A type that has nothing to write out: typedefs resolved where `ptype` does so.
fn resolved_name(type_ref: &TypeRef, declarator: &str, show: i32) -> String {
    if show > 0 {
        return displayed_declaration(&resolve(type_ref, 0), declarator);
    }
    displayed_declaration(type_ref, declarator)
}

/// The type without its own typedefs and those below its pointers and arrays.
fn resolve(type_ref: &TypeRef, depth: usize) -> TypeRef {
    let current = strip_typedefs(type_ref);
    if depth > 16 || current.qualifier_words().is_some() {
        return current;
    }
    match current.shape() {
        Shape::Pointer { kind, target, .. } => resolve(&target, depth + 1).pointer_of(kind),
        Shape::Array {
            element,
            count,
            is_vector: false,
        } => resolve(&element, depth + 1).array(count),
        _ => current,
    }
}

/// The type without its outermost typedefs; qualifiers stay.
fn strip_typedefs(type_ref: &TypeRef) -> TypeRef {
    let mut current = type_ref.clone();
    for _ in 0..64 {
        match current.node().as_deref() {
            Some(wayfarer_symbols::Type::Typedef(_)) => {
                current = current.peel().unwrap_or(TypeRef::Void);
            }
            _ => break,
        }
    }
    current
}

/// The pointers, arrays and functions round a structure.
struct Layers(Vec<Layer>);

enum Layer {
    Sign(&'static str),
    Array(Option<u64>),
}

impl Layers {
    fn declare_over(&self, declarator: &str) -> String {
        let mut inner = declarator.to_string();
        let mut was_pointer = false;
        // Outermost first: each wraps what the ones before made.
        for layer in &self.0 {
            match layer {
                Layer::Sign(sign) => {
                    inner = format!("{sign}{inner}");
                    was_pointer = true;
                }
                Layer::Array(count) => {
                    if was_pointer {
                        inner = format!("({inner})");
                    }
                    let count = count.map(|count| count.to_string()).unwrap_or_default();
                    inner = format!("{inner}[{count}]");
                    was_pointer = false;
                }
            }
        }
        inner.trim_start().to_string()
    }
}

/// The structure or enumeration at the bottom of pointers and arrays.
fn innermost(type_ref: &TypeRef, show: i32) -> Option<(TypeRef, Layers)> {
    use wayfarer_symbols::types::PointerKind;
    let mut layers = Vec::new();
    let mut current = type_ref.clone();
    for _ in 0..32 {
        // A named typedef is not looked through where names are wanted.
        if show <= 0
            && matches!(
                current.without_qualifiers().node().as_deref(),
                Some(wayfarer_symbols::Type::Typedef(_))
            )
        {
            return None;
        }
        match current.shape() {
            Shape::Pointer { kind, target, .. } => {
                layers.push(Layer::Sign(match kind {
                    PointerKind::Pointer => "*",
                    PointerKind::Reference => "&",
                    PointerKind::RvalueReference => "&&",
                }));
                current = target;
            }
            Shape::Array {
                element,
                count,
                is_vector: false,
            } => {
                layers.push(Layer::Array(count));
                current = element;
            }
            Shape::Aggregate(_) | Shape::Enumeration(_) => {
                return Some((current.strip(), Layers(layers)));
            }
            _ => return Some((current, Layers(Vec::new()))),
        }
    }
    None
}

fn structure_text(type_ref: &TypeRef, structure: &Structure, show: i32, level: usize) -> String {
    let mut text = head(structure);
    text.push_str(" {\n");
    let indent = "    ".repeat(level);
    if structure.is_declaration {
        text.push_str(&format!("{indent}    <incomplete type>\n"));
    } else if type_ref.language() == Language::Cpp {
        text.push_str(&cpp_class::body(structure, show, level));
    } else {
        text.push_str(&members(structure, show, level));
    }
    text.push_str(&format!("{indent}}}"));
    text
}

/// Keyword, name, template arguments and bases of a structure.
fn head(structure: &Structure) -> String {
    let keyword = match structure.kind {
        AggregateKind::Struct => "struct",
        AggregateKind::Class => "class",
        AggregateKind::Union => "union",
    };
    let name = structure
        .qualified_name
        .as_deref()
        .or(structure.name.as_deref());
    let cpp = structure.language() == Language::Cpp;
    let mut text = match name {
        Some(name) if structure.name.is_some() => {
            format!("{keyword} {}", displayed(structure.language(), name))
        }
        _ => keyword.to_string(),
    };
    if cpp {
        text.push_str(&cpp_class::template_arguments(structure));
        text.push_str(&cpp_class::bases(structure));
    }
    text
}

fn displayed(language: Language, name: &str) -> String {
    match language {
        Language::Cpp => library_aliases(&canonical_words(name)),
        _ => canonical_words(name),
    }
}

fn members(structure: &Structure, show: i32, level: usize) -> String {
    if structure.members.is_empty() {
        return format!("{}    <no data fields>\n", "    ".repeat(level));
    }
    structure
        .members
        .iter()
        .map(|member| member_line(structure, member, show, level))
        .collect()
}

/// One member with its declaration.
fn member_line(
    structure: &Structure,
    member: &wayfarer_symbols::types::Member,
    show: i32,
    level: usize,
) -> String {
    let indent = "    ".repeat(level + 1);
    let type_ref = structure.member_type(member.type_id);
    let name = member.name.as_deref().unwrap_or_default();
    // A nameless member is a part of this structure and is shown like it.
    let newshow = if name.is_empty() { show } else { show - 1 };
    let bits = match member.bit_field {
        Some(bits) => format!(" : {}", bits.bit_size),
        None => String::new(),
    };
    format!(
        "{indent}{}{bits};\n",
        expand(&type_ref, name, newshow, level + 1)
    )
}

fn enumeration_text(type_ref: &TypeRef, enumeration: &Enumeration) -> String {
    let cpp = type_ref.language() == Language::Cpp;
    let qualified = enumeration.qualified_name.as_deref().unwrap_or_default();
    let mut text = String::from("enum");
    if enumeration.is_scoped {
        text.push_str(" class");
    }
    if enumeration.name.is_some() {
        text.push_str(&format!(" {qualified}"));
    }
    if cpp
        && let Some(underlying) = enumeration.underlying
        && let TypeRef::Known { module, .. } = type_ref
    {
        let underlying = TypeRef::known(module, Some(underlying));
        text.push_str(&format!(" : {}", underlying.name()));
    }
    let prefix = match (cpp, enumeration.is_scoped) {
        (true, true) => format!("{qualified}::"),
        (true, false) => qualified
            .rfind("::")
            .map(|at| qualified[..at + 2].to_string())
            .unwrap_or_default(),
        (false, _) => String::new(),
    };
    let mut next = 0;
    let list: Vec<String> = enumeration
        .enumerators
        .iter()
        .map(|enumerator| {
            let text = if enumerator.value == next {
                format!("{prefix}{}", enumerator.name)
            } else {
                format!("{prefix}{} = {}", enumerator.name, enumerator.value)
            };
            next = enumerator.value.wrapping_add(1);
            text
        })
        .collect();
    format!("{text} {{{}}}", list.join(", "))
}
