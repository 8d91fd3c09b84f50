//! What both debuggers say at a stop, in one form.

use std::collections::HashMap;

use serde_json::Value;
use wayfarer_test_kit::failure::Failure;

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub value: String,
    /// What gdb sees at the addresses in the value; more than one text where a structure and its
    /// first member begin there.
    pub followed: HashMap<String, Vec<String>>,
    /// gdb's text of the copy of a value that a called function leaves alone.
    pub kept: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Frame {
    pub is_signal: bool,
    pub function: Option<String>,
    /// The last component of the path.
    pub file: Option<String>,
    pub line: Option<u64>,
    pub arguments: Vec<Variable>,
    pub locals: Vec<Variable>,
}

pub type Stack = Vec<Frame>;

/// One stop: the stacks of the threads, in the order of their numbers.
pub type Stop = Vec<Stack>;

impl Frame {
    /// Reads a frame of gdb's or of ours: their keys are the same, but for the kind's words.
    pub fn from_json(value: &Value) -> Result<Frame, Failure> {
        let text = |key: &str| value[key].as_str().map(str::to_owned);
        let kind = value["kind"].as_str().unwrap_or_default();
        Ok(Frame {
            is_signal: kind.starts_with("signal"),
            function: text("function"),
            file: text("file").map(|path| base_name(&path).to_owned()),
            line: value["line"].as_u64(),
            arguments: variables(&value["arguments"]),
            locals: variables(&value["locals"]),
        })
    }

    /// For messages.
    pub fn describe(&self) -> String {
        format!(
            "{} at {}:{}",
            self.function.as_deref().unwrap_or("??"),
            self.file.as_deref().unwrap_or("??"),
            self.line.unwrap_or(0)
        )
    }
}

pub fn variables(list: &Value) -> Vec<Variable> {
    let Some(list) = list.as_array() else {
        return Vec::new();
    };
    list.iter()
        .map(|variable| Variable {
            name: variable["name"].as_str().unwrap_or_default().to_owned(),
            value: variable["value"].as_str().unwrap_or_default().to_owned(),
            followed: serde_json::from_value(variable["followed"].clone()).unwrap_or_default(),
            kept: variable["kept"].as_str().map(str::to_owned),
        })
        .collect()
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
