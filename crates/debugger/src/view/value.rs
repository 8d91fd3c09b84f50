//! Values and what holds them.

use serde::{Serialize, Serializer};
pub use wayfarer_expression::ValueKind;

use crate::ValueHandle;

/// A value in short, as a node of a tree: its children are read when they are asked for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NodeView {
    /// Name of its type; empty for what is no object of its own, such as one bit.
    #[serde(rename = "type")]
    pub type_name: String,
    /// One short line: all of a scalar, string or pointer; `{...}` and the like for what has parts.
    pub summary: String,
    /// What it is, so that a front end can choose a picture for it.
    #[serde(serialize_with = "kind_name")]
    pub kind: ValueKind,
    /// How many children it has; none: nobody knows before the last one is found.
    pub children: Option<u64>,
    /// Leads to them.
    #[serde(skip)]
    pub handle: ValueHandle,
}

/// A node and what it is to its parent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChildView {
    /// `x`, `[3]`, `["key"]`, `<Base>`, `static count`, `*`.
    pub name: String,
    /// The key, in maps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<NodeView>,
    #[serde(flatten)]
    pub node: NodeView,
}

fn kind_name<S: Serializer>(kind: &ValueKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.name())
}

/// A value as `print` shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ValueView {
    /// The `1` of `$1`, when it went into the history.
    pub history: Option<u32>,
    /// Name of its type.
    #[serde(rename = "type")]
    pub type_name: String,
    /// As gdb would print it, `<optimized out>` included.
    pub text: String,
    /// Leads to the value as a tree; none for values of a front end's own making.
    #[serde(skip)]
    pub handle: Option<ValueHandle>,
}

/// A local variable, argument or member with its value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VariableView {
    pub name: String,
    /// None when the variable's type cannot be read.
    #[serde(rename = "type")]
    pub type_name: Option<String>,
    /// The value, or the reason why there is none in angle brackets.
    pub value: String,
    /// Leads to the value as a tree; none where there is no value.
    #[serde(skip)]
    pub handle: Option<ValueHandle>,
    /// Whether it belongs to an inner block that shadows an outer variable of the same name.
    pub shadowed: bool,
    /// Of a frame's argument, what it was when the function was entered, where the caller tells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry_value: Option<EntryValue>,
}

/// What an argument was when its function was entered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryValue {
    /// The same as now.
    Same,
    /// Something else, or what it is now is not known.
    Other(String),
}

/// An entry of `info display`, and its value at a stop.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DisplayView {
    pub number: u32,
    /// With its format: `/x count`.
    pub expression: String,
    pub enabled: bool,
    /// None when it can't be evaluated here.
    pub value: Option<String>,
}

/// A line of `x`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExamineLineView {
    pub address: u64,
    /// `<main+4>`, when a symbol covers it.
    pub symbol: Option<String>,
    /// The units on this line, formatted.
    pub values: Vec<String>,
}
