//! The types of a program as its debug information describes them.
//!
//! A [`Type`] is one node: it names the types it is made of by [`TypeId`], and
//! [`crate::Module::type_of`] reads those when they are needed. "No type id" is C's `void`, Rust's
//! `()` in a return position.

use std::sync::Arc;

use crate::die::TypeId;

/// One type.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    Base(BaseType),
    Pointer(PointerType),
    Aggregate(Aggregate),
    Enumeration(Enumeration),
    Array(ArrayType),
    Function(FunctionType),
    Typedef(Typedef),
    Qualified(QualifiedType),
    PointerToMember(PointerToMember),
    Unspecified(UnspecifiedType),
}

/// A number, a character, a boolean.
#[derive(Clone, Debug, PartialEq)]
pub struct BaseType {
    pub name: Arc<str>,
    pub encoding: Encoding,
    pub size: u64,
    /// Bits that hold the value where it does not fill the size (`_BitInt(7)`).
    pub bit_size: Option<u64>,
}

/// How the bits of a base type are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Boolean,
    Signed,
    Unsigned,
    SignedCharacter,
    UnsignedCharacter,
    /// A Unicode code unit or scalar: `char16_t`, `char32_t`, Rust's `char`.
    Unicode,
    Float,
    ComplexFloat,
    DecimalFloat,
    Address,
    Other(u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointerKind {
    Pointer,
    Reference,
    RvalueReference,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PointerType {
    pub kind: PointerKind,
    /// `None`: a pointer to `void`.
    pub target: Option<TypeId>,
    pub size: u64,
    /// Rust writes the pointer type as it is in the source here (`&mut u32`, `*const u8`).
    pub name: Option<Arc<str>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AggregateKind {
    Struct,
    Class,
    Union,
}

/// A struct, class or union; also each Rust struct, tuple, closure and enum with data.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregate {
    pub kind: AggregateKind,
    /// Without the namespaces; `None` for an anonymous one.
    pub name: Option<Arc<str>>,
    /// With its namespaces: `core::option::Option<u32>`.
    pub qualified_name: Option<Arc<str>>,
    pub size: u64,
    pub alignment: Option<u64>,
    /// Nothing but the name is known, and no module unit has the definition.
    pub is_declaration: bool,
    pub bases: Vec<BaseClass>,
    pub members: Vec<Member>,
    pub static_members: Vec<StaticMember>,
    /// The variants of a Rust enum.
    pub variant_part: Option<VariantPart>,
    pub template_parameters: Vec<TemplateParameter>,
    pub methods: Vec<Method>,
    /// Has a virtual table: the dynamic type may be another one than the static.
    pub is_dynamic: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Public,
    Protected,
    Private,
}

#[derive(Clone, Debug, PartialEq)]
pub struct BaseClass {
    pub type_id: TypeId,
    pub position: MemberPosition,
    pub is_virtual: bool,
    pub access: Access,
}

/// Where in its aggregate a member or base lies.
#[derive(Clone, Debug, PartialEq)]
pub enum MemberPosition {
    /// Bytes from the start.
    Offset(u64),
    /// A DWARF expression that gets the object's address and gives the member's (virtual bases).
    Expression(Arc<[u8]>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// `None`: an anonymous struct or union, whose members count as the outer one's.
    pub name: Option<Arc<str>>,
    pub type_id: Option<TypeId>,
    pub position: MemberPosition,
    pub bit_field: Option<BitField>,
    pub access: Access,
    /// Made by the compiler (`_vptr.Base`).
    pub is_artificial: bool,
}

/// The bits of a bit field; the lowest bit of the first byte of the aggregate is bit 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitField {
    /// From the start of the aggregate.
    pub bit_offset: u64,
    pub bit_size: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct StaticMember {
    pub name: Arc<str>,
    pub type_id: Option<TypeId>,
    /// Of a `constexpr` or `const` member with its value in the class.
    pub constant: Option<Constant>,
    pub access: Access,
    /// How many of the other members are declared before it.
    pub members_before: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Method {
    pub name: Arc<str>,
    pub linkage_name: Option<Arc<str>>,
    pub die: crate::die::DieId,
    pub return_type: Option<TypeId>,
    /// With the hidden `this` first, if there is one.
    pub parameters: Vec<Option<TypeId>>,
    pub is_static: bool,
    pub is_virtual: bool,
    /// Of a virtual one, its number in the table of the class that declared it first, and that class.
    pub table_slot: Option<u64>,
    pub table_class: Option<TypeId>,
    pub is_artificial: bool,
    pub access: Access,
}

/// The variants of a Rust enum: at each time exactly one of them is there.
#[derive(Clone, Debug, PartialEq)]
pub struct VariantPart {
    /// Holds the discriminant; `None`: there is only one variant.
    pub discriminant: Option<Member>,
    pub variants: Vec<Variant>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Discriminants that mean this variant; empty: the default one.
    pub discriminants: Vec<DiscriminantRange>,
    /// Rust gives one member here, named as the variant, of a struct type with the data.
    pub members: Vec<Member>,
}

/// Discriminants from `first` to `last`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiscriminantRange {
    pub first: i128,
    pub last: i128,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TemplateParameter {
    pub name: Option<Arc<str>>,
    pub type_id: Option<TypeId>,
    /// Of a parameter that is a value.
    pub value: Option<Constant>,
}

/// A constant that the debug information itself holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constant {
    Integer(i128),
    Bytes(Arc<[u8]>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Enumeration {
    pub name: Option<Arc<str>>,
    pub qualified_name: Option<Arc<str>>,
    pub size: u64,
    pub is_signed: bool,
    /// `enum class`: its enumerators are written with its name.
    pub is_scoped: bool,
    pub underlying: Option<TypeId>,
    pub enumerators: Vec<Enumerator>,
    pub is_declaration: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Enumerator {
    pub name: Arc<str>,
    pub value: i128,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ArrayType {
    pub element: Option<TypeId>,
    /// Outermost first.
    pub dimensions: Vec<Dimension>,
    /// In bytes, where it is stated or can be computed.
    pub size: Option<u64>,
    /// A SIMD vector (`__attribute__((vector_size))`).
    pub is_vector: bool,
}

/// The number of elements of one dimension.
#[derive(Clone, Debug, PartialEq)]
pub enum Dimension {
    Count(u64),
    /// A flexible array member, or `extern int a[]`.
    Unknown,
    /// A variable-length array: a DWARF expression gives the highest index.
    UpperBoundExpression(Arc<[u8]>),
    /// A variable-length array: this variable holds the highest index.
    UpperBoundVariable(crate::die::DieId),
    /// A variable-length array: this variable holds the number of elements.
    CountVariable(crate::die::DieId),
}

#[derive(Clone, Debug, PartialEq)]
pub struct FunctionType {
    pub return_type: Option<TypeId>,
    pub parameters: Vec<Option<TypeId>>,
    pub is_variadic: bool,
    /// False for C's `int f()`.
    pub is_prototyped: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Typedef {
    pub name: Arc<str>,
    pub qualified_name: Arc<str>,
    pub target: Option<TypeId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Qualifier {
    Const,
    Volatile,
    Restrict,
    Atomic,
}

#[derive(Clone, Debug, PartialEq)]
pub struct QualifiedType {
    pub qualifier: Qualifier,
    pub target: Option<TypeId>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PointerToMember {
    pub target: Option<TypeId>,
    pub class: Option<TypeId>,
    pub size: u64,
}

/// A type with nothing but a name: `decltype(nullptr)`, Rust's `!`.
#[derive(Clone, Debug, PartialEq)]
pub struct UnspecifiedType {
    pub name: Arc<str>,
}
