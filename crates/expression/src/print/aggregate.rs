//! Structures, classes and unions of C and C++: bases first, then what the compiler
//! added, static members, and the others.

use wayfarer_symbols::types::{Member, MemberPosition, StaticMember};

use super::form::{Content, Form, Label, Part};
use super::{Opener, failed};
use crate::evaluate::{base_value, member_value, static_member};
use crate::scope::EvaluationError;
use crate::types::Structure;
use crate::value::Value;

impl Opener<'_> {
    /// A class opened up; its members are not read yet.
    pub(super) fn class(&mut self, value: &Value, structure: &Structure) -> Form {
        if structure.is_declaration {
            return Form::Text("<incomplete type>".to_string());
        }
        Form::Class {
            value: value.clone(),
            structure: structure.clone(),
        }
    }

    /// The bases and members of a class, or what stands in the place of one that is not there.
    pub(super) fn class_parts(
        &mut self,
        value: &Value,
        structure: &Structure,
    ) -> Result<Vec<Part>, String> {
        let value = self.loaded(value);
        if let Some(text) = self.missing(&value) {
            return Err(text);
        }
        let mut parts: Vec<Part> = (0..structure.bases.len())
            .map(|index| self.base_class(&value, structure, index))
            .collect();
        self.add_members(&value, structure, &mut parts);
        Ok(parts)
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

    fn add_members(&mut self, value: &Value, structure: &Structure, parts: &mut Vec<Part>) {
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
                    parts.push(self.static_part(value, &member.name));
                }
            }
            if let Some(member) = member.filter(|member| !member.is_artificial) {
                parts.push(self.member(value, structure, member));
            }
        }
    }

    /// A member, found but not read.
    pub(super) fn member(&mut self, value: &Value, structure: &Structure, member: &Member) -> Part {
        Part {
            label: Label::Member(member.name.as_deref().map(str::to_string)),
            content: content(member_value(value, structure, member, self.scope)),
        }
    }

    fn base_class(&mut self, value: &Value, structure: &Structure, index: usize) -> Part {
        let base = &structure.bases[index];
        let class = structure.member_type(Some(base.type_id));
        Part {
            label: Label::Base {
                class: class.plain_name(),
                is_virtual: matches!(base.position, MemberPosition::Expression(_)),
            },
            content: content(base_value(value, structure, index, self.scope)),
        }
    }

    fn static_part(&mut self, value: &Value, name: &str) -> Part {
        let content = match static_member(&value.type_ref, name, self.scope) {
            Ok(Some(inner)) => Content::Value(inner),
            Ok(None) => Content::Missing("<optimized out>".to_string()),
            Err(error) => Content::Missing(failed(&error)),
        };
        Part {
            label: Label::Static(name.to_string()),
            content,
        }
    }
}

fn content(found: Result<Value, EvaluationError>) -> Content {
    match found {
        Ok(value) => Content::Value(value),
        Err(error) => Content::Missing(failed(&error)),
    }
}
