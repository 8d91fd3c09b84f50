//! Puts what gdb sees behind Rust's pointers in the place of their addresses, where Wayfarer shows it.

use std::collections::HashMap;

/// How deep pointers are followed: a text may contain its own address.
const DEEPEST: usize = 12;

/// A pointer in a text.
#[derive(Debug, PartialEq)]
enum Token {
    Address,
    /// What it points to is shown.
    Followed,
    /// A slice: its elements are shown by both.
    Slice,
}

/// gdb's texts of a value in which the pointers that we follow are followed, if there are any.
pub fn expanded(gdb: &str, ours: &str, followed: &HashMap<String, Vec<String>>) -> Vec<String> {
    let ours = tokens_of_ours(ours);
    if !ours.contains(&Token::Followed) {
        return Vec::new();
    }
    let most = followed.values().map(Vec::len).max().unwrap_or(0);
    (0..most)
        .map(|choice| {
            let mut tokens = ours.iter();
            expand(gdb, &mut tokens, followed, choice, 0)
        })
        .collect()
}

/// Our text without the signs of references, behind which the expanded text has the same.
pub fn without_signs(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for (number, part) in text.split('"').enumerate() {
        if number > 0 {
            result.push('"');
        }
        // Every second part is quoted.
        if number % 2 == 1 {
            result.push_str(part);
        } else {
            result.push_str(&part.replace("&mut ", "").replace('&', ""));
        }
    }
    result
}

fn expand<'a>(
    gdb: &str,
    ours: &mut impl Iterator<Item = &'a Token>,
    followed: &HashMap<String, Vec<String>>,
    choice: usize,
    depth: usize,
) -> String {
    let mut result = String::new();
    let mut rest = gdb;
    while let Some((token, start, end)) = next_of_gdb(rest) {
        result.push_str(&rest[..start]);
        let text = &rest[start..end];
        let shown = ours.next();
        match followed.get(text) {
            Some(targets)
                if token == Token::Address
                    && shown == Some(&Token::Followed)
                    && depth < DEEPEST
                    && !targets.is_empty() =>
            {
                let target = &targets[choice.min(targets.len() - 1)];
                result.push_str(&expand(target, ours, followed, choice, depth + 1));
            }
            _ => result.push_str(text),
        }
        rest = &rest[end..];
    }
    result.push_str(rest);
    result
}

/// The first pointer in gdb's text and where it is.
fn next_of_gdb(text: &str) -> Option<(Token, usize, usize)> {
    let address = text.match_indices("0x").map(|(at, _)| {
        let digits = text[at + 2..].find(|letter: char| !letter.is_ascii_hexdigit());
        (
            Token::Address,
            at,
            digits.map_or(text.len(), |end| at + 2 + end),
        )
    });
    let is_slice = |at: &usize| {
        let rest = &text[*at..];
        let close = rest.find("](size=");
        let inner = rest.strip_prefix("&mut [").or(rest.strip_prefix("&["));
        inner.is_some() && close.is_some()
    };
    let slice = text
        .match_indices('&')
        .map(|(at, _)| at)
        .filter(is_slice)
        .map(|at| (Token::Slice, at, at + 1));
    address.chain(slice).min_by_key(|(_, start, _)| *start)
}

/// Whether a text goes on with a type that shows what it points to.
fn is_wrapper(before: &str, rest: &str) -> bool {
    let names = ["Box(", "Box<dyn>(", "Ref(", "RefMut("];
    !before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_')
        && names.iter().any(|name| rest.starts_with(name))
}

/// The pointers in our text, in their order.
fn tokens_of_ours(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut quoted = false;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let letter = rest.chars().next().unwrap_or_default();
        if letter == '"' {
            quoted = !quoted;
        } else if quoted {
            at += if letter == '\\' { 1 } else { 0 };
        } else if rest.starts_with("&[") || rest.starts_with("&mut [") {
            tokens.push(Token::Slice);
        } else if letter == '&' || is_wrapper(&text[..at], rest) {
            tokens.push(Token::Followed);
        } else if rest.starts_with("0x") {
            tokens.push(Token::Address);
        }
        at += letter.len_utf8();
    }
    tokens
}
