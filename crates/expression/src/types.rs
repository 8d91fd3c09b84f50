//! Types as values have them: those of the debug information, and those made from them on the way
//! (the pointer of `&x`, the array of `x@4`, the type of a literal).

use std::fmt;
use std::sync::Arc;

use wayfarer_symbols::types::{
    Aggregate, BaseType, Dimension, Encoding, Enumeration, PointerKind, Qualifier,
};
use wayfarer_symbols::{Language as UnitLanguage, Module, Type, TypeId};

use crate::syntax::Language;

/// How many typedefs and qualifiers are followed before a chain counts as circular.
const MAXIMUM_CHAIN: usize = 64;

/// A type.
#[derive(Clone)]
pub enum TypeRef {
    /// No type: C's `void`, Rust's `()`.
    Void,
    /// A type of the debug information.
    Known {
        /// The module it is in.
        module: Arc<Module>,
        /// Which one it is.
        id: TypeId,
    },
    /// A type that an expression made.
    Made(Arc<MadeType>),
}

/// A type that no debug information describes.
#[derive(Clone, Debug)]
pub enum MadeType {
    /// A number of the language.
    Base(BaseType, Language),
    /// A pointer or reference.
    Pointer(PointerKind, TypeRef),
    /// Some of something; `None` if it is not known how many.
    Array {
        /// The type of each.
        element: TypeRef,
        /// How many there are.
        count: Option<u64>,
        /// Whether it is a SIMD vector.
        is_vector: bool,
    },
    /// A function.
    Function {
        /// What it gives.
        result: TypeRef,
        /// What it takes.
        parameters: Vec<TypeRef>,
    },
    /// A type with `const` or `volatile`.
    Qualified(Qualifier, TypeRef),
    /// A structure of the kernel's.
    Record(Arc<crate::record::Record>),
    /// Any code: what the program counter points to.
    Code,
    /// Code without debug information, as gdb calls it.
    CodeSymbol,
    /// Data without debug information, as gdb calls it.
    DataSymbol,
}

/// A struct, class or union with the module that knows its members.
#[derive(Clone)]
pub struct Structure {
    /// The module.
    pub module: Arc<Module>,
    node: Arc<Type>,
    unit: wayfarer_symbols::UnitId,
}

impl std::ops::Deref for Structure {
    type Target = Aggregate;

    fn deref(&self) -> &Aggregate {
        match &*self.node {
            Type::Aggregate(aggregate) => aggregate,
            // A `Structure` is only ever made from an aggregate.
            _ => unreachable!(),
        }
    }
}

impl Structure {
    /// The language that it was written in.
    pub fn language(&self) -> Language {
        match self.module.unit(self.unit) {
            Ok(unit) => language_of(unit.language),
            Err(_) => Language::C,
        }
    }

    /// The type that a member names.
    pub fn member_type(&self, id: Option<TypeId>) -> TypeRef {
        TypeRef::known(&self.module, id)
    }
}

/// What a type is, without typedefs and qualifiers.
#[derive(Clone)]
pub enum Shape {
    /// Nothing.
    Void,
    /// A number, character or boolean.
    Base(BaseType),
    /// A pointer or reference.
    Pointer {
        /// Which of them.
        kind: PointerKind,
        /// What it points to.
        target: TypeRef,
        /// How Rust writes it.
        name: Option<Arc<str>>,
    },
    /// A struct, class, union or Rust enum with data.
    Aggregate(Structure),
    /// An enumeration.
    Enumeration(Arc<Enumeration>),
    /// An array.
    Array {
        /// The type of each element.
        element: TypeRef,
        /// How many there are, if that is known without the program.
        count: Option<u64>,
        /// Whether it is a SIMD vector.
        is_vector: bool,
    },
    /// A function.
    Function {
        /// What it gives.
        result: TypeRef,
        /// What it takes.
        parameters: Vec<TypeRef>,
        /// Ends with `...`.
        is_variadic: bool,
        /// False for C's `f()`.
        is_prototyped: bool,
    },
    /// A C++ pointer to member.
    PointerToMember {
        /// The type of the member.
        target: TypeRef,
        /// The class.
        class: TypeRef,
        /// Its size.
        size: u64,
    },
    /// A structure of the kernel's.
    Record(Arc<crate::record::Record>),
    /// A type with nothing but a name.
    Named(Arc<str>),
}

impl TypeRef {
    /// A type that the debug information names, or does not name.
    pub fn known(module: &Arc<Module>, id: Option<TypeId>) -> TypeRef {
        match id {
            Some(id) => TypeRef::Known {
                module: Arc::clone(module),
                id,
            },
            None => TypeRef::Void,
        }
    }

    /// A number of the language by its size.
    pub fn base(name: &str, encoding: Encoding, size: u64, language: Language) -> TypeRef {
        TypeRef::Made(Arc::new(MadeType::Base(
            BaseType {
                name: name.into(),
                encoding,
                size,
                bit_size: None,
            },
            language,
        )))
    }

    /// A pointer to this type.
    pub fn pointer(&self) -> TypeRef {
        self.pointer_of(PointerKind::Pointer)
    }

    /// A pointer or reference to this type.
    pub fn pointer_of(&self, kind: PointerKind) -> TypeRef {
        TypeRef::Made(Arc::new(MadeType::Pointer(kind, self.clone())))
    }

    /// An array of this type.
    pub fn array(&self, count: Option<u64>) -> TypeRef {
        TypeRef::Made(Arc::new(MadeType::Array {
            element: self.clone(),
            count,
            is_vector: false,
        }))
    }

    /// This type with a qualifier.
    pub fn qualified(&self, qualifier: Qualifier) -> TypeRef {
        TypeRef::Made(Arc::new(MadeType::Qualified(qualifier, self.clone())))
    }

    /// The node of a type of the debug information.
    pub(crate) fn node(&self) -> Option<Arc<Type>> {
        match self {
            TypeRef::Known { module, id } => module.type_of(*id).ok(),
            _ => None,
        }
    }

    /// One typedef or qualifier less.
    pub fn peel(&self) -> Option<TypeRef> {
        match self {
            TypeRef::Void => None,
            TypeRef::Known { module, .. } => match &*self.node()? {
                Type::Typedef(typedef) => Some(TypeRef::known(module, typedef.target)),
                Type::Qualified(qualified) => Some(TypeRef::known(module, qualified.target)),
                _ => None,
            },
            TypeRef::Made(made) => match &**made {
                MadeType::Qualified(_, target) => Some(target.clone()),
                _ => None,
            },
        }
    }

    /// One typedef less, qualifiers kept away: what `whatis` shows of a typedef name.
    pub fn without_qualifiers(&self) -> TypeRef {
        let mut current = self.clone();
        for _ in 0..MAXIMUM_CHAIN {
            let qualified = match &current {
                TypeRef::Known { .. } => {
                    matches!(current.node().as_deref(), Some(Type::Qualified(_)))
                }
                TypeRef::Made(made) => matches!(**made, MadeType::Qualified(..)),
                TypeRef::Void => false,
            };
            match current.peel() {
                Some(next) if qualified => current = next,
                _ => break,
            }
        }
        current
    }

    /// The type without typedefs and qualifiers.
    pub fn strip(&self) -> TypeRef {
        let mut current = self.clone();
        for _ in 0..MAXIMUM_CHAIN {
            match current.peel() {
                Some(next) => current = next,
                None => break,
            }
        }
        current
    }

    /// What the type is, typedefs and qualifiers looked through.
    pub fn shape(&self) -> Shape {
        match self.strip() {
            TypeRef::Void => Shape::Void,
            TypeRef::Made(made) => made_shape(&made),
            TypeRef::Known { module, id } => match module.type_of(id) {
                Ok(node) => known_shape(&module, node, id),
                Err(_) => Shape::Named("<unknown type>".into()),
            },
        }
    }

    /// The size of a value in bytes, where the type alone says it.
    pub fn size(&self) -> Option<u64> {
        match self.shape() {
            Shape::Void | Shape::Named(_) => None,
            Shape::Base(base) => Some(base.size),
            Shape::Pointer { .. } => match self.strip().node().as_deref() {
                Some(Type::Pointer(pointer)) if pointer.size != 0 => Some(pointer.size),
                _ => Some(8),
            },
            Shape::Aggregate(structure) => Some(structure.size),
            Shape::Record(record) => Some(record.size),
            Shape::Enumeration(enumeration) => Some(enumeration.size),
            Shape::Array { element, count, .. } => element.size()?.checked_mul(count.unwrap_or(0)),
            Shape::Function { .. } => Some(1),
            Shape::PointerToMember { size, .. } => Some(size),
        }
    }

    /// The alignment of a value, as the ABI has it.
    pub fn alignment(&self) -> u64 {
        match self.shape() {
            Shape::Array { element, .. } => element.alignment(),
            Shape::Aggregate(structure) => structure.alignment.unwrap_or_else(|| {
                structure
                    .members
                    .iter()
                    .take(64)
                    .filter(|member| member.type_id.is_some())
                    .map(|member| {
                        let inner = structure.member_type(member.type_id);
                        // A damaged type may contain itself.
                        match inner.shape() {
                            Shape::Aggregate(nested) if nested.size >= structure.size => 1,
                            _ => inner.alignment(),
                        }
                    })
                    .max()
                    .unwrap_or(1)
            }),
            _ => self.size().unwrap_or(1).clamp(1, 16),
        }
    }

    /// The language whose rules the type follows.
    pub fn language(&self) -> Language {
        match self {
            TypeRef::Void => Language::C,
            TypeRef::Known { module, id } => match module.unit(id.0.unit) {
                Ok(unit) => language_of(unit.language),
                Err(_) => Language::C,
            },
            TypeRef::Made(made) => match &**made {
                MadeType::Base(_, language) => *language,
                MadeType::Pointer(_, target) | MadeType::Qualified(_, target) => target.language(),
                MadeType::Array { element, .. } => element.language(),
                MadeType::Function { result, .. } => result.language(),
                MadeType::Record(_)
                | MadeType::Code
                | MadeType::CodeSymbol
                | MadeType::DataSymbol => Language::C,
            },
        }
    }

    /// Whether the two are the same type as far as printing and copying go.
    pub fn same(&self, other: &TypeRef) -> bool {
        match (self.strip(), other.strip()) {
            (
                TypeRef::Known { module, id },
                TypeRef::Known {
                    module: other_module,
                    id: other_id,
                },
            ) if Arc::ptr_eq(&module, &other_module) && id == other_id => true,
            (one, other) => one.name() == other.name() && one.size() == other.size(),
        }
    }
}

/// The expression language for a unit's language.
pub fn language_of(language: UnitLanguage) -> Language {
    match language {
        UnitLanguage::Cpp => Language::Cpp,
        UnitLanguage::Rust => Language::Rust,
        UnitLanguage::C | UnitLanguage::Assembler | UnitLanguage::Other => Language::C,
    }
}

impl fmt::Debug for TypeRef {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name())
    }
}

fn made_shape(made: &MadeType) -> Shape {
    match made {
        MadeType::Base(base, _) => Shape::Base(base.clone()),
        MadeType::Pointer(kind, target) => Shape::Pointer {
            kind: *kind,
            target: target.clone(),
            name: None,
        },
        MadeType::Array {
            element,
            count,
            is_vector,
        } => Shape::Array {
            element: element.clone(),
            count: *count,
            is_vector: *is_vector,
        },
        MadeType::Function { result, parameters } => Shape::Function {
            result: result.clone(),
            parameters: parameters.clone(),
            is_variadic: false,
            is_prototyped: true,
        },
        // `strip` has removed it, unless the chain is circular.
        MadeType::Qualified(..) => Shape::Void,
        MadeType::Code => Shape::Function {
            result: TypeRef::Void,
            parameters: Vec::new(),
            is_variadic: false,
            is_prototyped: false,
        },
        MadeType::CodeSymbol => Shape::Function {
            result: TypeRef::base("int", Encoding::Signed, 4, Language::C),
            parameters: Vec::new(),
            is_variadic: false,
            is_prototyped: true,
        },
        MadeType::Record(record) => Shape::Record(Arc::clone(record)),
        MadeType::DataSymbol => Shape::Named("<data variable, no debug info>".into()),
    }
}

fn known_shape(module: &Arc<Module>, node: Arc<Type>, id: TypeId) -> Shape {
    let known = |id: Option<TypeId>| TypeRef::known(module, id);
    match &*node {
        Type::Base(base) => Shape::Base(base.clone()),
        Type::Pointer(pointer) => Shape::Pointer {
            kind: pointer.kind,
            target: known(pointer.target),
            name: pointer.name.clone(),
        },
        Type::Aggregate(_) => Shape::Aggregate(Structure {
            module: Arc::clone(module),
            node,
            unit: id.0.unit,
        }),
        Type::Enumeration(enumeration) => Shape::Enumeration(Arc::new(enumeration.clone())),
        Type::Array(array) => array_shape(known(array.element), &array.dimensions, array.is_vector),
        Type::Function(function) => Shape::Function {
            result: known(function.return_type),
            parameters: function.parameters.iter().map(|id| known(*id)).collect(),
            is_variadic: function.is_variadic,
            is_prototyped: function.is_prototyped,
        },
        Type::PointerToMember(pointer) => Shape::PointerToMember {
            target: known(pointer.target),
            class: known(pointer.class),
            size: pointer.size,
        },
        Type::Unspecified(named) => Shape::Named(Arc::clone(&named.name)),
        Type::Typedef(_) | Type::Qualified(_) => Shape::Named("<circular type>".into()),
    }
}

fn array_shape(innermost: TypeRef, dimensions: &[Dimension], is_vector: bool) -> Shape {
    let count = |dimension: &Dimension| match dimension {
        Dimension::Count(count) => Some(*count),
        _ => None,
    };
    let mut element = innermost;
    for dimension in dimensions.iter().skip(1).rev() {
        element = element.array(count(dimension));
    }
    Shape::Array {
        element,
        count: dimensions.first().and_then(count),
        is_vector,
    }
}
