//! Structures, classes and unions of C and C++: bases first, then what the compiler
//! added, static members, and the others.

use wayfarer_symbols::types::Member;

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
            let bases: Vec<String> = (0..structure.bases.len())
                .map(|index| printer.base_class(&value, structure, index))
                .collect();
            let fields = printer.members(&value, structure);
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
        let (made, declared): (Vec<&Member>, Vec<&Member>) = structure
            .members
            .iter()
            .partition(|member| member.is_artificial);
        for member in made {
            parts.push(self.member(value, structure, member));
        }
        if self.format.static_members {
            for member in &structure.static_members {
                let text = self.static_text(value, &member.name);
                parts.push(format!("static {} = {text}", member.name));
            }
        }
        for member in declared {
            parts.push(self.member(value, structure, member));
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

    fn base_class(&mut self, value: &Value, structure: &Structure, index: usize) -> String {
        let class = structure.member_type(Some(structure.bases[index].type_id));
        let text = match base_value(value, structure, index, self.scope) {
            Ok(inner) => self.value(&inner, false),
            Err(error) => failed(&error),
        };
        format!("<{}> = {text}", class.plain_name())
    }

    fn static_text(&mut self, value: &Value, name: &str) -> String {
        match static_member(&value.type_ref, name, self.scope) {
            // A static member of the class's own type would never end.
            Ok(Some(inner)) if inner.type_ref.same(&value.type_ref) => {
                "<same as static member of an already seen type>".to_string()
            }
            Ok(Some(inner)) => match inner.type_ref.shape() {
                Shape::Aggregate(_) if self.depth > 3 => "{...}".to_string(),
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
