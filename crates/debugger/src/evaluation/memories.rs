//! What the user's values leave behind: the history, convenience variables, displays, own print functions.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use wayfarer_expression::{History, Language, TypeRef, Value};
use wayfarer_symbols::types::Encoding;

use super::printers::Printers;
use crate::debugger::DebugMaker;
use crate::session::ProcessKey;
use crate::view::{StopReason, ValueView};

/// An automatic display.
#[derive(Clone, Debug)]
pub(crate) struct Display {
    pub number: u32,
    pub expression: String,
    pub format: Option<String>,
    pub enabled: bool,
}

/// Everything that outlives the command that made it.
pub(crate) struct Memories {
    history: Vec<(Value, ValueView)>,
    convenience: BTreeMap<String, Value>,
    pub displays: Vec<Display>,
    pub next_display: u32,
    pub printers: Printers,
    /// `Debug` functions by process and type, and what calling them needs.
    pub debug_functions: HashMap<(ProcessKey, String), Option<u64>>,
    pub debug_makers: HashMap<ProcessKey, Option<Arc<DebugMaker>>>,
    /// Where `x` goes on, and how.
    pub examined: Option<(u64, char, char)>,
}

impl Memories {
    pub fn new(printer_files: &[PathBuf]) -> Memories {
        Memories {
            history: Vec::new(),
            convenience: BTreeMap::new(),
            displays: Vec::new(),
            next_display: 1,
            printers: Printers::read(printer_files),
            debug_functions: HashMap::new(),
            debug_makers: HashMap::new(),
            examined: None,
        }
    }

    /// Puts a value into the history; its number.
    pub fn keep(&mut self, value: Value, mut view: ValueView) -> ValueView {
        view.history = Some(self.history.len() as u32 + 1);
        self.history.push((value, view.clone()));
        view
    }

    /// An entry of the history.
    pub fn entry(&self, entry: History) -> Option<Value> {
        let index = match entry {
            History::Absolute(0) => self.history.len().checked_sub(1)?,
            History::Absolute(number) => number as usize - 1,
            History::Last(back) => self.history.len().checked_sub(back as usize + 1)?,
        };
        self.history.get(index).map(|(value, _)| value.clone())
    }

    /// All entries as they were shown.
    pub fn views(&self) -> Vec<ValueView> {
        self.history.iter().map(|(_, view)| view.clone()).collect()
    }

    pub fn convenience(&self, name: &str) -> Option<Value> {
        self.convenience.get(name).cloned()
    }

    pub fn set_convenience(&mut self, name: &str, value: Value) {
        self.convenience.insert(name.to_owned(), value);
    }

    pub fn conveniences(&self) -> Vec<(String, Value)> {
        self.convenience
            .iter()
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }

    /// `$_exitcode` and `$_exitsignal`.
    pub fn set_exit(&mut self, reason: &StopReason) {
        let (name, number) = match reason {
            StopReason::Exited { status } => ("_exitcode", *status),
            StopReason::Killed { signal, .. } => ("_exitsignal", *signal),
            _ => return,
        };
        let int = TypeRef::base("int", Encoding::Signed, 4, Language::C);
        self.set_convenience(name, Value::computed(int, number.to_le_bytes().to_vec()));
    }
}
