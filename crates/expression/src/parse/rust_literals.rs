//! Rust's array and structure literals.

use super::lexer::TokenKind;
use super::operators::ARGUMENT;
use super::{ParseError, Parser};
use crate::syntax::{Node, StructureLiteral};

impl Parser<'_> {
    /// `[a, b]` or `[value; count]`.
    pub(super) fn array_literal(&mut self) -> Result<Node, ParseError> {
        self.expect("[")?;
        let mut elements = Vec::new();
        while !self.accept("]") {
            elements.push(self.deeper(|parser| parser.binary(ARGUMENT))?);
            if self.accept("]") {
                break;
            }
            if elements.len() == 1 && self.accept(";") {
                let count = self.deeper(|parser| parser.binary(ARGUMENT))?;
                self.expect("]")?;
                return Ok(Node::ArrayOf(Box::new(elements.remove(0)), Box::new(count)));
            }
            self.expect(",")?;
        }
        Ok(Node::Array(elements))
    }

    /// `{ field: value, field, ..base }` after the name of a structure.
    pub(super) fn structure_literal(&mut self, name: String) -> Result<Node, ParseError> {
        self.expect("{")?;
        let mut literal = StructureLiteral {
            name,
            fields: Vec::new(),
            base: None,
        };
        while !self.accept("}") {
            if self.accept("..") {
                literal.base = Some(self.deeper(|parser| parser.binary(ARGUMENT))?);
                self.expect("}")?;
                break;
            }
            if self.peek_kind() != TokenKind::Word {
                return Err(self.syntax_error());
            }
            let field = self.peek_text().to_string();
            self.advance();
            let value = match self.accept(":") {
                true => self.deeper(|parser| parser.binary(ARGUMENT))?,
                false => Node::Name(field.clone()),
            };
            literal.fields.push((field, value));
            if self.accept("}") {
                break;
            }
            self.expect(",")?;
        }
        Ok(Node::Structure(Box::new(literal)))
    }
}
