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

use super::form::{Around, Form, Run};
use super::rust_shape::is_rust;
use super::{Opener, failed};
use crate::print::text::{CharacterKind, string};
use crate::scope::{EvaluationError, Scope};
use crate::syntax::Language;
use crate::types::{Structure, TypeRef};
use crate::value::Value;
use walk::{Sequence, Walk};

/// What a rule makes of a value.
enum Pretty {
    /// The text itself.
    Plain(String),
    /// The text itself, and what it is made of.
    Titled(String, Vec<Entry>),
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
    /// `head(value)`, with text after the value.
    Wrapped(String, Value, String),
}

/// A container and its elements, as many as were asked for.
#[derive(Clone)]
pub(crate) struct Items {
    pub head: String,
    pub style: Style,
    pub entries: Entries,
    /// How many elements there are, where that is known without walking to all of them.
    pub count: Option<u64>,
    /// There are more than those listed.
    pub more: bool,
    /// Why the elements end where they do, if something was wrong.
    pub error: Option<String>,
}

/// Where the elements of a container are.
#[derive(Clone)]
pub(crate) enum Entries {
    /// In one run: any of them can be had without the others.
    Run(Sequence),
    /// Here: those that the walk came to.
    Listed(Vec<Entry>),
}

impl Items {
    fn new(head: String, style: Style) -> Items {
        Items {
            head,
            style,
            entries: Entries::Listed(Vec::new()),
            count: None,
            more: false,
            error: None,
        }
    }

    /// A container of listed elements, of which there are so many in all.
    fn listed(head: String, style: Style, count: u64) -> Items {
        Items {
            count: Some(count),
            ..Items::new(head, style)
        }
    }

    /// A container whose elements lie in one run.
    fn run(head: String, style: Style, sequence: Sequence) -> Items {
        Items {
            count: Some(sequence.count),
            entries: Entries::Run(sequence),
            ..Items::new(head, style)
        }
    }

    fn push(&mut self, entry: Entry) {
        if let Entries::Listed(entries) = &mut self.entries {
            entries.push(entry);
        }
    }

    /// How many elements have been found.
    pub fn found(&self) -> u64 {
        match &self.entries {
            Entries::Run(sequence) => sequence.count,
            Entries::Listed(entries) => entries.len() as u64,
        }
    }

    /// Marks the list as cut short: by an error, or because nobody wanted more.
    fn end(&mut self, error: Option<EvaluationError>) {
        self.more = error.is_none() && self.count.is_some_and(|count| count > self.found());
        self.error = error.as_ref().map(failed);
    }

    /// How many elements there are, if that is known.
    pub fn total(&self) -> Option<u64> {
        match (self.count, self.more) {
            (Some(count), _) => Some(count),
            (None, false) => Some(self.found()),
            (None, true) => None,
        }
    }

    /// Some of the elements that have been found.
    pub fn range(&self, from: u64, to: u64) -> Vec<Entry> {
        match &self.entries {
            Entries::Run(sequence) => (from..to.min(sequence.count))
                .map(|index| Entry::Plain(sequence.element_at(index)))
                .collect(),
            Entries::Listed(entries) => {
                let end = entries.len().min(to as usize);
                let start = end.min(from as usize);
                entries[start..end].to_vec()
            }
        }
    }

    /// The elements as one array, where they lie in memory one behind the other.
    pub fn contiguous(&self) -> Option<Run> {
        match &self.entries {
            Entries::Run(sequence) if sequence.ring.is_none() => Some(Run {
                whole: Value::in_memory(
                    sequence.element.array(Some(sequence.count)),
                    sequence.address,
                ),
                element: sequence.element.clone(),
                count: sequence.count,
                rust: self.style == Style::RustList,
            }),
            _ => None,
        }
    }

    /// The elements that a text with this limit shows, and whether there are more.
    pub fn shown(&self, limit: usize) -> (Vec<Entry>, bool) {
        // gdb counts a key and its value as two elements.
        let most = match self.style {
            Style::Map => limit.div_ceil(2),
            _ => limit,
        };
        let is_cut = self.error.is_none() && self.count.is_some_and(|count| count > most as u64);
        (self.range(0, most as u64), self.more || is_cut)
    }

    /// Whether these are elements that count from 0, and not the few parts of one object.
    pub fn is_sequence(&self) -> bool {
        match self.range(0, 1).first() {
            Some(Entry::Named(name, _)) => name == "[0]",
            first => first.is_some() || self.style != Style::Named,
        }
    }
}

/// How the elements of a container are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
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
#[derive(Clone)]
pub(crate) enum Entry {
    Plain(Value),
    Named(String, Value),
    Pair(Value, Value),
    /// An element that is no object of its own: perhaps a name, and its text.
    Bit(Option<String>, String),
}

/// A rule: a prefix of type names and what to make of their values.
struct Rule {
    prefix: &'static str,
    make: fn(&mut Walk<'_>, &Value, &Structure) -> Option<Pretty>,
}

/// What a value that a rule knows is made of.
pub(super) fn pretty(
    opener: &mut Opener<'_>,
    value: &Value,
    structure: &Structure,
) -> Option<Form> {
    let (limit, repeats) = (opener.format.limit(), opener.format.repeats);
    let mut walk = Walk {
        limit: opener.elements,
        characters: limit,
        scope: opener.scope,
    };
    let around = |before: String, inner: Value, after: String| {
        Form::Around(Around {
            before,
            inner,
            after,
            deeper: true,
        })
    };
    Some(match apply(value, structure, &mut walk)? {
        Pretty::Plain(text) => Form::Text(text),
        Pretty::Titled(text, entries) => {
            let mut items = Items::new(String::new(), Style::Named);
            items.entries = Entries::Listed(entries);
            Form::Titled(text, Box::new(Form::Items(items)))
        }
        Pretty::Text { bytes, kind, more } => {
            Form::String(string(&bytes, kind, limit, repeats, more), None)
        }
        Pretty::Items(items) => Form::Items(items),
        Pretty::Same(inner) => around(String::new(), inner, String::new()),
        Pretty::Wrapped(head, inner, behind) => {
            around(format!("{head}("), inner, format!("{behind})"))
        }
    })
}

/// What the first rule that fits makes of a value.
fn apply(value: &Value, structure: &Structure, walk: &mut Walk<'_>) -> Option<Pretty> {
    let name = structure.qualified_name.clone()?;
    let rules = match value.type_ref.language() {
        Language::Rust => RUST,
        Language::Cpp => CPP,
        Language::C => return None,
    };
    rules
        .iter()
        .flat_map(|family| family.iter())
        .filter(|rule| name.starts_with(rule.prefix))
        .find_map(|rule| (rule.make)(walk, value, structure))
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
    match apply(value, &structure, &mut Walk::new(scope, MAXIMUM_COUNT))? {
        Pretty::Items(items) if items.is_sequence() && !items.more && items.error.is_none() => {
            Some(items.found())
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
    match apply(value, &structure, &mut Walk::new(scope, limit))? {
        Pretty::Items(items) if items.is_sequence() => match items.range(index, index + 1).pop() {
            Some(Entry::Plain(element) | Entry::Named(_, element)) => Some(Some(element)),
            Some(_) => None,
            None => Some(None),
        },
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

/// The element type, address and length of a contiguous container or slice.
pub(crate) fn sequence_of(value: &Value, scope: &mut dyn Scope) -> Option<(TypeRef, u64, u64)> {
    let crate::types::Shape::Aggregate(structure) = value.type_ref.shape() else {
        return None;
    };
    let mut walk = Walk::new(scope, usize::MAX);
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
    let mut walk = Walk::new(scope, usize::MAX);
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
