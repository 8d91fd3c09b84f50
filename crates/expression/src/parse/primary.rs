//! Operands: literals, names, parentheses, and what stands before and after them.

use super::lexer::TokenKind;
use super::operators::ARGUMENT;
use super::{ParseError, Parser, literals};
use crate::syntax::{BinaryOperator, History, Language, Node, TypeSyntax, UnaryOperator};

/// What may follow `(name)` only if that is a cast: the start of an operand.
const CAST_OPERANDS: [TokenKind; 5] = [
    TokenKind::Word,
    TokenKind::Number,
    TokenKind::Text,
    TokenKind::Character,
    TokenKind::Dollar,
];

impl Parser<'_> {
    /// An operand with the operators before it.
    pub(super) fn unary(&mut self) -> Result<Node, ParseError> {
        self.deeper(|parser| parser.unary_inner())
    }

    fn unary_inner(&mut self) -> Result<Node, ParseError> {
        if self.peek_kind() == TokenKind::Word {
            return self.word_operator();
        }
        if self.peek_kind() != TokenKind::Punctuation {
            return self.postfix();
        }
        let operator = match self.peek_text() {
            "-" => UnaryOperator::Negate,
            "+" => UnaryOperator::Plus,
            "!" => UnaryOperator::Not,
            "~" => UnaryOperator::Complement,
            "*" => UnaryOperator::Dereference,
            "&" | "&&" => return self.address_of(),
            "++" => UnaryOperator::Increment,
            "--" => UnaryOperator::Decrement,
            "{" => return self.memory_at(),
            "(" => {
                return match self.attempt(|parser| parser.cast()) {
                    Some(node) => Ok(node),
                    None => self.postfix(),
                };
            }
            _ => return self.postfix(),
        };
        self.advance();
        Ok(Node::Unary(operator, Box::new(self.unary()?)))
    }

    fn address_of(&mut self) -> Result<Node, ParseError> {
        let twice = self.sees("&&");
        self.advance();
        if self.rust() {
            let _ = self.accept_word("mut");
            if self.sees_word("raw") && matches!(self.token_text(self.at + 1), "const" | "mut") {
                self.advance();
                self.advance();
            }
        }
        let mut node = Node::Unary(UnaryOperator::AddressOf, Box::new(self.unary()?));
        if twice {
            node = Node::Unary(UnaryOperator::AddressOf, Box::new(node));
        }
        Ok(node)
    }

    /// `{type} address`.
    fn memory_at(&mut self) -> Result<Node, ParseError> {
        self.expect("{")?;
        let syntax = self.type_syntax()?;
        self.expect("}")?;
        Ok(Node::At(syntax, Box::new(self.unary()?)))
    }

    /// Operators that are words, and operands that start with one.
    fn word_operator(&mut self) -> Result<Node, ParseError> {
        let word = self.peek_text();
        match word {
            "sizeof" | "alignof" | "_Alignof" if !self.rust() || self.sees_at(self.at + 1, "(") => {
                self.advance();
                let operand = match self.attempt(|parser| {
                    parser.expect("(")?;
                    let syntax = parser.type_syntax()?;
                    parser.expect(")")?;
                    parser.must_be_type(syntax)
                }) {
                    Some(node) => node,
                    None => self.unary()?,
                };
                Ok(match word {
                    "sizeof" => Node::SizeOf(Box::new(operand)),
                    _ => Node::AlignOf(Box::new(operand)),
                })
            }
            "static_cast" | "reinterpret_cast" | "const_cast" | "dynamic_cast"
                if self.sees_at(self.at + 1, "<") =>
            {
                self.advance();
                self.expect("<")?;
                let syntax = self.type_syntax()?;
                self.close_angle()?;
                self.expect("(")?;
                let operand = self.expression()?;
                self.expect(")")?;
                self.suffixes(Node::Cast(syntax, Box::new(operand)))
            }
            _ => {
                if self.starts_type()
                    && let Some(node) = self.attempt(|parser| parser.type_operand())
                {
                    return Ok(node);
                }
                self.postfix()
            }
        }
    }

    /// A type where an operand may stand, or its functional cast `int(x)`.
    fn type_operand(&mut self) -> Result<Node, ParseError> {
        let start = self.at;
        let syntax = self.type_syntax()?;
        // `T(x)` is taken for a function type by the type parser; a cast is what is meant.
        if let TypeSyntax::Function(result, _) = &syntax
            && !matches!(**result, TypeSyntax::Pointer(_))
        {
            let result = (**result).clone();
            self.at = start;
            let _ = self.type_specifiers()?;
            self.expect("(")?;
            let operand = self.expression()?;
            self.expect(")")?;
            return Ok(Node::Cast(result, Box::new(operand)));
        }
        Ok(Node::Type(syntax))
    }

    /// A type in parentheses that could be a variable is one unless it is known as a type.
    fn must_be_type(&self, syntax: TypeSyntax) -> Result<Node, ParseError> {
        match &syntax {
            TypeSyntax::Named {
                keyword: None,
                name,
            } if !super::types::is_basic(name, self.language) && !(self.is_type)(name) => {
                Ok(Node::Name(name.clone()))
            }
            _ => Ok(Node::Type(syntax)),
        }
    }

    /// `(type) operand`; fails, to be tried as parentheses, unless that is what it must be.
    fn cast(&mut self) -> Result<Node, ParseError> {
        if self.rust() {
            return Err(self.syntax_error());
        }
        self.expect("(")?;
        let syntax = self.type_syntax()?;
        self.expect(")")?;
        let certain = match &syntax {
            TypeSyntax::Named {
                keyword: None,
                name,
            } => super::types::is_basic(name, self.language) || (self.is_type)(name),
            TypeSyntax::Pointer(_) | TypeSyntax::Reference(_) => true,
            TypeSyntax::Array(..) | TypeSyntax::Function(..) => self.type_is_certain(&syntax),
            _ => true,
        };
        let starts_operand = CAST_OPERANDS.contains(&self.peek_kind())
            || self.sees("!")
            || self.sees("~")
            || (certain
                && ["(", "*", "&", "-", "+", "++", "--", "{", "&&"]
                    .iter()
                    .any(|symbol| self.sees(symbol)));
        if !starts_operand {
            // `(int)` alone is a type in parentheses.
            if certain && self.type_is_certain(&syntax) {
                return Ok(Node::Type(syntax));
            }
            return Err(self.syntax_error());
        }
        let operand = self.unary()?;
        Ok(Node::Cast(syntax, Box::new(operand)))
    }

    /// Whether the innermost name is known for a type, or marked as one.
    fn type_is_certain(&self, syntax: &TypeSyntax) -> bool {
        match syntax {
            TypeSyntax::Named { keyword, name } => {
                keyword.is_some()
                    || super::types::is_basic(name, self.language)
                    || (self.is_type)(name)
            }
            TypeSyntax::Pointer(inner)
            | TypeSyntax::Reference(inner)
            | TypeSyntax::RvalueReference(inner)
            | TypeSyntax::Array(inner, _)
            | TypeSyntax::Function(inner, _) => self.type_is_certain(inner),
            _ => true,
        }
    }

    fn postfix(&mut self) -> Result<Node, ParseError> {
        let node = self.primary()?;
        self.suffixes(node)
    }

    fn suffixes(&mut self, mut node: Node) -> Result<Node, ParseError> {
        let depth = self.depth;
        loop {
            if self.sees("[") {
                self.deepen()?;
                self.advance();
                node = self.subscript(node)?;
                self.expect("]")?;
            } else if self.sees("(") {
                self.deepen()?;
                self.advance();
                node = Node::Call(Box::new(node), self.arguments()?);
            } else if self.sees(".") || self.sees("->") {
                self.deepen()?;
                let arrow = self.sees("->");
                self.advance();
                let field = self.field_name()?;
                node = if arrow {
                    Node::Arrow(Box::new(node), field)
                } else {
                    Node::Field(Box::new(node), field)
                };
            } else if !self.rust() && (self.sees("++") || self.sees("--")) {
                self.deepen()?;
                let operator = if self.sees("++") {
                    BinaryOperator::Add
                } else {
                    BinaryOperator::Subtract
                };
                self.advance();
                node = Node::Postfix(operator, Box::new(node));
            } else {
                self.depth = depth;
                return Ok(node);
            }
        }
    }

    fn arguments(&mut self) -> Result<Vec<Node>, ParseError> {
        let mut arguments = Vec::new();
        if self.accept(")") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.deeper(|parser| parser.binary(ARGUMENT))?);
            if self.accept(")") {
                return Ok(arguments);
            }
            self.expect(",")?;
        }
    }

    fn field_name(&mut self) -> Result<String, ParseError> {
        match self.peek_kind() {
            TokenKind::Word => {
                // `object.Base::member` names the member of a base class.
                let mut name = self.peek_text().to_string();
                self.advance();
                while self.sees("::") && self.kind_at(self.at + 1) == TokenKind::Word {
                    self.advance();
                    name = format!("{name}::{}", self.peek_text());
                    self.advance();
                }
                Ok(name)
            }
            TokenKind::Number => {
                let name = self.peek_text().to_string();
                self.advance();
                Ok(name)
            }
            _ => Err(self.syntax_error()),
        }
    }

    fn primary(&mut self) -> Result<Node, ParseError> {
        let text = self.peek_text();
        match self.peek_kind() {
            TokenKind::Number => {
                let node = literals::number(text, self.language)
                    .map_err(|message| self.error(&message))?;
                self.advance();
                Ok(node)
            }
            TokenKind::Character
                if self.sees_at(self.at + 1, "::")
                    || (text.len() > 3 && literals::quoted(text, self.language).is_err()) =>
            {
                self.quoted_name()
            }
            TokenKind::Text | TokenKind::Character => {
                let mut node = literals::quoted(text, self.language)
                    .map_err(|message| self.error(&message))?;
                self.advance();
                // Adjacent strings are one.
                while let Node::Text(bytes) = &mut node
                    && self.peek_kind() == TokenKind::Text
                {
                    if let Ok(Node::Text(more)) = literals::quoted(self.peek_text(), self.language)
                    {
                        bytes.extend(more);
                    }
                    self.advance();
                }
                Ok(node)
            }
            TokenKind::Dollar => {
                self.advance();
                Ok(dollar(text))
            }
            TokenKind::Word => match text {
                "true" | "false" if self.language != Language::C || !(self.is_type)(text) => {
                    self.advance();
                    Ok(Node::Boolean(text == "true"))
                }
                _ => {
                    let name = self.path()?;
                    if self.rust() && self.sees("{") {
                        return self.structure_literal(name);
                    }
                    self.name_or_type(name)
                }
            },
            TokenKind::Punctuation if self.rust() && self.sees("[") => self.array_literal(),
            TokenKind::Punctuation if self.sees("(") => {
                self.advance();
                let node = self.expression()?;
                self.expect(")")?;
                Ok(node)
            }
            // `::name` is a name of the outermost namespace.
            TokenKind::Punctuation if self.sees("::") => {
                self.advance();
                Ok(Node::Name(self.path()?))
            }
            _ => Err(self.syntax_error()),
        }
    }

    /// A name followed by `*` and the end is a type: `whatis point *`.
    fn name_or_type(&mut self, name: String) -> Result<Node, ParseError> {
        let mut end = self.at;
        while self.sees_at(end, "*") || self.sees_at(end, "&") {
            end += 1;
        }
        let closes = self.kind_at(end) == TokenKind::End || self.sees_at(end, ")");
        if end > self.at && closes && !self.rust() {
            let mut syntax = TypeSyntax::Named {
                keyword: None,
                name,
            };
            while self.at < end {
                syntax = if self.sees("*") {
                    TypeSyntax::Pointer(Box::new(syntax))
                } else {
                    TypeSyntax::Reference(Box::new(syntax))
                };
                // The last token may be the end, which `advance` does not pass.
                self.at += 1;
            }
            return Ok(Node::Type(syntax));
        }
        Ok(Node::Name(name))
    }

    /// `'file.c'::name`, `'function'::name` or a name in quotes alone.
    fn quoted_name(&mut self) -> Result<Node, ParseError> {
        let text = self.peek_text();
        let name = text.trim_matches('\'').to_string();
        self.advance();
        if self.accept("::") {
            let inner = self.primary()?;
            return Ok(Node::Scoped(name, Box::new(inner)));
        }
        Ok(Node::Name(name))
    }
}

fn dollar(text: &str) -> Node {
    let name = &text[1..];
    if let Some(back) = name.strip_prefix('$') {
        if back.is_empty() {
            return Node::History(History::Last(1));
        }
        if let Ok(back) = back.parse() {
            return Node::History(History::Last(back));
        }
    }
    if name.is_empty() {
        return Node::History(History::Last(0));
    }
    match name.parse() {
        Ok(number) => Node::History(History::Absolute(number)),
        Err(_) => Node::Dollar(name.to_string()),
    }
}
