//! What a value is made of: the one description that text, summaries and children come from.

use crate::types::{Structure, TypeRef};
use crate::value::Value;

use super::rules::Items;

/// A value opened up by one level. What it is made of is not read before somebody asks for it.
pub(crate) enum Form {
    /// Text that says everything.
    Text(String),
    /// What stands in the place of a value that is not there.
    Missing(String),
    /// Characters as their literal, with the characters themselves where they are an array.
    String(String, Option<Run>),
    /// Where something is.
    Pointer {
        text: String,
        target: TypeRef,
        address: u64,
    },
    /// Text that says everything, and what it is made of for those who look inside.
    Titled(String, Box<Form>),
    /// Another value stands for this one, with text around its own.
    Around(Around),
    /// A structure, class or union of C or C++.
    Class { value: Value, structure: Structure },
    /// Named or numbered parts between brackets.
    Fields(Fields),
    /// The elements of an array.
    Run(Run),
    /// The elements of a container that a rule knows.
    Items(Items),
}

/// A value with text around it.
pub(crate) struct Around {
    pub before: String,
    pub inner: Value,
    pub after: String,
    /// Whether the inner value counts as one structure deeper.
    pub deeper: bool,
}

/// How the parts of [`Fields`] are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldStyle {
    /// `{a = 1, b = 2}`
    Record,
    /// The same, as deep as the value itself: the readings of a register.
    Readings,
    /// Rust: `Name {a: 1, b: 2}`
    Struct,
    /// Rust: `Name(1, 2)`
    Tuple,
}

/// Parts between brackets.
pub(crate) struct Fields {
    /// What stands before the bracket.
    pub name: String,
    pub style: FieldStyle,
    pub parts: Parts,
}

/// The parts themselves, or where they come from.
pub(crate) enum Parts {
    Listed(Vec<Part>),
    /// The members of a structure.
    Members(Value, Structure),
}

/// One part of a structure.
#[derive(Clone)]
pub(crate) struct Part {
    pub label: Label,
    pub content: Content,
}

/// What a part is to the whole.
#[derive(Clone)]
pub(crate) enum Label {
    /// A member; those without a name are anonymous.
    Member(Option<String>),
    /// A base class, by its name.
    Base { class: String, is_virtual: bool },
    /// A member that the class has once.
    Static(String),
}

/// A part's value, or what stands in its place.
#[derive(Clone)]
pub(crate) enum Content {
    Value(Value),
    Missing(String),
}

/// Elements of one type, one behind the other.
#[derive(Clone)]
pub(crate) struct Run {
    pub whole: Value,
    pub element: TypeRef,
    pub count: u64,
    /// Rust's brackets.
    pub rust: bool,
}

impl Run {
    /// The elements from one on; `parent` has the bytes.
    pub fn elements(&self, parent: &Value, from: u64, to: u64) -> impl Iterator<Item = Value> {
        let size = self.element.size().unwrap_or(0);
        let element = self.element.clone();
        let parent = parent.clone();
        (from..to).map(move |index| parent.part(element.clone(), index.wrapping_mul(size), None))
    }
}
