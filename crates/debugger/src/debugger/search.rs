//! `find`: bytes in memory.

use wayfarer_expression::{Language, Shape, TypeRef, Value};
use wayfarer_symbols::types::Encoding;

use super::At;
use crate::{DebuggerError, Result};

/// What `find` looks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchSpec {
    /// An expression for the first address.
    pub start: String,
    /// An expression for the last address, or, behind a `+`, for the number of bytes.
    pub end: String,
    /// Expressions; each as large as its type, or as `unit` says.
    pub values: Vec<String>,
    /// Bytes of each number: 1, 2, 4, 8.
    pub unit: Option<usize>,
    /// Matches that are enough.
    pub most: Option<usize>,
}

/// Bytes read at once.
const PIECE: usize = 1 << 20;

impl At<'_> {
    /// Addresses at which the values lie, and what a symbol says of each. `$_` becomes the last, `$numfound` their number.
    pub fn find(&mut self, spec: &SearchSpec) -> Result<Vec<(u64, Option<String>)>> {
        let process = self.stopped_thread()?.process;
        let space = self.debugger.process(process)?.space.clone();
        let start = self.search_address(&spec.start)?;
        let length = match spec.end.trim().strip_prefix('+') {
            Some(length) => self.address_value(length)?,
            None => self
                .search_address(&spec.end)?
                .checked_sub(start)
                .and_then(|length| length.checked_add(1))
                .ok_or_else(|| usage("Invalid search space, end precedes start."))?,
        };
        if length == 0 {
            return Err(usage("Empty search range."));
        }
        let mut pattern = Vec::new();
        for value in &spec.values {
            pattern.extend(self.search_bytes(value, spec.unit)?);
        }
        if pattern.is_empty() {
            return Err(usage("Missing search pattern."));
        }
        if pattern.len() as u64 > length {
            return Err(usage("Search space too small to contain pattern."));
        }
        let most = spec.most.unwrap_or(usize::MAX);
        let mut found = Vec::new();
        let mut at = start;
        let end = start.saturating_add(length);
        while at < end && found.len() < most {
            let wanted = (end - at).min((PIECE + pattern.len() - 1) as u64) as usize;
            let bytes = space.memory.read_some(at, wanted);
            let matches = bytes
                .windows(pattern.len())
                .enumerate()
                .filter(|(_, window)| *window == pattern)
                .map(|(index, _)| at + index as u64);
            found.extend(matches.take(most - found.len()));
            if bytes.len() < wanted {
                let address = at + bytes.len() as u64;
                self.debugger.say(format!(
                    "warning: Unable to access {wanted} bytes of target memory at {address:#x}, halting search."
                ));
                break;
            }
            at = at.saturating_add(PIECE as u64);
        }
        if let Some(last) = found.last() {
            let pointer = Value::computed(TypeRef::Void.pointer(), last.to_le_bytes().to_vec());
            self.debugger.memories.set_convenience("_", pointer);
        }
        let int = TypeRef::base("int", Encoding::Signed, 4, Language::C);
        let count = (found.len() as i32).to_le_bytes().to_vec();
        self.debugger
            .memories
            .set_convenience("numfound", Value::computed(int, count));
        Ok(found
            .into_iter()
            .map(|address| (address, space.symbolic(address)))
            .collect())
    }

    /// Of an array or object its own address.
    fn search_address(&mut self, expression: &str) -> Result<u64> {
        let value = self.value(expression)?;
        match (value.type_ref.shape(), value.address()) {
            (Shape::Array { .. } | Shape::Aggregate(_), Some(address)) => Ok(address),
            _ => self.address_value(expression),
        }
    }

    /// The bytes of one value: a text without its end, a number as large as asked for.
    fn search_bytes(&mut self, expression: &str, unit: Option<usize>) -> Result<Vec<u8>> {
        let value = self.value(expression)?;
        let is_text = expression.trim_start().starts_with('"');
        let size = value.type_ref.size().unwrap_or(0) as usize;
        let mut bytes = self
            .with_scene(|scene| wayfarer_expression::bytes(&value, scene))
            .map_err(|error| DebuggerError::Expression(error.to_string()))?;
        bytes.truncate(size);
        if is_text {
            if bytes.last() == Some(&0) {
                bytes.pop();
            }
        } else if let Some(unit) = unit {
            bytes.resize(unit, 0);
        }
        Ok(bytes)
    }
}

fn usage(words: &str) -> DebuggerError {
    DebuggerError::Usage(words.to_owned())
}
