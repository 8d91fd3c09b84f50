//! The text of a value: its tree written out, in gdb's layout or in that of Rust.

use wayfarer_symbols::types::AggregateKind;

use super::form::{Content, FieldStyle, Fields, Form, Label, Part, Run};
use super::open::is_nowhere;
use super::rules::{Entry, Items, Style};
use super::{Format, Opener};
use crate::evaluate::contents_or_absence;
use crate::scope::Scope;
use crate::types::{Shape, Structure};
use crate::value::Value;

/// The most text that one value may become: damaged data must not fill the screen for ever.
const MAXIMUM_TEXT: usize = 1 << 20;

/// The most structures within each other.
const MAXIMUM_DEPTH: usize = 200;

/// Writes out one value and what it is made of.
pub(super) struct Renderer<'a> {
    opener: Opener<'a>,
    /// How many structures are open.
    depth: usize,
    /// How many levels the lines of a pretty print are indented.
    indent: usize,
    /// Bytes written so far, roughly.
    written: usize,
    /// While the bases of an object are written: the virtual ones that have been, by their names.
    virtual_bases: Option<Vec<String>>,
    /// The static members that are being written, by their addresses.
    statics: Vec<u64>,
}

impl<'a> Renderer<'a> {
    pub fn new(format: &'a Format, scope: &'a mut dyn Scope) -> Renderer<'a> {
        Renderer {
            opener: Opener::new(format, scope),
            depth: 0,
            indent: 0,
            written: 0,
            virtual_bases: None,
            statics: Vec::new(),
        }
    }
}

impl Renderer<'_> {
    /// The text of a value; `top` puts the type before a pointer.
    pub fn value(&mut self, value: &Value, top: bool) -> String {
        if self.written > MAXIMUM_TEXT {
            return "...".to_string();
        }
        let text = if self.is_too_deep(value) {
            "{...}".to_string()
        } else {
            let form = self.opener.form(value, top);
            self.form(value, form)
        };
        self.written += text.len();
        text
    }

    fn is_too_deep(&self, value: &Value) -> bool {
        self.depth
            > self
                .opener
                .format
                .depth
                .unwrap_or(usize::MAX)
                .min(MAXIMUM_DEPTH)
            && !is_nowhere(value)
            && matches!(
                value.type_ref.shape(),
                Shape::Aggregate(_) | Shape::Array { .. }
            )
    }

    fn form(&mut self, value: &Value, form: Form) -> String {
        match form {
            Form::Text(text)
            | Form::Missing(text)
            | Form::String(text, _)
            | Form::Titled(text, _)
            | Form::Pointer { text, .. } => text,
            Form::Around(around) => {
                let text = match around.deeper {
                    true => self.deeper(|renderer| renderer.value(&around.inner, false)),
                    false => self.value(&around.inner, false),
                };
                format!("{}{text}{}", around.before, around.after)
            }
            Form::Class { structure, .. } => self.class(value, &structure),
            Form::Fields(fields) => self.fields(&fields),
            Form::Run(run) => self.run(&run),
            Form::Items(items) => self.deeper(|renderer| renderer.items(&items)),
        }
    }

    /// Writes a part one structure deeper.
    fn deeper<T>(&mut self, part: impl FnOnce(&mut Self) -> T) -> T {
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }

    /// Writes parts one structure deeper, on lines of their own where that is wanted.
    fn inside<T>(&mut self, parts: impl FnOnce(&mut Self) -> T) -> T {
        self.indent += 1;
        let result = self.deeper(parts);
        self.indent -= 1;
        result
    }

    fn content(&mut self, content: &Content) -> String {
        match content {
            Content::Value(value) => self.value(value, false),
            Content::Missing(text) => text.clone(),
        }
    }

    fn class(&mut self, value: &Value, structure: &Structure) -> String {
        if structure.kind == AggregateKind::Union && !self.opener.format.unions && self.depth > 0 {
            return "{...}".to_string();
        }
        let parts = match self.opener.class_parts(value, structure) {
            Ok(parts) => parts,
            Err(text) => return text,
        };
        let (bases, fields) = self.inside(|renderer| {
            let (bases, fields): (Vec<Part>, Vec<Part>) = parts
                .into_iter()
                .partition(|part| matches!(part.label, Label::Base { .. }));
            let is_outermost = renderer.virtual_bases.is_none();
            renderer.virtual_bases.get_or_insert_default();
            let bases: Vec<String> = bases
                .iter()
                .filter_map(|part| renderer.base(part))
                .collect();
            let seen_by_bases = renderer.virtual_bases.take();
            let fields: Vec<String> = fields.iter().map(|part| renderer.field(part)).collect();
            renderer.virtual_bases = seen_by_bases.filter(|_| !is_outermost);
            (bases, fields)
        });
        self.class_text(value, &bases, &fields)
    }

    /// A base, unless it is a virtual one that the object shows already.
    fn base(&mut self, part: &Part) -> Option<String> {
        let Label::Base { class, is_virtual } = &part.label else {
            return None;
        };
        if *is_virtual && let Some(seen) = &mut self.virtual_bases {
            if seen.contains(class) {
                return None;
            }
            seen.push(class.clone());
        }
        let text = self.content(&part.content);
        Some(format!("<{class}> = {text}"))
    }

    /// A member of a class or record.
    fn field(&mut self, part: &Part) -> String {
        match &part.label {
            Label::Static(name) => {
                let text = self.static_member(&part.content);
                format!("static {name} = {text}")
            }
            Label::Member(Some(name)) => {
                let text = self.content(&part.content);
                format!("{name} = {text}")
            }
            Label::Member(None) | Label::Base { .. } => self.content(&part.content),
        }
    }

    fn static_member(&mut self, content: &Content) -> String {
        let Content::Value(inner) = content else {
            return self.content(content);
        };
        match (inner.type_ref.shape(), inner.address()) {
            // A static member of the class's own type would never end.
            (Shape::Aggregate(_), Some(address)) if self.statics.contains(&address) => {
                "<same as static member of an already seen type>".to_string()
            }
            (Shape::Aggregate(_), Some(address)) => {
                self.statics.push(address);
                let text = self.value(inner, false);
                self.statics.pop();
                text
            }
            _ => self.value(inner, false),
        }
    }

    /// The parts of a class between braces, in gdb's layout.
    fn class_text(&mut self, value: &Value, bases: &[String], fields: &[String]) -> String {
        let line = |indent: usize| format!("\n{}", "  ".repeat(indent));
        let pretty = self.opener.format.pretty;
        let mut text = String::from("{");
        for base in bases {
            if pretty {
                text.push_str(&line(self.indent + 1));
            }
            text.push_str(&format!("{base}, "));
        }
        if fields.is_empty() {
            text.push_str("<No data fields>}");
            return text;
        }
        if pretty && !bases.is_empty() {
            let class = value.type_ref.strip().plain_name();
            text.push_str(&format!("{}members of {class}:", line(self.indent + 1)));
        }
        for (index, field) in fields.iter().enumerate() {
            text.push_str(match (index, pretty) {
                (0, _) => "",
                (_, true) => ",",
                (_, false) => ", ",
            });
            if pretty {
                text.push_str(&line(self.indent + 1));
            }
            text.push_str(field);
        }
        if pretty {
            text.push_str(&line(self.indent));
        }
        text.push('}');
        text
    }

    fn fields(&mut self, fields: &Fields) -> String {
        let parts = self.opener.parts(&fields.parts);
        let write = |renderer: &mut Self| -> Vec<String> {
            parts
                .iter()
                .map(|part| renderer.part(part, fields.style))
                .collect()
        };
        let texts = match fields.style {
            FieldStyle::Readings => write(self),
            _ => self.inside(write),
        };
        let name = &fields.name;
        match fields.style {
            FieldStyle::Tuple if name.is_empty() && texts.len() == 1 => format!("({},)", texts[0]),
            FieldStyle::Tuple => self.enclose(&format!("{name}("), &texts, ")"),
            FieldStyle::Struct if !name.is_empty() => {
                self.enclose(&format!("{name} {{"), &texts, "}")
            }
            _ => self.enclose("{", &texts, "}"),
        }
    }

    fn part(&mut self, part: &Part, style: FieldStyle) -> String {
        match (style, &part.label) {
            (FieldStyle::Tuple, _) => self.content(&part.content),
            (FieldStyle::Struct, Label::Member(Some(name))) => {
                let text = self.content(&part.content);
                format!("{name}: {text}")
            }
            _ => self.field(part),
        }
    }

    /// Parts between brackets, on one line or on many.
    fn enclose(&mut self, open: &str, parts: &[String], close: &str) -> String {
        if !self.opener.format.pretty || parts.is_empty() {
            return format!("{open}{}{close}", parts.join(", "));
        }
        let inner = "  ".repeat(self.indent + 1);
        let outer = "  ".repeat(self.indent);
        let lines: Vec<String> = parts.iter().map(|part| format!("{inner}{part}")).collect();
        format!("{open}\n{}\n{outer}{close}", lines.join(",\n"))
    }

    fn run(&mut self, run: &Run) -> String {
        let format = self.opener.format;
        let (open, close) = if run.rust { ("[", "]") } else { ("{", "}") };
        let shown = (format.limit() as u64)
            .saturating_add(format.repeats as u64)
            .saturating_add(1);
        let parent = self.opener.beginning(run, run.count.min(shown));
        let elements = run.elements(&parent, 0, run.count);
        let no_size = run.element.size().unwrap_or(0) == 0;
        let body = self.deeper(|renderer| renderer.elements(elements, run.count, no_size));
        format!("{open}{body}{close}")
    }

    /// `1, 2 <repeats 12 times>, 3...`
    pub(crate) fn elements(
        &mut self,
        mut elements: impl Iterator<Item = Value>,
        count: u64,
        no_size: bool,
    ) -> String {
        let limit = self.opener.format.limit();
        let repeats = self.opener.format.repeats;
        let mut pieces: Vec<String> = Vec::new();
        let mut printed = 0usize;
        let mut done = 0u64;
        let mut next = elements.next();
        while let Some(current) = next.take() {
            if printed >= limit {
                break;
            }
            let bytes = contents_or_absence(&current, self.opener.scope).ok();
            let mut run = 1u64;
            next = elements.next();
            while let (Some(candidate), Some(bytes)) = (&next, &bytes) {
                // A run needs no end beyond the elements; a huge one of nothing is counted.
                if no_size || run > 1 << 20 {
                    break;
                }
                match contents_or_absence(candidate, self.opener.scope) {
                    Ok(other) if other == *bytes => {
                        run += 1;
                        next = elements.next();
                    }
                    _ => break,
                }
            }
            let text = self.value(&current, false);
            if run > repeats as u64 {
                pieces.push(format!("{text} <repeats {run} times>"));
                printed += repeats;
                done += run;
            } else {
                for _ in 0..run {
                    if printed == limit {
                        break;
                    }
                    pieces.push(text.clone());
                    printed += 1;
                    done += 1;
                }
            }
        }
        let ellipsis = if done < count { "..." } else { "" };
        format!("{}{ellipsis}", pieces.join(", "))
    }

    fn items(&mut self, items: &Items) -> String {
        let rust = matches!(
            items.style,
            Style::RustList | Style::RustSet | Style::RustMap
        );
        let (open, close) = match items.style {
            Style::RustList => ("[", "]"),
            _ => ("{", "}"),
        };
        let (entries, more) = items.shown(self.opener.format.limit());
        if entries.is_empty() && items.error.is_none() && !rust {
            return items.head.clone();
        }
        let plain: Option<Vec<Value>> = entries
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
            _ => entries
                .iter()
                .map(|entry| self.entry(entry, items.style))
                .collect(),
        };
        self.indent -= 1;
        parts.retain(|part| !part.is_empty());
        parts.extend(items.error.clone());
        let ellipsis = if more { "..." } else { "" };
        let is_list = matches!(items.style, Style::Array | Style::RustList);
        if self.opener.format.pretty && !is_list {
            if more {
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
            Entry::Bit(None, text) => text.clone(),
            Entry::Bit(Some(name), text) => format!("{name} = {text}"),
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
