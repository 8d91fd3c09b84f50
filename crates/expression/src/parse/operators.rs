//! Operators between operands, by precedence: gdb's table, in which `@` binds between the shifts and
//! the sums.

use super::lexer::TokenKind;
use super::{ParseError, Parser};
use crate::syntax::{BinaryOperator, Node};

/// The precedence of the comma.
pub(super) const LOWEST: u8 = 1;
/// Above the comma: an argument of a call.
pub(super) const ARGUMENT: u8 = 2;
const ASSIGNMENT: u8 = 2;
const CONDITIONAL: u8 = 3;
const RANGE_BOUND: u8 = 4;
const REPEAT: u8 = 12;

impl Parser<'_> {
    /// An expression of operators that bind at least as tightly as `least`.
    pub(super) fn binary(&mut self, least: u8) -> Result<Node, ParseError> {
        let depth = self.depth;
        let mut left = self.unary()?;
        loop {
            if self.peek_kind() == TokenKind::Word {
                if self.rust() && self.sees_word("as") {
                    self.deepen()?;
                    self.advance();
                    let target = self.type_syntax()?;
                    left = Node::Cast(target, Box::new(left));
                    continue;
                }
                break;
            }
            if self.peek_kind() != TokenKind::Punctuation {
                break;
            }
            let symbol = self.peek_text();
            if let Some(operator) = assignment(symbol) {
                if ASSIGNMENT < least {
                    break;
                }
                self.advance();
                let right = self.deeper(|parser| parser.binary(ASSIGNMENT))?;
                left = Node::Assign(operator, Box::new(left), Box::new(right));
                continue;
            }
            if symbol == "?" {
                if CONDITIONAL < least {
                    break;
                }
                self.advance();
                let chosen = self.expression()?;
                self.expect(":")?;
                let other = self.deeper(|parser| parser.binary(CONDITIONAL))?;
                left = Node::Conditional(Box::new(left), Box::new(chosen), Box::new(other));
                continue;
            }
            if symbol == "@" {
                if REPEAT < least {
                    break;
                }
                self.deepen()?;
                self.advance();
                // gdb's name for what a parameter was when its function was entered.
                if let Node::Name(name) = &left
                    && self.sees_word("entry")
                {
                    left = Node::Name(format!("{name}@entry"));
                    self.advance();
                    continue;
                }
                let count = self.deeper(|parser| parser.binary(REPEAT + 1))?;
                left = Node::Repeat(Box::new(left), Box::new(count));
                continue;
            }
            let Some((operator, precedence)) = operator(symbol) else {
                break;
            };
            if precedence < least {
                break;
            }
            self.deepen()?;
            self.advance();
            let right = self.deeper(|parser| parser.binary(precedence + 1))?;
            left = Node::Binary(operator, Box::new(left), Box::new(right));
        }
        self.depth = depth;
        Ok(left)
    }

    /// What stands in brackets: an index, or a range of them.
    pub(super) fn subscript(&mut self, base: Node) -> Result<Node, ParseError> {
        let base = Box::new(base);
        let from = if self.sees("..") || self.sees("..=") {
            None
        } else {
            let first = self.deeper(|parser| parser.binary(LOWEST))?;
            if !self.sees("..") && !self.sees("..=") {
                return Ok(Node::Index(base, Box::new(first)));
            }
            Some(Box::new(first))
        };
        let inclusive = self.sees("..=");
        self.advance();
        let to = if self.sees("]") {
            None
        } else {
            Some(Box::new(self.deeper(|parser| parser.binary(RANGE_BOUND))?))
        };
        Ok(Node::Slice {
            base,
            from,
            to,
            inclusive,
        })
    }
}

fn assignment(symbol: &str) -> Option<Option<BinaryOperator>> {
    Some(match symbol {
        "=" => None,
        "+=" => Some(BinaryOperator::Add),
        "-=" => Some(BinaryOperator::Subtract),
        "*=" => Some(BinaryOperator::Multiply),
        "/=" => Some(BinaryOperator::Divide),
        "%=" => Some(BinaryOperator::Remainder),
        "<<=" => Some(BinaryOperator::ShiftLeft),
        ">>=" => Some(BinaryOperator::ShiftRight),
        "&=" => Some(BinaryOperator::BitAnd),
        "|=" => Some(BinaryOperator::BitOr),
        "^=" => Some(BinaryOperator::BitXor),
        _ => return None,
    })
}

fn operator(symbol: &str) -> Option<(BinaryOperator, u8)> {
    Some(match symbol {
        "," => (BinaryOperator::Comma, LOWEST),
        "||" => (BinaryOperator::Or, 4),
        "&&" => (BinaryOperator::And, 5),
        "|" => (BinaryOperator::BitOr, 6),
        "^" => (BinaryOperator::BitXor, 7),
        "&" => (BinaryOperator::BitAnd, 8),
        "==" => (BinaryOperator::Equal, 9),
        "!=" => (BinaryOperator::NotEqual, 9),
        "<" => (BinaryOperator::Less, 10),
        "<=" => (BinaryOperator::LessOrEqual, 10),
        ">" => (BinaryOperator::Greater, 10),
        ">=" => (BinaryOperator::GreaterOrEqual, 10),
        "<<" => (BinaryOperator::ShiftLeft, 11),
        ">>" => (BinaryOperator::ShiftRight, 11),
        "+" => (BinaryOperator::Add, 13),
        "-" => (BinaryOperator::Subtract, 13),
        "*" => (BinaryOperator::Multiply, 14),
        "/" => (BinaryOperator::Divide, 14),
        "%" => (BinaryOperator::Remainder, 14),
        _ => return None,
    })
}
