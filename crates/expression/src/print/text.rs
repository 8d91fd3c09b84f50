//! Characters and strings, with gdb's escapes and its way of shortening runs.

/// A unit of a string: a character that can be shown, or a code that cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Character(char),
    /// A byte or code unit that is not a character.
    Code(u32),
    /// The first bytes of a UTF-8 sequence that the string cuts off.
    Incomplete(u8),
}

/// The size of a character and the letter before its literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CharacterKind {
    pub bytes: usize,
    pub prefix: &'static str,
    /// Rust writes escapes its own way.
    pub rust: bool,
}

impl CharacterKind {
    pub(crate) const C: CharacterKind = CharacterKind {
        bytes: 1,
        prefix: "",
        rust: false,
    };
    pub(crate) const RUST: CharacterKind = CharacterKind {
        bytes: 1,
        prefix: "",
        rust: true,
    };
}

/// `'a'`: the literal of one code.
pub(crate) fn character(code: u32, kind: CharacterKind) -> String {
    let unit = match kind.bytes {
        1 if code > 0x7f => Unit::Code(code & 0xff),
        _ => char::from_u32(code).map_or(Unit::Code(code), Unit::Character),
    };
    format!("{}'{}'", kind.prefix, escape(unit, '\'', kind))
}

/// A string of bytes as its literal, shortened. `more` says that there is text after the bytes.
pub(crate) fn string(
    bytes: &[u8],
    kind: CharacterKind,
    limit: usize,
    repeats: usize,
    more: bool,
) -> String {
    let (units, truncated) = decode(bytes, kind, limit);
    let mut pieces: Vec<String> = Vec::new();
    let mut quoted: Option<String> = None;
    let mut at = 0;
    while at < units.len() {
        let unit = units[at];
        let run = units[at..].iter().take_while(|next| **next == unit).count();
        if let Unit::Incomplete(_) = unit {
            pieces.extend(quoted.take().map(close));
            let rest: String = units[at..]
                .iter()
                .map(|unit| match unit {
                    Unit::Incomplete(byte) => format!("\\{byte:03o}"),
                    _ => String::new(),
                })
                .collect();
            pieces.push(format!("<incomplete sequence {rest}>"));
            break;
        }
        if run > repeats {
            pieces.extend(quoted.take().map(close));
            pieces.push(format!(
                "{}'{}' <repeats {run} times>",
                kind.prefix,
                escape(unit, '\'', kind)
            ));
            at += run;
            continue;
        }
        let text = quoted.get_or_insert_with(|| format!("{}\"", kind.prefix));
        text.push_str(&escape(unit, '"', kind));
        at += 1;
    }
    pieces.extend(quoted.take().map(close));
    if pieces.is_empty() {
        pieces.push(format!("{}\"\"", kind.prefix));
    }
    let ellipsis = if truncated || more { "..." } else { "" };
    format!("{}{ellipsis}", pieces.join(", "))
}

fn close(mut text: String) -> String {
    text.push('"');
    text
}

/// The units of a string, at most `limit`, and whether there were more.
fn decode(bytes: &[u8], kind: CharacterKind, limit: usize) -> (Vec<Unit>, bool) {
    let mut units = Vec::new();
    if kind.bytes != 1 {
        for chunk in bytes.chunks_exact(kind.bytes) {
            if units.len() == limit {
                return (units, true);
            }
            let mut wide = [0; 4];
            let length = chunk.len().min(4);
            wide[..length].copy_from_slice(&chunk[..length]);
            let code = u32::from_le_bytes(wide);
            units.push(char::from_u32(code).map_or(Unit::Code(code), Unit::Character));
        }
        return (units, false);
    }
    let mut at = 0;
    while at < bytes.len() {
        if units.len() == limit {
            return (units, true);
        }
        let rest = &bytes[at..bytes.len().min(at + 4)];
        let valid = match std::str::from_utf8(rest) {
            Ok(text) => text.chars().next(),
            Err(error) if error.valid_up_to() > 0 => {
                std::str::from_utf8(&rest[..error.valid_up_to()])
                    .ok()
                    .and_then(|text| text.chars().next())
            }
            Err(error) => {
                if error.error_len().is_none() && at + rest.len() == bytes.len() && !kind.rust {
                    units.extend(rest.iter().map(|byte| Unit::Incomplete(*byte)));
                    return (units, false);
                }
                None
            }
        };
        match valid {
            Some(character) => {
                units.push(Unit::Character(character));
                at += character.len_utf8();
            }
            None => {
                units.push(Unit::Code(u32::from(bytes[at])));
                at += 1;
            }
        }
    }
    (units, false)
}

fn escape(unit: Unit, quote: char, kind: CharacterKind) -> String {
    let octal = |code: u32| {
        if kind.rust {
            if code < 0x80 {
                format!("\\u{{{code:x}}}")
            } else {
                format!("\\x{code:02x}")
            }
        } else if kind.bytes > 1 && code > 0o777 {
            format!("\\x{code:x}")
        } else {
            format!("\\{code:03o}")
        }
    };
    let character = match unit {
        Unit::Code(code) => return octal(code),
        Unit::Incomplete(byte) => return octal(u32::from(byte)),
        Unit::Character(character) => character,
    };
    match character {
        '\\' => "\\\\".to_string(),
        _ if character == quote => format!("\\{quote}"),
        '\n' => "\\n".to_string(),
        '\t' => "\\t".to_string(),
        '\r' => "\\r".to_string(),
        '\0' if kind.rust => "\\0".to_string(),
        '\u{7}' if !kind.rust => "\\a".to_string(),
        '\u{8}' if !kind.rust => "\\b".to_string(),
        '\u{c}' if !kind.rust => "\\f".to_string(),
        '\u{b}' if !kind.rust => "\\v".to_string(),
        '\u{1b}' if !kind.rust => "\\033".to_string(),
        _ if character.is_control() => {
            if (character as u32) < 0x80 || kind.bytes > 1 || kind.rust {
                octal(character as u32)
            } else {
                character
                    .to_string()
                    .bytes()
                    .map(|byte| format!("\\{byte:03o}"))
                    .collect()
            }
        }
        _ => character.to_string(),
    }
}
