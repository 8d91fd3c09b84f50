//! The names of types as gdb prints them.

use std::cell::Cell;

use crate::die::TypeId;
use crate::language::Language;
use crate::module::Module;
use crate::types::*;

/// Types are not nested deeper than this; a circle in damaged information ends here.
const DEEPEST: usize = 64;

/// No name is made of more types than this.
const MOST_PARTS: usize = 2000;

/// How much more a name may grow.
#[derive(Clone, Copy)]
struct Limit<'name> {
    depth: usize,
    parts: &'name Cell<usize>,
}

impl<'name> Limit<'name> {
    fn new(parts: &'name Cell<usize>) -> Limit<'name> {
        Limit { depth: 0, parts }
    }

    fn deeper(self) -> Limit<'name> {
        Limit {
            depth: self.depth + 1,
            parts: self.parts,
        }
    }

    fn allows(self) -> bool {
        let left = self.parts.get();
        self.parts.set(left.saturating_sub(1));
        self.depth < DEEPEST && left > 0
    }
}

impl Module {
    /// `int *`, `char [16]`, `struct point` (C), `std::vector<int>`, `core::option::Option<u32>`.
    /// A type that cannot be read is `<unknown type>`; `None` is `void`.
    pub fn type_name(&self, type_id: Option<TypeId>) -> String {
        self.declaration(type_id, "")
    }

    /// The declaration of something of a type: `declaration(…, "argv")` is `char **argv`.
    pub fn declaration(&self, type_id: Option<TypeId>, declarator: &str) -> String {
        let language = type_id
            .and_then(|id| self.unit(id.0.unit).ok())
            .map_or(Language::C, |unit| unit.language);
        if language == Language::Rust {
            let name = self.rust_name(type_id, Limit::new(&Cell::new(MOST_PARTS)));
            return match declarator {
                "" => name,
                declarator => format!("{declarator}: {name}"),
            };
        }
        let declarator = Declarator {
            text: declarator.to_owned(),
        };
        self.c_name(
            type_id,
            declarator,
            language,
            Limit::new(&Cell::new(MOST_PARTS)),
        )
    }

    fn c_name(
        &self,
        type_id: Option<TypeId>,
        inner: Declarator,
        language: Language,
        limit: Limit<'_>,
    ) -> String {
        let Some(id) = type_id else {
            return inner.after("void");
        };
        let read = match self.type_of(id) {
            Ok(read) if limit.allows() => read,
            _ => return inner.after("<unknown type>"),
        };
        let deeper = |target, inner| self.c_name(target, inner, language, limit.deeper());
        match &*read {
            Type::Base(base) => inner.after(&plain_number_name(&base.name)),
            Type::Typedef(typedef) => inner.after(&typedef.qualified_name),
            Type::Unspecified(unspecified) => inner.after(&unspecified.name),
            Type::Aggregate(aggregate) => {
                let keyword = match aggregate.kind {
                    AggregateKind::Struct => "struct",
                    AggregateKind::Class => "class",
                    AggregateKind::Union => "union",
                };
                let name = aggregate.qualified_name.as_deref();
                inner.after(&tagged(keyword, name, language))
            }
            Type::Enumeration(enumeration) => {
                let name = enumeration.qualified_name.as_deref();
                inner.after(&tagged("enum", name, language))
            }
            Type::Pointer(pointer) => {
                let sign = match pointer.kind {
                    PointerKind::Pointer => "*",
                    PointerKind::Reference => "&",
                    PointerKind::RvalueReference => "&&",
                };
                let inner = inner.behind(sign);
                deeper(pointer.target, self.guarded(inner, pointer.target))
            }
            Type::PointerToMember(pointer) => {
                let class = self.type_name(pointer.class);
                let inner = inner.behind(&format!("{class}::*"));
                deeper(pointer.target, self.guarded(inner, pointer.target))
            }
            Type::Array(array) => {
                let mut inner = inner;
                for dimension in &array.dimensions {
                    match dimension {
                        Dimension::Count(count) => inner.push(&format!("[{count}]")),
                        Dimension::Unknown => inner.push("[]"),
                        _ => inner.push("[variable length]"),
                    }
                }
                if array.is_vector {
                    inner.push(" __attribute__ ((vector_size))");
                }
                deeper(array.element, inner)
            }
            Type::Function(function) => {
                let mut inner = inner;
                inner.push(&self.parameter_list(function, language, limit));
                deeper(function.return_type, inner)
            }
            Type::Qualified(_) => self.qualified_c_name(id, inner, language, limit),
        }
    }

    /// Qualifiers of a pointer stand after its star, all others before the type, const first.
    fn qualified_c_name(
        &self,
        id: TypeId,
        inner: Declarator,
        language: Language,
        limit: Limit<'_>,
    ) -> String {
        let mut qualifiers: Vec<(u8, &str)> = Vec::new();
        let mut target = Some(id);
        let mut is_pointer = false;
        for _ in 0..DEEPEST {
            let read = target.and_then(|target| self.type_of(target).ok());
            let Some(Type::Qualified(qualified)) = read.as_deref() else {
                is_pointer = matches!(
                    read.as_deref(),
                    Some(Type::Pointer(_) | Type::PointerToMember(_))
                );
                break;
            };
            qualifiers.push(match qualified.qualifier {
                Qualifier::Const => (0, "const"),
                Qualifier::Volatile => (1, "volatile"),
                Qualifier::Restrict => (2, "restrict"),
                Qualifier::Atomic => (3, "_Atomic"),
            });
            target = qualified.target;
        }
        qualifiers.sort_unstable();
        qualifiers.dedup();
        let words: Vec<&str> = qualifiers.iter().map(|(_, word)| *word).collect();
        let words = words.join(" ");
        if is_pointer {
            let mut text = format!(" {words}");
            if !inner.text.is_empty() {
                text.push(' ');
                text.push_str(&inner.text);
            }
            let inner = Declarator { text };
            return self.c_name(target, inner, language, limit.deeper());
        }
        let rest = self.c_name(target, inner, language, limit.deeper());
        // A constant array has constant elements, and is often said to be both.
        if rest.starts_with(&format!("{words} ")) {
            return rest;
        }
        format!("{words} {rest}")
    }

    /// In brackets where what follows a pointer would bind closer: `(*f)(int)`.
    fn guarded(&self, inner: Declarator, target: Option<TypeId>) -> Declarator {
        let target = target.and_then(|target| self.type_of(target).ok());
        match target.as_deref() {
            Some(Type::Array(_) | Type::Function(_)) => Declarator {
                text: format!("({})", inner.text),
            },
            _ => inner,
        }
    }

    fn parameter_list(
        &self,
        function: &FunctionType,
        language: Language,
        limit: Limit<'_>,
    ) -> String {
        let empty = Declarator::default();
        let mut names: Vec<String> = function
            .parameters
            .iter()
            .map(|parameter| self.c_name(*parameter, empty.clone(), language, limit.deeper()))
            .collect();
        if function.is_variadic && (!names.is_empty() || function.is_prototyped) {
            names.push("...".to_owned());
        }
        if names.is_empty() && function.is_prototyped {
            names.push("void".to_owned());
        }
        format!("({})", names.join(", "))
    }

    fn rust_name(&self, type_id: Option<TypeId>, limit: Limit<'_>) -> String {
        let Some(id) = type_id else {
            return "()".to_owned();
        };
        let read = match self.type_of(id) {
            Ok(read) if limit.allows() => read,
            _ => return "<unknown type>".to_owned(),
        };
        let deeper = |target| self.rust_name(target, limit.deeper());
        match &*read {
            Type::Base(base) => base.name.to_string(),
            Type::Typedef(typedef) => typedef.qualified_name.to_string(),
            Type::Unspecified(unspecified) => unspecified.name.to_string(),
            Type::Aggregate(aggregate) => match &aggregate.name {
                // Tuples, slices and references are written as they are, not by where they are.
                Some(name) if name.starts_with(['(', '&', '[', '*']) => name.to_string(),
                _ => aggregate
                    .qualified_name
                    .as_deref()
                    .unwrap_or("{…}")
                    .to_owned(),
            },
            Type::Enumeration(enumeration) => enumeration
                .qualified_name
                .as_deref()
                .unwrap_or("{…}")
                .to_owned(),
            Type::Pointer(pointer) => match &pointer.name {
                Some(name) => name.to_string(),
                None => format!("*mut {}", deeper(pointer.target)),
            },
            Type::Array(array) => {
                let mut name = deeper(array.element);
                for dimension in array.dimensions.iter().rev() {
                    name = match dimension {
                        Dimension::Count(count) => format!("[{name}; {count}]"),
                        _ => format!("[{name}]"),
                    };
                }
                name
            }
            Type::Function(function) => {
                let parameters: Vec<String> =
                    function.parameters.iter().map(|id| deeper(*id)).collect();
                let result = match function.return_type {
                    Some(result) => format!(" -> {}", deeper(Some(result))),
                    None => String::new(),
                };
                format!("fn ({}){result}", parameters.join(", "))
            }
            Type::Qualified(qualified) => deeper(qualified.target),
            Type::PointerToMember(pointer) => deeper(pointer.target),
        }
    }
}

/// What stands after the base of a C type: `(*)[3]`, `*argv`.
#[derive(Clone, Default)]
struct Declarator {
    text: String,
}

impl Declarator {
    fn after(self, base: &str) -> String {
        match self.text.as_str() {
            "" => base.to_owned(),
            text => format!("{base} {text}"),
        }
    }

    fn behind(self, sign: &str) -> Declarator {
        Declarator {
            text: format!("{sign}{}", self.text),
        }
    }

    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }
}

fn tagged(keyword: &str, name: Option<&str>, language: Language) -> String {
    match (name, language) {
        (None, _) => format!("{keyword} {{...}}"),
        (Some(name), Language::Cpp) => name.to_owned(),
        (Some(name), _) => format!("{keyword} {name}"),
    }
}

/// gdb writes the usual numbers in the usual order of words: `unsigned long`, not
/// `long unsigned int`.
fn plain_number_name(name: &str) -> String {
    match name {
        "long int" => "long",
        "short int" => "short",
        "long unsigned int" => "unsigned long",
        "short unsigned int" => "unsigned short",
        "long long int" => "long long",
        "long long unsigned int" => "unsigned long long",
        "__int128 unsigned" => "unsigned __int128",
        other => other,
    }
    .to_owned()
}
