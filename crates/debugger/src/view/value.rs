//! Values and what holds them.

use serde::Serialize;

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
