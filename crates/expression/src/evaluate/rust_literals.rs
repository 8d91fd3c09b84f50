//! Rust's array and structure literals: values that exist nowhere but in the expression.

use wayfarer_symbols::types::MemberPosition;

use super::{Evaluated, Evaluator, cast, contents, number_of};
use crate::scope::EvaluationError;
use crate::syntax::{Node, StructureLiteral};
use crate::types::{Shape, Structure, TypeRef};
use crate::value::{MAXIMUM_OBJECT, Value};

impl Evaluator<'_> {
    /// `[a, b, c]`: all elements get the type of the first.
    pub(super) fn array_literal(&mut self, elements: &[Node]) -> Evaluated {
        let mut bytes = Vec::new();
        let mut element: Option<TypeRef> = None;
        for node in elements {
            let value = self.value(node)?;
            let value = match &element {
                Some(first) => cast(&value, first, self.scope)?,
                None => value,
            };
            bytes.extend_from_slice(&contents(&value, self.scope)?.bytes);
            element.get_or_insert(value.type_ref);
        }
        let element =
            element.ok_or_else(|| EvaluationError::invalid("An empty array has no type."))?;
        Ok(Value::computed(
            element.array(Some(elements.len() as u64)),
            bytes,
        ))
    }

    /// `[value; count]`.
    pub(super) fn repeated_literal(&mut self, value: &Node, count: &Node) -> Evaluated {
        let value = self.value(value)?;
        let count = self.value(count)?;
        let one = contents(&value, self.scope)?.bytes.clone();
        let count = number_of(&count, self.scope)?.as_integer();
        let count = u64::try_from(count)
            .ok()
            .filter(|count| count.saturating_mul(one.len() as u64) <= MAXIMUM_OBJECT)
            .ok_or_else(|| EvaluationError::invalid("This is not the length of an array."))?;
        Ok(Value::computed(
            value.type_ref.array(Some(count)),
            one.repeat(count as usize),
        ))
    }

    /// `Point { x: 1, ..base }`.
    pub(super) fn structure_literal(&mut self, literal: &StructureLiteral) -> Evaluated {
        let (type_ref, structure) = self.literal_type(&literal.name)?;
        let mut bytes = vec![0; structure.size as usize];
        match &literal.base {
            Some(base) => {
                let base = self.value(base)?;
                if !base.type_ref.same(&type_ref) {
                    return Err(EvaluationError::invalid(format!(
                        "The base of this literal is not of type {}.",
                        literal.name
                    )));
                }
                bytes.clone_from(&contents(&base, self.scope)?.bytes);
            }
            None if literal.fields.len() < structure.members.len() => {
                let given = |name: &str| literal.fields.iter().any(|(field, _)| field == name);
                let missing: Vec<&str> = structure
                    .members
                    .iter()
                    .filter_map(|member| member.name.as_deref())
                    .filter(|name| !given(name))
                    .collect();
                return Err(EvaluationError::invalid(format!(
                    "Missing in this literal: {}.",
                    missing.join(", ")
                )));
            }
            None => {}
        }
        for (name, node) in &literal.fields {
            self.fill(&structure, name, node, &mut bytes)?;
        }
        Ok(Value::computed(type_ref, bytes))
    }

    /// `Pair(1, 2)`, if the name is that of a tuple structure and there are as many values.
    pub(super) fn tuple_literal(&mut self, name: &str, values: &[Node]) -> Option<Evaluated> {
        let (type_ref, structure) = self.literal_type(name).ok()?;
        let is_tuple = structure
            .members
            .iter()
            .any(|member| member.name.as_deref() == Some("__0"));
        if !is_tuple || structure.members.len() != values.len() {
            return None;
        }
        let mut bytes = vec![0; structure.size as usize];
        for (index, node) in values.iter().enumerate() {
            if let Err(error) = self.fill(&structure, &format!("__{index}"), node, &mut bytes) {
                return Some(Err(error));
            }
        }
        Some(Ok(Value::computed(type_ref, bytes)))
    }

    fn literal_type(&mut self, name: &str) -> Evaluated<(TypeRef, Structure)> {
        let wrong =
            || EvaluationError::invalid(format!("No structure \"{name}\" in current context."));
        let type_ref = self.named_type(name).ok_or_else(wrong)?;
        match type_ref.shape() {
            Shape::Aggregate(structure)
                if structure.variant_part.is_none() && structure.size <= MAXIMUM_OBJECT =>
            {
                Ok((type_ref, structure))
            }
            _ => Err(wrong()),
        }
    }

    /// Puts the value of a member into its place.
    fn fill(
        &mut self,
        structure: &Structure,
        name: &str,
        node: &Node,
        bytes: &mut [u8],
    ) -> Evaluated<()> {
        let wrong = || EvaluationError::invalid(format!("There is no member named {name}."));
        let member = structure
            .members
            .iter()
            .find(|member| member.name.as_deref() == Some(name))
            .ok_or_else(wrong)?;
        let MemberPosition::Offset(offset) = member.position else {
            return Err(wrong());
        };
        let value = self.value(node)?;
        let type_ref = structure.member_type(member.type_id);
        let value = match value.type_ref.same(&type_ref) {
            true => value,
            false => cast(&value, &type_ref, self.scope)?,
        };
        let value = contents(&value, self.scope)?.bytes.clone();
        let start = offset as usize;
        bytes
            .get_mut(start..start + value.len())
            .ok_or_else(wrong)?
            .copy_from_slice(&value);
        Ok(())
    }
}
