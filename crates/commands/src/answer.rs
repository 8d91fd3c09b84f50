//! What a command gives back: text for people, a value for `--json`.

use serde::Serialize;
use serde_json::Value;
use wayfarer_debugger::DebuggerError;

/// The outcome of a command that succeeded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// As gdb would print it; ends with a newline unless it is empty or meant to stay on the line.
    pub text: String,
    /// The same as data; null where there is nothing to say.
    pub value: Value,
    /// The session is to end after this.
    pub quit: bool,
}

impl Answer {
    /// Nothing to say.
    pub fn silent() -> Self {
        Self::default()
    }

    /// Text with a newline after it; the value is the same text.
    pub fn line(text: impl Into<String>) -> Self {
        let mut text = text.into();
        let value = Value::String(text.clone());
        text.push('\n');
        Self {
            text,
            value,
            quit: false,
        }
    }

    /// Text as it stands and data.
    pub fn with(text: impl Into<String>, value: impl Serialize) -> Self {
        Self {
            text: text.into(),
            // Views are numbers, strings, lists and maps with string keys: all have a JSON form.
            value: serde_json::to_value(value).unwrap_or(Value::Null),
            quit: false,
        }
    }
}

/// Why a command did nothing, or not all of it.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// A message that says everything.
    #[error("{0}")]
    Plain(String),
    /// The debugger's answer.
    #[error(transparent)]
    Debugger(#[from] DebuggerError),
}

impl CommandError {
    pub fn new(message: impl Into<String>) -> Self {
        Self::Plain(message.into())
    }
}

impl From<String> for CommandError {
    fn from(message: String) -> Self {
        Self::Plain(message)
    }
}

impl From<&str> for CommandError {
    fn from(message: &str) -> Self {
        Self::Plain(message.to_owned())
    }
}
