//! Structures, classes and unions of C and C++: bases first, then what the compiler
//! added, static members, and the others.

use wayfarer_symbols::types::{Member, MemberPosition, StaticMember};

use super::{Printer, failed};
use crate::evaluate::{base_value, member_value, static_member};
use crate::types::{Shape, Structure};
use crate::value::Value;

impl Printer<'_> {
    pub(super) fn structure(&mut self, value: &Value, structure: &Structure) -> String {
        if structure.is_declaration {
            return "<incomplete type>".to_string();
        }
        if structure.kind == wayfarer_symbols::types::AggregateKind::Union
            && !self.format.unions
            && self.depth > 0
        {
            return "{...}".to_string();
        }
        let value = self.loaded(value);
        if let Some(text) = self.missing(&value) {
            return text;
        }
        let (bases, fields) = self.deeper(|printer| {
            printer.indent += 1;
            let is_outermost = printer.virtual_bases.is_none();
            printer.virtual_bases.get_or_insert_default();
            let bases: Vec<String> = (0..structure.bases.len())
                .filter_map(|index| printer.base_class(&value, structure, index))
                .collect();
            let seen_by_bases = printer.virtual_bases.take();
            let fields = printer.members(&value, structure);
            printer.virtual_bases = seen_by_bases.filter(|_| !is_outermost);
            printer.indent -= 1;
            (bases, fields)
        });
        self.class_text(&value, &bases, &fields)
    }

    /// The parts of a class between braces, in gdb's layout.
    fn class_text(&mut self, value: &Value, bases: &[String], fields: &[String]) -> String {
        let line = |indent: usize| format!("\n{}", "  ".repeat(indent));
        let pretty = self.format.pretty;
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

    /// The value with its bytes, read once for all its members.
    pub(crate) fn loaded(&mut self, value: &Value) -> Value {
        match crate::evaluate::contents_or_absence(value, self.scope) {
            Ok(contents) => Value {
                contents: Some(contents),
                ..value.clone()
            },
            Err(_) => value.clone(),
        }
    }

    fn members(&mut self, value: &Value, structure: &Structure) -> Vec<String> {
        let mut parts = Vec::new();
        for member in structure
            .members
            .iter()
            .filter(|member| member.is_artificial)
        {
            parts.push(self.member(value, structure, member));
        }
        for (index, member) in structure.members.iter().map(Some).chain([None]).enumerate() {
            let here = |member: &&StaticMember| member.members_before == index;
            if self.format.static_members {
                for member in structure.static_members.iter().filter(here) {
                    let text = self.static_text(value, &member.name);
                    parts.push(format!("static {} = {text}", member.name));
                }
            }
            if let Some(member) = member.filter(|member| !member.is_artificial) {
                parts.push(self.member(value, structure, member));
            }
        }
        parts
    }

    fn member(&mut self, value: &Value, structure: &Structure, member: &Member) -> String {
        let text = match member_value(value, structure, member, self.scope) {
            Ok(inner) => self.value(&inner, false),
            Err(error) => failed(&error),
        };
        match &member.name {
            Some(name) => format!("{name} = {text}"),
            None => text,
        }
    }

    /// A base, unless it is a virtual one that the object shows already.
    fn base_class(&mut self, value: &Value, structure: &Structure, index: usize) -> Option<String> {
        let base = &structure.bases[index];
        let class = structure.member_type(Some(base.type_id));
        let is_virtual = matches!(base.position, MemberPosition::Expression(_));
        if is_virtual && let Some(seen) = &mut self.virtual_bases {
            let name = class.plain_name();
            if seen.contains(&name) {
                return None;
            }
            seen.push(name);
        }
        let text = match base_value(value, structure, index, self.scope) {
            Ok(inner) => self.value(&inner, false),
            Err(error) => failed(&error),
        };
        Some(format!("<{}> = {text}", class.plain_name()))
    }

    fn static_text(&mut self, value: &Value, name: &str) -> String {
        match static_member(&value.type_ref, name, self.scope) {
            Ok(Some(inner)) => match (inner.type_ref.shape(), inner.address()) {
                // A static member of the class's own type would never end.
                (Shape::Aggregate(_), Some(address)) if self.statics.contains(&address) => {
                    "<same as static member of an already seen type>".to_string()
                }
                (Shape::Aggregate(_), Some(address)) => {
                    self.statics.push(address);
                    let text = self.value(&inner, false);
                    self.statics.pop();
                    text
                }
                _ => self.value(&inner, false),
            },
            Ok(None) => "<optimized out>".to_string(),
            Err(error) => failed(&error),
        }
    }

    /// Parts between brackets, on one line or on many.
    pub(crate) fn enclose(&mut self, open: &str, parts: &[String], close: &str) -> String {
        if !self.format.pretty || parts.is_empty() {
            return format!("{open}{}{close}", parts.join(", "));
        }
        let inner = "  ".repeat(self.indent + 1);
        let outer = "  ".repeat(self.indent);
        let lines: Vec<String> = parts.iter().map(|part| format!("{inner}{part}")).collect();
        format!("{open}\n{}\n{outer}{close}", lines.join(",\n"))
    }
}
