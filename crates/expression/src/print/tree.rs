//! Values as trees for front ends: what a value is in short, and its children when they are asked for.

use std::ops::Range;

use wayfarer_symbols::types::{AggregateKind, PointerKind};

use super::form::{Around, Content, FieldStyle, Fields, Form, Label, Part, Run};
use super::rules::{Entry, Items, Style};
use super::{Format, Opener};
use crate::scope::Scope;
use crate::types::{Shape, TypeRef};
use crate::value::Value;

/// How many values may stand for each other, one within the other.
const MAXIMUM_WRAPPERS: usize = 64;

/// What a value is, so that a front end can choose a picture for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// A number, a character, a truth, an enumerator, a register.
    Scalar,
    /// Characters: an array of them, `std::string`, `String`, `&str`.
    String,
    /// Its only child is what it points to.
    Pointer,
    /// A struct, class, tuple or anything else with a fixed number of parts.
    Structure,
    /// Members that share their place.
    Union,
    /// A Rust enum: the variant that is there.
    Variant,
    /// Elements that are numbered from 0: arrays, vectors, lists, sets.
    List,
    /// Keys and values.
    Map,
    /// A function.
    Function,
    /// `void`, `()`.
    Nothing,
    /// Text of a rule or of the program itself stands for it.
    Text,
    /// It cannot be read, was optimised away, or never was: the short text says why.
    Missing,
}

/// A value opened up so far that one can say what it is. Its children are read when they are asked for.
#[derive(Clone, Debug)]
pub struct ValueNode {
    /// Its type; empty for what is no object of its own, such as one bit.
    pub type_name: String,
    /// One short line: all of a scalar, string or pointer; `{...}` and the like for what has parts.
    pub summary: String,
    /// What it is.
    pub kind: ValueKind,
    /// How many children it has. `None`: nobody knows before the last one is found.
    pub count: Option<u64>,
    /// The value, or the one that stands for it; `None` where there is nothing to open.
    value: Option<Value>,
}

/// What a child is to its parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChildName {
    /// A member, by its name; empty for an anonymous structure.
    Member(String),
    /// A base class.
    Base(String),
    /// A member that the class has once.
    Static(String),
    /// An element, by its number.
    Index(u64),
    /// The value of a map's key; the key in short.
    Key(String),
    /// What a pointer points to.
    Target,
}

/// A child with its name.
#[derive(Clone, Debug)]
pub struct ValueChild {
    /// What it is to its parent.
    pub name: ChildName,
    /// The key, in maps.
    pub key: Option<ValueNode>,
    /// The child itself.
    pub node: ValueNode,
}

impl std::fmt::Display for ChildName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ChildName::Member(name) => f.write_str(name),
            ChildName::Base(class) => write!(f, "<{class}>"),
            ChildName::Static(name) => write!(f, "static {name}"),
            ChildName::Index(index) => write!(f, "[{index}]"),
            ChildName::Key(key) => write!(f, "[{key}]"),
            ChildName::Target => f.write_str("*"),
        }
    }
}

impl ValueKind {
    /// Its name in lower case, as JSON has it.
    pub fn name(self) -> &'static str {
        match self {
            ValueKind::Scalar => "scalar",
            ValueKind::String => "string",
            ValueKind::Pointer => "pointer",
            ValueKind::Structure => "structure",
            ValueKind::Union => "union",
            ValueKind::Variant => "variant",
            ValueKind::List => "list",
            ValueKind::Map => "map",
            ValueKind::Function => "function",
            ValueKind::Nothing => "nothing",
            ValueKind::Text => "text",
            ValueKind::Missing => "missing",
        }
    }
}

impl ValueNode {
    /// What stands in the place of a value, or is one without a place of its own.
    pub fn of_text(kind: ValueKind, summary: String) -> ValueNode {
        ValueNode {
            type_name: String::new(),
            summary,
            kind,
            count: Some(0),
            value: None,
        }
    }

    /// The value, or the one that stands for it, if there is something to open.
    pub fn value(&self) -> Option<&Value> {
        self.value.as_ref()
    }

    /// Whether it has, or may have, children.
    pub fn has_children(&self) -> bool {
        self.count != Some(0)
    }
}

/// A value as the root of a tree.
pub fn node(value: &Value, format: &Format, scope: &mut dyn Scope) -> ValueNode {
    Tree { format, scope }.node(value, 0)
}

/// Some children of a value, in order; fewer where it has not so many. Only those are read, unless
/// the container can but be walked from its first element on.
pub fn children(
    node: &ValueNode,
    range: Range<u64>,
    format: &Format,
    scope: &mut dyn Scope,
) -> Vec<ValueChild> {
    match &node.value {
        Some(value) if range.start < range.end => Tree { format, scope }.children(value, range),
        _ => Vec::new(),
    }
}

struct Tree<'a> {
    format: &'a Format,
    scope: &'a mut dyn Scope,
}

impl Tree<'_> {
    fn form(&mut self, value: &Value, elements: u64) -> Form {
        let elements = usize::try_from(elements).unwrap_or(usize::MAX);
        Opener::glancing(self.format, elements, self.scope).form(value, false)
    }

    fn node(&mut self, value: &Value, depth: usize) -> ValueNode {
        // One element tells whether they are numbered.
        let mut form = self.form(value, 1);
        let mut inner = value.clone();
        let (mut before, mut after) = (String::new(), String::new());
        for _ in 0..MAXIMUM_WRAPPERS {
            let Form::Around(around) = form else {
                break;
            };
            let Around {
                before: head,
                inner: next,
                after: tail,
                ..
            } = around;
            before.push_str(&head);
            after.insert_str(0, &tail);
            form = self.form(&next, 1);
            inner = next;
        }
        let summary = self.summary(&inner, &form, depth);
        ValueNode {
            type_name: value.type_ref.name(),
            summary: format!("{before}{summary}{after}"),
            kind: kind(&inner.type_ref, &form),
            count: self.count(&form),
            value: Some(inner),
        }
    }

    /// The value in short: what has parts says only that it has.
    fn summary(&mut self, value: &Value, form: &Form, depth: usize) -> String {
        match form {
            Form::Text(text)
            | Form::Missing(text)
            | Form::String(text, _)
            | Form::Titled(text, _)
            | Form::Pointer { text, .. } => text.clone(),
            Form::Around(_) => "...".to_string(),
            Form::Class { value, .. } => {
                let mut opener = Opener::glancing(self.format, 0, self.scope);
                opener.missing(value).unwrap_or("{...}".to_string())
            }
            Form::Fields(fields) => self.fields_summary(fields, depth),
            Form::Run(run) => {
                let mut opener = Opener::glancing(self.format, 0, self.scope);
                match opener.missing(value) {
                    Some(text) => text,
                    None if run.count == 0 => if run.rust { "[]" } else { "{}" }.to_string(),
                    None => if run.rust { "[...]" } else { "{...}" }.to_string(),
                }
            }
            Form::Items(items) => items_summary(items),
        }
    }

    /// `Some(5)`, `Point {...}`: one unnamed part is short enough.
    fn fields_summary(&mut self, fields: &Fields, depth: usize) -> String {
        let name = &fields.name;
        match fields.style {
            FieldStyle::Tuple if !name.is_empty() && depth < 4 => {
                let parts = Opener::glancing(self.format, 0, self.scope).parts(&fields.parts);
                match &parts[..] {
                    [part] => format!("{name}({})", self.content(&part.content, depth + 1).summary),
                    _ => format!("{name}(...)"),
                }
            }
            FieldStyle::Tuple => format!("{name}(...)"),
            FieldStyle::Struct if !name.is_empty() => format!("{name} {{...}}"),
            _ => "{...}".to_string(),
        }
    }

    fn count(&mut self, form: &Form) -> Option<u64> {
        match form {
            Form::Text(_) | Form::Missing(_) | Form::Around(_) | Form::String(_, None) => Some(0),
            Form::Pointer {
                target, address, ..
            } => Some(u64::from(is_target(target, *address))),
            Form::String(_, Some(run)) | Form::Run(run) => Some(run.count),
            Form::Titled(_, inside) => self.count(inside),
            Form::Class { structure, .. } => {
                let statics = match self.format.static_members {
                    true => structure.static_members.len(),
                    false => 0,
                };
                Some((structure.bases.len() + structure.members.len() + statics) as u64)
            }
            Form::Fields(fields) => Some(match &fields.parts {
                super::form::Parts::Listed(parts) => parts.len(),
                super::form::Parts::Members(_, structure) => structure.members.len(),
            } as u64),
            Form::Items(items) => items.total(),
        }
    }

    fn children(&mut self, value: &Value, range: Range<u64>) -> Vec<ValueChild> {
        let form = self.form(value, range.end);
        self.children_of(form, range)
    }

    fn children_of(&mut self, form: Form, range: Range<u64>) -> Vec<ValueChild> {
        match form {
            Form::Text(_) | Form::Missing(_) | Form::Around(_) | Form::String(_, None) => {
                Vec::new()
            }
            Form::Pointer {
                target, address, ..
            } => match range.contains(&0) && is_target(&target, address) {
                true => vec![ValueChild {
                    name: ChildName::Target,
                    key: None,
                    node: self.node(&Value::in_memory(target, address), 0),
                }],
                false => Vec::new(),
            },
            Form::Titled(_, inside) => self.children_of(*inside, range),
            Form::String(_, Some(run)) | Form::Run(run) => self.elements(&run, range),
            Form::Class { value, structure } => {
                let mut opener = Opener::glancing(self.format, 0, self.scope);
                let parts = opener.class_parts(&value, &structure);
                self.parts(parts.unwrap_or_default(), range)
            }
            Form::Fields(fields) => {
                let parts = Opener::glancing(self.format, 0, self.scope).parts(&fields.parts);
                self.parts(parts, range)
            }
            Form::Items(items) => self.items(&items, range),
        }
    }

    fn parts(&mut self, parts: Vec<Part>, range: Range<u64>) -> Vec<ValueChild> {
        (0..)
            .zip(parts)
            .filter(|(index, _)| range.contains(index))
            .map(|(index, part)| ValueChild {
                name: match part.label {
                    Label::Base { class, .. } => ChildName::Base(class),
                    Label::Static(name) => ChildName::Static(name),
                    Label::Member(name) => member_name(index, name),
                },
                key: None,
                node: self.content(&part.content, 0),
            })
            .collect()
    }

    fn content(&mut self, content: &Content, depth: usize) -> ValueNode {
        match content {
            Content::Value(value) => self.node(value, depth),
            Content::Missing(text) => ValueNode::of_text(ValueKind::Missing, text.clone()),
        }
    }

    fn elements(&mut self, run: &Run, range: Range<u64>) -> Vec<ValueChild> {
        let (from, to) = (range.start, range.end.min(run.count));
        if from >= to {
            return Vec::new();
        }
        // What lies in memory is read from the first wanted element on.
        let (base, run) = match (run.whole.address(), &run.whole.contents) {
            (Some(_), None) => {
                let skipped = from.wrapping_mul(run.element.size().unwrap_or(0));
                let part = run.element.array(Some(to - from));
                let whole = run.whole.part(part, skipped, None);
                (
                    from,
                    Run {
                        whole,
                        ..run.clone()
                    },
                )
            }
            _ => (0, run.clone()),
        };
        let mut opener = Opener::glancing(self.format, 0, self.scope);
        let parent = opener.beginning(&run, to - base);
        let elements: Vec<Value> = run.elements(&parent, from - base, to - base).collect();
        (from..)
            .zip(elements)
            .map(|(index, element)| ValueChild {
                name: ChildName::Index(index),
                key: None,
                node: self.node(&element, 0),
            })
            .collect()
    }

    fn items(&mut self, items: &Items, range: Range<u64>) -> Vec<ValueChild> {
        if let Some(run) = items.contiguous() {
            return self.elements(&run, range);
        }
        let entries = items.range(range.start, range.end);
        let mut children: Vec<ValueChild> = (range.start..)
            .zip(entries)
            .map(|(index, entry)| self.entry(index, entry))
            .collect();
        if let Some(error) = &items.error
            && range.end > items.found()
        {
            children.push(ValueChild {
                name: ChildName::Index(items.found()),
                key: None,
                node: ValueNode::of_text(ValueKind::Missing, error.clone()),
            });
        }
        children
    }

    fn entry(&mut self, index: u64, entry: Entry) -> ValueChild {
        let is_number = |name: &str| name == format!("[{index}]");
        let (name, key, node) = match entry {
            Entry::Plain(value) => (ChildName::Index(index), None, self.node(&value, 0)),
            Entry::Named(name, value) if is_number(&name) => {
                (ChildName::Index(index), None, self.node(&value, 0))
            }
            Entry::Named(name, value) => (ChildName::Member(name), None, self.node(&value, 0)),
            Entry::Pair(key, value) => {
                let key = self.node(&key, 0);
                let name = ChildName::Key(key.summary.clone());
                (name, Some(key), self.node(&value, 0))
            }
            Entry::Bit(name, text) => (
                name.map_or(ChildName::Index(index), ChildName::Member),
                None,
                ValueNode::of_text(ValueKind::Scalar, text),
            ),
        };
        ValueChild { name, key, node }
    }
}

/// Rust numbers the members of tuples: `__0` is `0`.
fn member_name(index: u64, name: Option<String>) -> ChildName {
    let name = name.unwrap_or_default();
    match name.strip_prefix("__") {
        Some(number) if number.parse() == Ok(index) => ChildName::Member(number.to_string()),
        _ => ChildName::Member(name),
    }
}

/// Whether a pointer points to something that could be shown.
fn is_target(target: &TypeRef, address: u64) -> bool {
    address != 0
        && !matches!(
            target.shape(),
            Shape::Function { .. } | Shape::Void | Shape::Named(_)
        )
}

fn items_summary(items: &Items) -> String {
    let parts = match (items.style, items.total()) {
        (Style::RustList, Some(0)) => "[]",
        (Style::RustList, _) => "[...]",
        (Style::RustSet | Style::RustMap, Some(0)) => "{}",
        _ => "{...}",
    };
    match &*items.head {
        "" => parts.to_string(),
        "&" | "&mut" => format!("{}{parts}", items.head),
        head => head.to_string(),
    }
}

fn kind(type_ref: &TypeRef, form: &Form) -> ValueKind {
    match form {
        Form::Missing(_) => ValueKind::Missing,
        Form::String(..) => ValueKind::String,
        Form::Pointer { .. } => ValueKind::Pointer,
        Form::Run(_) => ValueKind::List,
        Form::Class { structure, .. } if structure.kind == AggregateKind::Union => ValueKind::Union,
        Form::Class { .. } | Form::Fields(_) => match type_ref.shape() {
            Shape::Aggregate(structure) if structure.variant_part.is_some() => ValueKind::Variant,
            _ => ValueKind::Structure,
        },
        Form::Items(items) => match items.style {
            Style::Map | Style::RustMap => ValueKind::Map,
            _ if items.is_sequence() => ValueKind::List,
            _ => ValueKind::Structure,
        },
        Form::Titled(..) | Form::Around(_) => ValueKind::Text,
        Form::Text(_) => match type_ref.shape() {
            Shape::Void => ValueKind::Nothing,
            Shape::Function { .. } => ValueKind::Function,
            Shape::Base(_) | Shape::Enumeration(_) => ValueKind::Scalar,
            Shape::Pointer {
                kind: PointerKind::Pointer,
                ..
            }
            | Shape::PointerToMember { .. } => ValueKind::Pointer,
            Shape::Aggregate(structure) if structure.variant_part.is_some() => ValueKind::Variant,
            _ => ValueKind::Text,
        },
    }
}
