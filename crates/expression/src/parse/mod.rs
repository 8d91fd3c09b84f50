//! Text to syntax: one tolerant precedence parser for C, C++ and Rust.
//!
//! Whether `(a) * b` is a product or a cast depends on what `a` is. [`parse_with`] asks; [`parse`]
//! guesses from the text alone.

mod lexer;
mod literals;
mod operators;
mod primary;
mod rust_literals;
mod types;

use thiserror::Error;

use crate::syntax::{Expression, Language, Node, TypeSyntax};
use lexer::{Lexer, Token, TokenKind};

/// Why text is not an expression.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct ParseError {
    /// The byte of the text at which it went wrong.
    pub position: usize,
    /// What went wrong, in a sentence.
    pub message: String,
}

/// How deep expressions may nest; evaluation recurses as deep.
const MAXIMUM_DEPTH: usize = 150;

/// The longest text that is looked at.
const MAXIMUM_LENGTH: usize = 1 << 16;

/// Parses an expression; ambiguous parentheses are taken for a cast only where nothing else fits.
pub fn parse(text: &str, language: Language) -> Result<Expression, ParseError> {
    parse_with(text, language, &|_| false)
}

/// Parses an expression, asking whether a name is a type (and not a variable) where that matters.
pub fn parse_with(
    text: &str,
    language: Language,
    is_type: &dyn Fn(&str) -> bool,
) -> Result<Expression, ParseError> {
    let (process, start) = split_process(text);
    let mut parser = Parser::new(text, start, language, is_type)?;
    if parser.peek_kind() == TokenKind::End {
        return Err(parser.error("an expression is missing"));
    }
    let root = parser.expression()?;
    if parser.peek_kind() != TokenKind::End {
        return Err(parser.syntax_error());
    }
    Ok(Expression {
        process,
        root,
        language,
        text: text[start..].trim().to_string(),
    })
}

/// Parses a type alone.
pub fn parse_type(text: &str, language: Language) -> Result<TypeSyntax, ParseError> {
    let mut parser = Parser::new(text, 0, language, &|_| true)?;
    let syntax = parser.type_syntax()?;
    if parser.peek_kind() != TokenKind::End {
        return Err(parser.syntax_error());
    }
    Ok(syntax)
}

/// Takes the `NAME:` of a process off the front: a word with one colon after it.
fn split_process(text: &str) -> (Option<String>, usize) {
    let word = text
        .char_indices()
        .take_while(|(_, character)| character.is_alphanumeric() || "_.-+".contains(*character))
        .last()
        .map_or(0, |(at, character)| at + character.len_utf8());
    let rest = &text[word..];
    if word > 0 && rest.starts_with(':') && !rest.starts_with("::") {
        (Some(text[..word].to_string()), word + 1)
    } else {
        (None, 0)
    }
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    language: Language,
    is_type: &'a dyn Fn(&str) -> bool,
}

impl<'a> Parser<'a> {
    fn new(
        text: &'a str,
        start: usize,
        language: Language,
        is_type: &'a dyn Fn(&str) -> bool,
    ) -> Result<Parser<'a>, ParseError> {
        if text.len() > MAXIMUM_LENGTH {
            return Err(ParseError {
                position: MAXIMUM_LENGTH,
                message: format!("the expression is longer than {MAXIMUM_LENGTH} bytes"),
            });
        }
        Ok(Parser {
            text,
            tokens: Lexer::new(text, start, language).tokens()?,
            at: 0,
            depth: 0,
            language,
            is_type,
        })
    }

    fn rust(&self) -> bool {
        self.language == Language::Rust
    }

    fn peek(&self) -> &Token {
        // The list always ends with an `End` that is never passed.
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn peek_kind(&self) -> TokenKind {
        self.peek().kind
    }

    fn peek_text(&self) -> &'a str {
        self.token_text(self.at)
    }

    fn token_text(&self, at: usize) -> &'a str {
        match self.tokens.get(at) {
            Some(token) => &self.text[token.start..token.end],
            None => "",
        }
    }

    fn kind_at(&self, at: usize) -> TokenKind {
        self.tokens
            .get(at)
            .map_or(TokenKind::End, |token| token.kind)
    }

    fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    /// Whether the next token is this punctuation.
    fn sees(&self, punctuation: &str) -> bool {
        self.sees_at(self.at, punctuation)
    }

    fn sees_at(&self, at: usize, punctuation: &str) -> bool {
        self.kind_at(at) == TokenKind::Punctuation && self.token_text(at) == punctuation
    }

    fn sees_word(&self, word: &str) -> bool {
        self.peek_kind() == TokenKind::Word && self.peek_text() == word
    }

    fn accept(&mut self, punctuation: &str) -> bool {
        let found = self.sees(punctuation);
        if found {
            self.advance();
        }
        found
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let found = self.sees_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, punctuation: &str) -> Result<(), ParseError> {
        if self.accept(punctuation) {
            Ok(())
        } else {
            Err(self.syntax_error())
        }
    }

    fn error(&self, message: &str) -> ParseError {
        ParseError {
            position: self.peek().start,
            message: message.to_string(),
        }
    }

    fn syntax_error(&self) -> ParseError {
        let rest = &self.text[self.peek().start..];
        self.error(&format!("A syntax error in expression, near `{rest}'."))
    }

    /// Runs a part of the parser one level deeper.
    fn deeper<T>(
        &mut self,
        part: impl FnOnce(&mut Self) -> Result<T, ParseError>,
    ) -> Result<T, ParseError> {
        let depth = self.depth;
        self.deepen()?;
        let result = part(self);
        self.depth = depth;
        result
    }

    /// Counts one level of nesting, be it by recursion or by a chain of operators.
    fn deepen(&mut self) -> Result<(), ParseError> {
        self.depth += 1;
        if self.depth > MAXIMUM_DEPTH {
            return Err(self.error("the expression is nested too deeply"));
        }
        Ok(())
    }

    /// Tries a part and returns to where it started if it fails.
    fn attempt<T>(&mut self, part: impl FnOnce(&mut Self) -> Result<T, ParseError>) -> Option<T> {
        let (at, depth) = (self.at, self.depth);
        match part(self) {
            Ok(value) => Some(value),
            Err(_) => {
                (self.at, self.depth) = (at, depth);
                None
            }
        }
    }

    /// A whole expression, with commas.
    fn expression(&mut self) -> Result<Node, ParseError> {
        self.deeper(|parser| parser.binary(operators::LOWEST))
    }
}
