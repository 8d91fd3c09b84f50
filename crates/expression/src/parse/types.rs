//! Types as C, C++ and Rust write them, and names with their template arguments.

use super::lexer::TokenKind;
use super::{ParseError, Parser};
use crate::syntax::{Language, TypeSyntax};

/// Words of which C's basic types are made.
const BASIC_WORDS: [&str; 20] = [
    "int",
    "char",
    "short",
    "long",
    "unsigned",
    "signed",
    "float",
    "double",
    "void",
    "_Bool",
    "bool",
    "__int128",
    "wchar_t",
    "char8_t",
    "char16_t",
    "char32_t",
    "_Complex",
    "complex",
    "unsigned int",
    "__int128_t",
];

const RUST_BASIC: [&str; 18] = [
    "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize", "f32",
    "f64", "bool", "char", "str", "!",
];

/// Whether the name is a type of the language itself.
pub(super) fn is_basic(name: &str, language: Language) -> bool {
    match language {
        Language::Rust => RUST_BASIC.contains(&name),
        Language::C => {
            is_c_basic(name)
                && !matches!(
                    name,
                    "bool" | "wchar_t" | "char8_t" | "char16_t" | "char32_t" | "complex"
                )
        }
        Language::Cpp => is_c_basic(name) && name != "complex",
    }
}

fn is_c_basic(name: &str) -> bool {
    name.split(' ').all(|word| BASIC_WORDS.contains(&word))
}

impl Parser<'_> {
    /// Whether a type that no variable can be mistaken for starts here.
    pub(super) fn starts_type(&self) -> bool {
        let word = self.peek_text();
        if self.rust() {
            return is_basic(word, Language::Rust) && !self.sees_at(self.at + 1, "::");
        }
        is_basic(word, self.language)
            || matches!(
                word,
                "struct"
                    | "union"
                    | "enum"
                    | "class"
                    | "const"
                    | "volatile"
                    | "typeof"
                    | "decltype"
                    | "__typeof__"
                    | "typename"
            )
    }

    /// A whole type.
    pub(super) fn type_syntax(&mut self) -> Result<TypeSyntax, ParseError> {
        self.deeper(|parser| {
            if parser.rust() {
                parser.rust_type()
            } else {
                let base = parser.type_specifiers()?;
                parser.declarator(base)
            }
        })
    }

    /// The part of a C type before its declarator.
    pub(super) fn type_specifiers(&mut self) -> Result<TypeSyntax, ParseError> {
        let mut words: Vec<&str> = Vec::new();
        let mut named = None;
        let (mut constant, mut volatile) = (false, false);
        while self.peek_kind() == TokenKind::Word {
            let word = self.peek_text();
            match word {
                "const" => constant = true,
                "volatile" => volatile = true,
                "restrict" | "__restrict" | "_Atomic" | "typename" => {}
                "struct" | "union" | "enum" | "class" if words.is_empty() && named.is_none() => {
                    self.advance();
                    named = Some(TypeSyntax::Named {
                        keyword: Some(word.to_string()),
                        name: self.path()?,
                    });
                    continue;
                }
                "typeof" | "__typeof__" | "decltype" if words.is_empty() && named.is_none() => {
                    self.advance();
                    self.expect("(")?;
                    let node = self.expression()?;
                    self.expect(")")?;
                    named = Some(TypeSyntax::TypeOf(Box::new(node)));
                    continue;
                }
                _ if is_basic(word, self.language) && named.is_none() => words.push(word),
                _ if words.is_empty() && named.is_none() => {
                    named = Some(TypeSyntax::Named {
                        keyword: None,
                        name: self.path()?,
                    });
                    continue;
                }
                _ => break,
            }
            self.advance();
        }
        if named.is_none() && self.sees("::") {
            self.advance();
            named = Some(TypeSyntax::Named {
                keyword: None,
                name: self.path()?,
            });
        }
        let mut syntax = match named {
            Some(syntax) => syntax,
            None => TypeSyntax::Named {
                keyword: None,
                name: basic_name(&words).ok_or_else(|| self.syntax_error())?,
            },
        };
        if volatile {
            syntax = TypeSyntax::Volatile(Box::new(syntax));
        }
        if constant {
            syntax = TypeSyntax::Const(Box::new(syntax));
        }
        Ok(syntax)
    }

    /// The stars, brackets and parentheses of a C type without a name.
    fn declarator(&mut self, mut base: TypeSyntax) -> Result<TypeSyntax, ParseError> {
        let depth = self.depth;
        loop {
            if self.accept("*") {
                base = TypeSyntax::Pointer(Box::new(base));
            } else if self.accept("&&") {
                base = TypeSyntax::RvalueReference(Box::new(base));
            } else if self.accept("&") {
                base = TypeSyntax::Reference(Box::new(base));
            } else if self.accept_word("const") {
                base = TypeSyntax::Const(Box::new(base));
            } else if self.accept_word("volatile") {
                base = TypeSyntax::Volatile(Box::new(base));
            } else if !self.accept_word("restrict") {
                break;
            }
            self.deepen()?;
        }
        // `(*)`, `(**)`, `(*[2])`: an inner declarator that applies to what follows it.
        let inner = if self.sees("(")
            && (self.sees_at(self.at + 1, "*") || self.sees_at(self.at + 1, "&"))
        {
            self.advance();
            let start = self.at;
            self.skip_balanced(")")?;
            Some(start)
        } else {
            None
        };
        base = self.type_suffixes(base)?;
        if let Some(start) = inner {
            let end = self.at;
            self.at = start;
            base = self.deeper(|parser| parser.declarator(base))?;
            self.expect(")")?;
            self.at = end;
        }
        self.depth = depth;
        Ok(base)
    }

    fn type_suffixes(&mut self, base: TypeSyntax) -> Result<TypeSyntax, ParseError> {
        if self.sees("[") {
            self.advance();
            let length = if self.peek_kind() == TokenKind::Number {
                let length = self.peek_text().parse().ok();
                self.advance();
                length
            } else {
                None
            };
            self.expect("]")?;
            let element = self.deeper(|parser| parser.type_suffixes(base))?;
            return Ok(TypeSyntax::Array(Box::new(element), length));
        }
        if self.sees("(") {
            self.advance();
            let mut parameters = Vec::new();
            if self.sees_word("void") && self.sees_at(self.at + 1, ")") {
                self.advance();
            }
            while !self.sees(")") {
                parameters.push(self.type_syntax()?);
                if !self.accept(",") {
                    break;
                }
            }
            self.expect(")")?;
            return Ok(TypeSyntax::Function(Box::new(base), parameters));
        }
        Ok(base)
    }

    /// Goes past the bracket that closes the one just passed.
    fn skip_balanced(&mut self, closing: &str) -> Result<(), ParseError> {
        let mut open = 1;
        while self.peek_kind() != TokenKind::End {
            if self.sees("(") {
                open += 1;
            } else if self.sees(closing) {
                open -= 1;
            }
            self.advance();
            if open == 0 {
                return Ok(());
            }
        }
        Err(self.syntax_error())
    }

    fn rust_type(&mut self) -> Result<TypeSyntax, ParseError> {
        if self.accept("*") {
            if !self.accept_word("const") && !self.accept_word("mut") {
                return Err(self.syntax_error());
            }
            return Ok(TypeSyntax::Pointer(Box::new(self.type_syntax()?)));
        }
        if self.accept("&") {
            let _ = self.accept_word("mut");
            return Ok(TypeSyntax::Reference(Box::new(self.type_syntax()?)));
        }
        if self.accept("[") {
            let element = Box::new(self.type_syntax()?);
            if self.accept(";") {
                let length = self.peek_text().replace('_', "").parse().ok();
                self.advance();
                self.expect("]")?;
                return Ok(TypeSyntax::Array(element, length));
            }
            self.expect("]")?;
            return Ok(TypeSyntax::Slice(element));
        }
        if self.accept("(") {
            let mut parts = Vec::new();
            while !self.sees(")") {
                parts.push(self.type_syntax()?);
                if !self.accept(",") {
                    break;
                }
            }
            self.expect(")")?;
            return Ok(TypeSyntax::Tuple(parts));
        }
        let _ = self.accept_word("dyn");
        if self.sees_word("fn") && self.sees_at(self.at + 1, "(") {
            self.advance();
            self.advance();
            let mut parameters = Vec::new();
            while !self.sees(")") {
                parameters.push(self.type_syntax()?);
                if !self.accept(",") {
                    break;
                }
            }
            self.expect(")")?;
            let result = if self.accept("->") {
                self.type_syntax()?
            } else {
                TypeSyntax::Tuple(Vec::new())
            };
            return Ok(TypeSyntax::Pointer(Box::new(TypeSyntax::Function(
                Box::new(result),
                parameters,
            ))));
        }
        Ok(TypeSyntax::Named {
            keyword: None,
            name: self.path()?,
        })
    }

    /// A name with its namespaces and template arguments.
    pub(super) fn path(&mut self) -> Result<String, ParseError> {
        let mut name = String::new();
        loop {
            if self.peek_kind() != TokenKind::Word {
                return Err(self.syntax_error());
            }
            let word = self.peek_text();
            name.push_str(word);
            self.advance();
            if word == "operator" && self.language == Language::Cpp {
                while self.peek_kind() == TokenKind::Punctuation && !self.sees("(") {
                    name.push_str(self.peek_text());
                    self.advance();
                }
            }
            if self.sees("<")
                && let Some(arguments) = self.attempt(|parser| parser.template_arguments())
            {
                name.push_str(&arguments);
            }
            // `~` starts the name of a destructor.
            let destructor =
                self.sees_at(self.at + 1, "~") && self.kind_at(self.at + 2) == TokenKind::Word;
            let braces = self.sees_at(self.at + 1, "{");
            let turbofish = self.rust() && self.sees_at(self.at + 1, "<");
            if !self.sees("::")
                || (self.kind_at(self.at + 1) != TokenKind::Word
                    && !destructor
                    && !braces
                    && !turbofish)
            {
                return Ok(name);
            }
            self.advance();
            if turbofish {
                let arguments = self.template_arguments()?;
                name.push_str(&arguments);
                if !self.accept("::") {
                    return Ok(name);
                }
            } else if braces {
                // `{closure#0}`, `{impl#1}`, `{{closure}}`: parts of names that rustc invents.
                name.push_str("::");
                let start = self.peek().start;
                self.advance();
                while !self.sees("}") && self.peek_kind() != TokenKind::End {
                    self.advance();
                }
                self.expect("}")?;
                while self.accept("}") {}
                let end = self.tokens[self.at - 1].end;
                name.push_str(self.text.get(start..end).unwrap_or_default().trim_end());
                if !self.accept("::") {
                    return Ok(name);
                }
            }
            name.push_str("::");
            if destructor {
                name.push('~');
                self.advance();
            }
        }
    }

    /// `<…>` after a name, if it reads as template arguments and not as comparisons.
    fn template_arguments(&mut self) -> Result<String, ParseError> {
        let mut text = String::new();
        let mut open = 0usize;
        let mut previous_word = false;
        loop {
            let token = self.peek_text();
            let kind = self.peek_kind();
            let word = matches!(kind, TokenKind::Word | TokenKind::Number);
            match (kind, token) {
                (TokenKind::Word | TokenKind::Number | TokenKind::Character, _) => {
                    if word && previous_word {
                        text.push(' ');
                    }
                    text.push_str(token);
                }
                (TokenKind::Punctuation, "<") => {
                    open += 1;
                    text.push('<');
                }
                (TokenKind::Punctuation, ">" | ">>") => {
                    if token.len() > open {
                        return Err(self.syntax_error());
                    }
                    open -= token.len();
                    text.push_str(token);
                }
                (TokenKind::Punctuation, ",") => text.push_str(", "),
                (TokenKind::Punctuation, ";") => text.push_str("; "),
                (
                    TokenKind::Punctuation,
                    "::" | "*" | "&" | "(" | ")" | "[" | "]" | "-" | "->" | "=" | "{" | "}" | "#",
                ) => text.push_str(token),
                _ => return Err(self.syntax_error()),
            }
            previous_word = word;
            self.advance();
            if open == 0 {
                break;
            }
        }
        let follows = self.peek_kind() == TokenKind::End
            || [
                "::", ")", "*", "&", ",", "(", ">", "]", "}", "{", ";", ">>", "=",
            ]
            .iter()
            .any(|symbol| self.sees(symbol))
            || (self.rust() && self.sees_word("as"));
        if follows {
            Ok(text)
        } else {
            Err(self.syntax_error())
        }
    }

    /// The `>` of `static_cast<T>`.
    pub(super) fn close_angle(&mut self) -> Result<(), ParseError> {
        self.expect(">")
    }
}

/// The words of a basic type in the order and form in which compilers write them in DWARF.
fn basic_name(words: &[&str]) -> Option<String> {
    if words.is_empty() {
        return None;
    }
    let count = |word: &str| words.iter().filter(|found| **found == word).count();
    let (unsigned, signed, long) = (count("unsigned") > 0, count("signed") > 0, count("long"));
    for plain in [
        "void", "float", "_Bool", "bool", "wchar_t", "char8_t", "char16_t", "char32_t",
    ] {
        if count(plain) > 0 && count("_Complex") == 0 {
            return Some(plain.to_string());
        }
    }
    let name = if count("_Complex") > 0 || count("complex") > 0 {
        match (count("float") > 0, long) {
            (true, _) => "complex float",
            (_, 0) => "complex double",
            _ => "complex long double",
        }
    } else if count("double") > 0 {
        if long > 0 { "long double" } else { "double" }
    } else if count("char") > 0 {
        match (unsigned, signed) {
            (true, _) => "unsigned char",
            (_, true) => "signed char",
            _ => "char",
        }
    } else if count("__int128") > 0 {
        if unsigned {
            "__int128 unsigned"
        } else {
            "__int128"
        }
    } else if count("short") > 0 {
        if unsigned { "unsigned short" } else { "short" }
    } else if long >= 2 {
        if unsigned {
            "unsigned long long"
        } else {
            "long long"
        }
    } else if long == 1 {
        if unsigned { "unsigned long" } else { "long" }
    } else if unsigned {
        "unsigned int"
    } else {
        "int"
    };
    Some(name.to_string())
}
