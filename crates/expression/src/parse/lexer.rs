//! Text to tokens.

use super::ParseError;
use crate::syntax::Language;

/// What kind of token it is; its text is looked up in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// An identifier or keyword.
    Word,
    /// A number with its suffix.
    Number,
    /// A quoted text in `"`, with its prefix.
    Text,
    /// A quoted text in `'`, with its prefix.
    Character,
    /// A name that starts with `$`.
    Dollar,
    /// An operator or bracket.
    Punctuation,
    /// The end of the text.
    End,
}

/// A token by its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub start: usize,
    pub end: usize,
}

/// Longest first, so that the first that fits is the longest that fits.
const PUNCTUATION: [&str; 49] = [
    "<<=", ">>=", "..=", "...", "::", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&",
    "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "..", "+", "-", "*", "/", "%", "&", "|",
    "^", "~", "!", "<", ">", "=", "?", ":", ",", ".", "(", ")", "[", "]", "{", "}", "@",
];

pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    language: Language,
    tokens: Vec<Token>,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str, start: usize, language: Language) -> Lexer<'a> {
        Lexer {
            text,
            at: start,
            language,
            tokens: Vec::new(),
        }
    }

    /// All tokens, the last of which is the only `End`.
    pub(super) fn tokens(mut self) -> Result<Vec<Token>, ParseError> {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            self.at += blank;
            let start = self.at;
            let kind = self.token()?;
            self.tokens.push(Token {
                kind,
                start,
                end: self.at,
            });
            if kind == TokenKind::End {
                return Ok(self.tokens);
            }
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn token(&mut self) -> Result<TokenKind, ParseError> {
        let rest = self.rest();
        let mut characters = rest.chars();
        let Some(first) = characters.next() else {
            return Ok(TokenKind::End);
        };
        let second = characters.next();
        if first.is_ascii_digit()
            || (first == '.'
                && second.is_some_and(|next| next.is_ascii_digit())
                && !self.after_operand())
        {
            self.number();
            return Ok(TokenKind::Number);
        }
        if let Some(prefix) = quote_prefix(rest, self.language) {
            self.at += prefix;
            return self.quoted();
        }
        if is_word_start(first) {
            let start = self.at;
            self.word();
            // Rust's raw identifiers keep their prefix: `r#type`.
            let raw = self.language == Language::Rust && &self.text[start..self.at] == "r";
            if raw && self.rest().starts_with('#') {
                self.at += 1;
                self.word();
            }
            return Ok(TokenKind::Word);
        }
        if first == '$' {
            self.at += 1;
            while self.rest().starts_with('$') {
                self.at += 1;
            }
            self.word();
            return Ok(TokenKind::Dollar);
        }
        // The semicolon separates the element from the length in Rust's array types.
        if first == ';' || first == '#' {
            self.at += 1;
            return Ok(TokenKind::Punctuation);
        }
        match PUNCTUATION.iter().find(|token| rest.starts_with(**token)) {
            Some(token) => {
                self.at += token.len();
                Ok(TokenKind::Punctuation)
            }
            None => Err(ParseError {
                position: self.at,
                message: format!("Invalid character '{first}' in expression."),
            }),
        }
    }

    /// Whether the last token ends an operand, so that a `.` after it selects a field.
    fn after_operand(&self) -> bool {
        self.tokens.last().is_some_and(|token| match token.kind {
            TokenKind::Word | TokenKind::Dollar | TokenKind::Number => true,
            TokenKind::Punctuation => {
                matches!(&self.text[token.start..token.end], ")" | "]" | "}")
            }
            _ => false,
        })
    }

    fn word(&mut self) {
        let rest = self.rest();
        let length = rest
            .find(|character| !is_word_part(character))
            .unwrap_or(rest.len());
        self.at += length;
    }

    fn number(&mut self) {
        let bytes = self.rest().as_bytes();
        // After a `.` a number is the field of a tuple: `t.0.1` has two of them.
        let field = self.tokens.last().is_some_and(|token| {
            token.kind == TokenKind::Punctuation && &self.text[token.start..token.end] == "."
        });
        let radix = bytes.first() == Some(&b'0')
            && matches!(bytes.get(1), Some(b'x' | b'X' | b'o' | b'b' | b'B'));
        let hexadecimal = radix && matches!(bytes.get(1), Some(b'x' | b'X'));
        let mut length = 0;
        let mut dotted = false;
        while let Some(byte) = bytes.get(length) {
            let next = bytes.get(length + 1).copied().unwrap_or(0);
            let previous = length.checked_sub(1).map_or(0, |at| bytes[at]);
            let exponent = if hexadecimal { b'p' } else { b'e' };
            let taken = match byte {
                b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' => !field || byte.is_ascii_digit(),
                // One point, and not the first of a range or of a method call.
                b'.' => {
                    !field
                        && !dotted
                        && next != b'.'
                        && (!radix || hexadecimal)
                        && (self.language != Language::Rust || !is_word_start(next as char))
                }
                b'+' | b'-' => {
                    previous.to_ascii_lowercase() == exponent
                        && next.is_ascii_digit()
                        && (!radix || exponent == b'p')
                }
                b'\'' => {
                    self.language == Language::Cpp
                        && next.is_ascii_hexdigit()
                        && previous.is_ascii_hexdigit()
                }
                _ => false,
            };
            if !taken {
                break;
            }
            dotted |= *byte == b'.';
            length += 1;
        }
        self.at += length;
    }

    /// A quoted text; the prefix was passed already.
    fn quoted(&mut self) -> Result<TokenKind, ParseError> {
        let start = self.at;
        let raw = self.text[..start].ends_with(['r', '#']) && self.language == Language::Rust;
        let hashes = self.text[..start]
            .bytes()
            .rev()
            .take_while(|byte| *byte == b'#')
            .count();
        let quote = self.text.as_bytes()[start];
        let bytes = self.text.as_bytes();
        let mut at = start + 1;
        while let Some(byte) = bytes.get(at) {
            if *byte == b'\\' && !raw {
                at += 2;
                continue;
            }
            at += 1;
            if *byte == quote
                && (!raw
                    || bytes[at..]
                        .iter()
                        .take(hashes)
                        .filter(|byte| **byte == b'#')
                        .count()
                        == hashes)
            {
                self.at = at + if raw { hashes } else { 0 };
                return Ok(if quote == b'"' {
                    TokenKind::Text
                } else {
                    TokenKind::Character
                });
            }
        }
        Err(ParseError {
            position: start,
            message: if quote == b'"' {
                "Unterminated string in expression.".to_string()
            } else {
                "Unmatched single quote.".to_string()
            },
        })
    }
}

/// The length of what stands before the quote, if the text starts with a quoted one.
fn quote_prefix(rest: &str, language: Language) -> Option<usize> {
    let prefixes: &[&str] = match language {
        Language::Rust => &["", "b", "c", "r", "br", "cr"],
        Language::C | Language::Cpp => &["", "L", "u8", "u", "U"],
    };
    prefixes.iter().find_map(|prefix| {
        let behind = rest.strip_prefix(prefix)?;
        let hashes = if prefix.ends_with('r') && language == Language::Rust {
            behind.len() - behind.trim_start_matches('#').len()
        } else {
            0
        };
        let quote = behind.as_bytes().get(hashes)?;
        match quote {
            b'"' => Some(prefix.len() + hashes),
            // A tick without a closing one is a lifetime, which only types have.
            b'\''
                if hashes == 0
                    && !prefix.ends_with('r')
                    && !(language == Language::Rust && is_lifetime(behind)) =>
            {
                Some(prefix.len())
            }
            _ => None,
        }
    })
}

fn is_lifetime(text: &str) -> bool {
    let mut characters = text.chars().skip(1);
    characters.next().is_some_and(is_word_start) && characters.next() != Some('\'')
}

pub(super) fn is_word_start(character: char) -> bool {
    character.is_alphabetic() || character == '_'
}

fn is_word_part(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}
