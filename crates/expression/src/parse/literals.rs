//! Numbers, characters and strings.

use crate::syntax::{IntegerSuffix, Language, Node};

/// The node of a number token, or what is wrong with it.
pub(super) fn number(text: &str, language: Language) -> Result<Node, String> {
    let invalid = || format!("Invalid number \"{text}\".");
    let plain: String = text
        .chars()
        .filter(|character| *character != '\'' && (*character != '_' || language != Language::Rust))
        .collect();
    let lower = plain.to_ascii_lowercase();
    let (radix, digits) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'o', ..] => (8, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        [b'0', b'0'..=b'9', ..] if language != Language::Rust && !lower.contains(['.', 'e']) => {
            (8, &lower[1..])
        }
        _ => (10, &lower[..]),
    };
    if radix == 16 && digits.contains(['.', 'p']) {
        return hexadecimal_float(digits).ok_or_else(invalid);
    }
    if radix == 10 && is_float(digits) {
        return float(digits).ok_or_else(invalid);
    }
    let end = digits
        .find(|character: char| !character.is_digit(radix))
        .unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    if digits.is_empty() {
        return Err(invalid());
    }
    let value = u128::from_str_radix(digits, radix)
        .map_err(|_| "Numeric constant too large.".to_string())?;
    if language == Language::Rust && matches!(suffix, "f32" | "f64") && radix == 10 {
        return Ok(Node::Float {
            value: value as f64,
            bytes: if suffix == "f32" { 4 } else { 8 },
        });
    }
    Ok(Node::Integer {
        value,
        suffix: integer_suffix(suffix).ok_or_else(invalid)?,
        decimal: radix == 10,
    })
}

/// C's and Rust's suffixes do not overlap, so both are understood everywhere.
fn integer_suffix(suffix: &str) -> Option<IntegerSuffix> {
    let c = |unsigned, long| Some(IntegerSuffix::C { unsigned, long });
    let rust = |bytes, signed| Some(IntegerSuffix::Rust { bytes, signed });
    match suffix {
        "" => Some(IntegerSuffix::None),
        "u" => c(true, 0),
        "l" => c(false, 1),
        "ll" => c(false, 2),
        "ul" | "lu" | "uz" | "zu" => c(true, 1),
        "ull" | "llu" => c(true, 2),
        "usize" => rust(0, false),
        "isize" => rust(0, true),
        _ => {
            let (signed, bits) = match suffix.split_at_checked(1)? {
                ("u", bits) => (false, bits),
                ("i", bits) => (true, bits),
                _ => return None,
            };
            match bits {
                "8" => rust(1, signed),
                "16" => rust(2, signed),
                "32" => rust(4, signed),
                "64" => rust(8, signed),
                "128" => rust(16, signed),
                _ => None,
            }
        }
    }
}

/// A point, an exponent, or Rust's `1f32`.
fn is_float(digits: &str) -> bool {
    digits.contains('.')
        || digits
            .find('e')
            .is_some_and(|at| at > 0 && digits[..at].bytes().all(|byte| byte.is_ascii_digit()))
}

fn float(text: &str) -> Option<Node> {
    let (digits, bytes) = if let Some(digits) = text.strip_suffix("f32") {
        (digits, 4)
    } else if let Some(digits) = text.strip_suffix("f64") {
        (digits, 8)
    } else if let Some(digits) = text.strip_suffix('f') {
        (digits, 4)
    } else if let Some(digits) = text.strip_suffix('l') {
        (digits, 16)
    } else {
        (text, 8)
    };
    Some(Node::Float {
        value: digits.parse().ok()?,
        bytes,
    })
}

fn hexadecimal_float(digits: &str) -> Option<Node> {
    let (mantissa, exponent) = digits.split_once('p')?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut value = 0.0;
    for digit in whole.chars() {
        value = value * 16.0 + f64::from(digit.to_digit(16)?);
    }
    let mut scale = 1.0 / 16.0;
    for digit in fraction.chars() {
        value += f64::from(digit.to_digit(16)?) * scale;
        scale /= 16.0;
    }
    let exponent: i32 = exponent.parse().ok()?;
    Some(Node::Float {
        value: value * f64::from(exponent.clamp(-2000, 2000)).exp2(),
        bytes: 8,
    })
}

/// The node of a quoted text with its prefix: a character or a string.
pub(super) fn quoted(text: &str, language: Language) -> Result<Node, String> {
    let quote = text
        .find(['"', '\''])
        .ok_or_else(|| "Unmatched single quote.".to_string())?;
    let prefix = text[..quote].trim_end_matches('#');
    let hashes = quote - prefix.len();
    let inner = text
        .get(quote + 1..text.len().saturating_sub(1 + hashes))
        .unwrap_or_default();
    let raw = language == Language::Rust && prefix.ends_with('r');
    let units = if raw {
        inner.chars().map(Unit::Character).collect()
    } else {
        unescape(inner)?
    };
    if text.as_bytes()[quote] == b'"' {
        return Ok(Node::Text(
            units.iter().flat_map(|unit| unit.bytes()).collect(),
        ));
    }
    let mut value = match units.as_slice() {
        [Unit::Byte(byte)] => u32::from(*byte),
        [Unit::Character(character)] => *character as u32,
        [] => return Err("Empty character constant.".to_string()),
        _ => return Err(format!("More than one character in {text}.")),
    };
    let bytes = match (prefix, language) {
        ("b", _) | ("u8", _) => 1,
        ("u", _) => 2,
        ("L" | "U", _) | (_, Language::Rust) => 4,
        // A character that does not fit in one byte has no other C type to take.
        _ if value > 0xff => 4,
        _ => 1,
    };
    if bytes == 1 {
        value &= 0xff;
    }
    Ok(Node::Character { value, bytes })
}

/// What one place of a literal stands for.
enum Unit {
    Byte(u8),
    Character(char),
}

impl Unit {
    fn bytes(&self) -> Vec<u8> {
        match self {
            Unit::Byte(byte) => vec![*byte],
            Unit::Character(character) => character.to_string().into_bytes(),
        }
    }
}

fn unescape(text: &str) -> Result<Vec<Unit>, String> {
    let invalid = || "Invalid escape sequence in expression.".to_string();
    let mut units = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        if character != '\\' {
            units.push(Unit::Character(character));
            continue;
        }
        let escaped = rest.next().ok_or_else(invalid)?;
        units.push(match escaped {
            'n' => Unit::Byte(b'\n'),
            't' => Unit::Byte(b'\t'),
            'r' => Unit::Byte(b'\r'),
            'a' => Unit::Byte(7),
            'b' => Unit::Byte(8),
            'f' => Unit::Byte(12),
            'v' => Unit::Byte(11),
            'e' => Unit::Byte(27),
            '0'..='7' => {
                let mut value = escaped.to_digit(8).unwrap_or(0);
                for _ in 0..2 {
                    if let Some(digit) = rest.peek().and_then(|next| next.to_digit(8)) {
                        value = value * 8 + digit;
                        rest.next();
                    }
                }
                Unit::Byte(value as u8)
            }
            'x' => {
                let mut value = 0;
                let mut digits = 0;
                while let Some(digit) = rest.peek().and_then(|next| next.to_digit(16)) {
                    if digits == 2 {
                        break;
                    }
                    value = value * 16 + digit;
                    digits += 1;
                    rest.next();
                }
                if digits == 0 {
                    return Err(invalid());
                }
                Unit::Byte(value as u8)
            }
            'u' => {
                let braces = rest.next_if_eq(&'{').is_some();
                let mut value = 0u32;
                let mut digits = 0;
                while let Some(digit) = rest.peek().and_then(|next| next.to_digit(16)) {
                    if digits == if braces { 6 } else { 4 } {
                        break;
                    }
                    value = value * 16 + digit;
                    digits += 1;
                    rest.next();
                }
                if braces && rest.next() != Some('}') {
                    return Err(invalid());
                }
                Unit::Character(char::from_u32(value).ok_or_else(invalid)?)
            }
            other => Unit::Character(other),
        });
    }
    Ok(units)
}
