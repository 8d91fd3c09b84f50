//! Containers and smart pointers of the standard libraries.
//!
//! A rule names the types it is for and says, in terms of their members, what their text and their
//! elements are. Members are found by name through bases and wrappers, with alternatives for the
//! versions of a library. A layout that no rule fits is printed as the structure it is: never wrong
//! text, at worst long text.

mod libstdcxx;
mod libstdcxx_nodes;
mod libstdcxx_single;
mod rust_maps;
mod rust_pointers;
mod rust_sequences;
mod rust_wrappers;
mod walk;

use super::rust_shape::is_rust;
use super::{Printer, failed};
use crate::print::text::{CharacterKind, string};
use crate::scope::Scope;
use crate::syntax::Language;
use crate::types::{Structure, TypeRef};
use crate::value::Value;
use walk::Walk;

/// What a rule makes of a value.
enum Pretty {
    /// The text itself.
    Plain(String),
    /// A string: its bytes (those that are shown) and whether there are more.
    Text {
        bytes: Vec<u8>,
        kind: CharacterKind,
        more: bool,
    },
    /// `head = {…}`.
    Items(Items),
    /// Another value stands for this one.
    Same(Value),
    /// `head(value)`, with text behind the value.
    Wrapped(String, Value, String),
}

/// A container and those of its elements that are shown.
struct Items {
    pub head: String,
    pub style: Style,
    pub entries: Vec<Entry>,
    /// There are more than those.
    pub more: bool,
    /// Why the elements end where they do, if something was wrong.
    pub error: Option<String>,
}

impl Items {
    fn new(head: String, style: Style) -> Items {
        Items {
            head,
            style,
            entries: Vec::new(),
            more: false,
            error: None,
        }
    }

    /// Whether these are elements that count from 0, and not the few parts of one object.
    fn is_sequence(&self) -> bool {
        match self.entries.first() {
            Some(Entry::Named(name, _)) => name == "[0]",
            first => first.is_some() || self.style != Style::Named,
        }
    }
}

/// How the elements of a container are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// gdb: `{1, 2}`
    Array,
    /// gdb: `{[key] = value}`
    Map,
    /// gdb: `{name = value}`
    Named,
    /// Rust: `[1, 2]`
    RustList,
    /// Rust: `{1, 2}`
    RustSet,
    /// Rust: `{key: value}`
    RustMap,
}

/// An element with what stands before it.
enum Entry {
    Plain(Value),
    Named(String, Value),
    Pair(Value, Value),
    /// Text that stands for an element that is no object of its own.
    Ready(String),
}

/// A rule: a prefix of type names and what to make of their values.
struct Rule {
    prefix: &'static str,
    make: fn(&mut Walk<'_>, &Value, &Structure) -> Option<Pretty>,
}

/// The text of a value that a rule knows.
pub(super) fn pretty(
    printer: &mut Printer<'_>,
    value: &Value,
    structure: &Structure,
) -> Option<String> {
    let limit = printer.format.limit();
    let found = apply(value, structure, printer.scope, limit)?;
    Some(printer.deeper(|printer| printer.show(found)))
}

/// What the first rule that fits makes of a value, with so many elements at most.
fn apply(
    value: &Value,
    structure: &Structure,
    scope: &mut dyn Scope,
    limit: usize,
) -> Option<Pretty> {
    let name = structure.qualified_name.clone()?;
    let rules = match value.type_ref.language() {
        Language::Rust => RUST,
        Language::Cpp => CPP,
        Language::C => return None,
    };
    let mut walk = Walk { scope, limit };
    rules
        .iter()
        .flat_map(|family| family.iter())
        .filter(|rule| name.starts_with(rule.prefix))
        .find_map(|rule| (rule.make)(&mut walk, value, structure))
}

/// The most elements that are counted one by one.
const MAXIMUM_COUNT: usize = 1 << 16;

/// How many elements a container has, if a rule knows it and there are not too many to be counted.
pub(crate) fn element_count(value: &Value, scope: &mut dyn Scope) -> Option<u64> {
    if let Some((_, _, count)) = sequence_of(value, scope) {
        return Some(count);
    }
    let crate::types::Shape::Aggregate(structure) = value.type_ref.shape() else {
        return None;
    };
    match apply(value, &structure, scope, MAXIMUM_COUNT)? {
        Pretty::Items(items) if items.is_sequence() && !items.more && items.error.is_none() => {
            Some(items.entries.len() as u64)
        }
        _ => None,
    }
}

/// An element of a container that is known by a rule; `Some(None)` if it has not so many.
pub(crate) fn nth_element(
    value: &Value,
    index: u64,
    scope: &mut dyn Scope,
) -> Option<Option<Value>> {
    let crate::types::Shape::Aggregate(structure) = value.type_ref.shape() else {
        return None;
    };
    let limit = usize::try_from(index).ok()?.checked_add(1)?;
    match apply(value, &structure, scope, limit)? {
        Pretty::Items(items) if items.is_sequence() => {
            let entry = items.entries.into_iter().nth(limit - 1);
            match entry {
                Some(Entry::Plain(element) | Entry::Named(_, element)) => Some(Some(element)),
                Some(_) => None,
                None => Some(None),
            }
        }
        _ => None,
    }
}

const CPP: &[&[Rule]] = &[
    libstdcxx::RULES,
    libstdcxx_nodes::RULES,
    libstdcxx_single::RULES,
];

const RUST: &[&[Rule]] = &[
    rust_sequences::RULES,
    rust_maps::RULES,
    rust_pointers::RULES,
    rust_wrappers::RULES,
];

impl Printer<'_> {
    fn show(&mut self, pretty: Pretty) -> String {
        match pretty {
            Pretty::Plain(text) => text,
            Pretty::Same(value) => self.value(&value, false),
            Pretty::Wrapped(head, value, behind) => {
                let text = self.value(&value, false);
                format!("{head}({text}{behind})")
            }
            Pretty::Text { bytes, kind, more } => {
                let limit = self.format.limit();
                string(&bytes, kind, limit, self.format.repeats, more)
            }
            Pretty::Items(items) => self.items(items),
        }
    }

    fn items(&mut self, items: Items) -> String {
        let rust = matches!(
            items.style,
            Style::RustList | Style::RustSet | Style::RustMap
        );
        let (open, close) = match items.style {
            Style::RustList => ("[", "]"),
            _ => ("{", "}"),
        };
        if items.entries.is_empty() && items.error.is_none() && !rust {
            return items.head;
        }
        let plain: Option<Vec<Value>> = items
            .entries
            .iter()
            .map(|entry| match entry {
                Entry::Plain(value) => Some(value.clone()),
                _ => None,
            })
            .collect();
        self.indent += 1;
        let mut parts = match plain {
            // Plain elements are shortened where neighbours are equal.
            Some(values) if items.style == Style::RustList => {
                let count = values.len() as u64;
                vec![self.elements(values.into_iter(), count, false)]
            }
            _ => items
                .entries
                .iter()
                .map(|entry| self.entry(entry, items.style))
                .collect(),
        };
        self.indent -= 1;
        parts.retain(|part| !part.is_empty());
        if let Some(error) = items.error {
            parts.push(error);
        }
        let ellipsis = if items.more { "..." } else { "" };
        if self.format.pretty && items.style != Style::Array && items.style != Style::RustList {
            if items.more {
                parts.push("...".to_string());
            }
            let body = self.enclose(open, &parts, close);
            return joined(&items.head, &body, rust);
        }
        let body = format!("{open}{}{ellipsis}{close}", parts.join(", "));
        joined(&items.head, &body, rust)
    }

    fn entry(&mut self, entry: &Entry, style: Style) -> String {
        match entry {
            Entry::Ready(text) => text.clone(),
            Entry::Plain(value) => self.value(value, false),
            Entry::Named(name, value) => {
                let text = self.value(value, false);
                format!("{name} = {text}")
            }
            Entry::Pair(key, value) => {
                let key = self.value(key, false);
                let value = self.value(value, false);
                if style == Style::RustMap {
                    format!("{key}: {value}")
                } else {
                    format!("[{key}] = {value}")
                }
            }
        }
    }
}

fn joined(head: &str, body: &str, rust: bool) -> String {
    match (head.is_empty(), rust) {
        (true, _) => body.to_string(),
        // The sign of a reference stands before its target without a blank.
        (false, true) if head == "&" => format!("&{body}"),
        (false, true) => format!("{head} {body}"),
        (false, false) => format!("{head} = {body}"),
    }
}

/// The element type, address and length of a contiguous container or slice.
pub(crate) fn sequence_of(value: &Value, scope: &mut dyn Scope) -> Option<(TypeRef, u64, u64)> {
    let crate::types::Shape::Aggregate(structure) = value.type_ref.shape() else {
        return None;
    };
    let mut walk = Walk {
        scope,
        limit: usize::MAX,
    };
    let sequence = if is_rust(&value.type_ref) {
        rust_sequences::sequence(&mut walk, value, &structure)
    } else {
        libstdcxx::sequence(&mut walk, value, &structure)
    };
    sequence.map(|found| (found.element, found.address, found.count))
}

/// What a smart pointer points to.
pub(crate) fn smart_pointee(value: &Value, scope: &mut dyn Scope) -> Option<Value> {
    let crate::types::Shape::Aggregate(structure) = value.type_ref.shape() else {
        return None;
    };
    let mut walk = Walk {
        scope,
        limit: usize::MAX,
    };
    if is_rust(&value.type_ref) {
        rust_pointers::pointee(&mut walk, value, &structure)
    } else {
        libstdcxx_single::pointee(&mut walk, value, &structure)
    }
}

/// The text of an error that cuts a container short.
pub(super) fn cut_short(error: &crate::scope::EvaluationError) -> String {
    failed(error)
}
