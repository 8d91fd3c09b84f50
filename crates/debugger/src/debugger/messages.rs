//! `printf` and `dprintf`: a C format string over values of the program.

use wayfarer_expression::{Shape, evaluate, parse};

use super::At;
use crate::{DebuggerError, Result};

/// The longest string that `%s` follows.
const LONGEST_TEXT: usize = 64 << 10;

/// One piece of a format.
#[derive(Debug, PartialEq)]
enum Piece {
    Text(String),
    /// Flags and width, then the letter.
    Conversion {
        flags: String,
        width: usize,
        precision: Option<usize>,
        letter: char,
    },
}

impl At<'_> {
    /// Renders gdb's `printf FORMAT, ARGS…` from the text behind `printf`.
    pub fn printf(&mut self, text: &str) -> Result<String> {
        let (format, arguments) = split_format(text)?;
        self.format_printf(&format, &arguments)
    }

    /// Renders a format (escapes already read) with expressions for its conversions.
    pub(super) fn format_printf(&mut self, format: &str, arguments: &[String]) -> Result<String> {
        let pieces = pieces(format)?;
        let conversions = pieces
            .iter()
            .filter(|piece| matches!(piece, Piece::Conversion { .. }))
            .count();
        if conversions != arguments.len() {
            return Err(DebuggerError::Usage(
                "Wrong number of arguments for specified format-string".to_owned(),
            ));
        }
        let mut arguments = arguments.iter();
        let mut out = String::new();
        for piece in pieces {
            match piece {
                Piece::Text(text) => out.push_str(&text),
                Piece::Conversion {
                    flags,
                    width,
                    precision,
                    letter,
                } => {
                    let argument = arguments.next().map_or("", String::as_str);
                    let shown = self.converted(argument, letter, precision, &flags)?;
                    out.push_str(&pad(shown, &flags, width, letter));
                }
            }
        }
        Ok(out)
    }

    fn converted(
        &mut self,
        argument: &str,
        letter: char,
        precision: Option<usize>,
        flags: &str,
    ) -> Result<String> {
        let plain = |view: crate::view::ValueView| view.text;
        Ok(match letter {
            'd' | 'i' => self.evaluate(argument, Some("d")).map(plain)?,
            'u' => self.evaluate(argument, Some("u")).map(plain)?,
            'x' | 'X' | 'o' => {
                let text = self
                    .evaluate(argument, Some(if letter == 'o' { "o" } else { "x" }))
                    .map(plain)?;
                let bare = text.trim_start_matches("0x");
                let text = if flags.contains('#') {
                    text.clone()
                } else {
                    bare.to_owned()
                };
                if letter == 'X' {
                    text.to_uppercase()
                } else {
                    text
                }
            }
            'p' => format!("{:#x}", self.address_value(argument)?),
            'c' => {
                let code = self.address_value(argument)?;
                char::from_u32(code as u32)
                    .unwrap_or('\u{fffd}')
                    .to_string()
            }
            'f' | 'e' | 'g' => {
                let text = self.evaluate(argument, None).map(plain)?;
                match (text.parse::<f64>(), letter) {
                    (Ok(number), 'f') => format!("{number:.*}", precision.unwrap_or(6)),
                    (Ok(number), 'e') => format!("{number:.*e}", precision.unwrap_or(6)),
                    (Ok(number), _) => number.to_string(),
                    (Err(_), _) => {
                        return Err(DebuggerError::Usage(format!(
                            "Value of {argument} is not a number."
                        )));
                    }
                }
            }
            _ => {
                let text = self.text_of(argument)?;
                text.chars().take(precision.unwrap_or(usize::MAX)).collect()
            }
        })
    }

    /// What `%s` shows: a C string, or the printed value without its quotes.
    fn text_of(&mut self, argument: &str) -> Result<String> {
        let language = self.with_scene(|scene| wayfarer_expression::Scope::language(scene));
        let expression = parse(argument, language)
            .map_err(|error| DebuggerError::Expression(error.to_string()))?;
        let pointer = self.with_scene(|scene| {
            let value = evaluate(&expression, scene).ok()?;
            let is_text = match value.type_ref.shape() {
                Shape::Pointer { target, .. } => target.size() == Some(1),
                Shape::Array { element, .. } => element.size() == Some(1),
                _ => false,
            };
            let address = super::values::address(&value, scene).filter(|_| is_text)?;
            Some(scene.space.memory.read_text(address, LONGEST_TEXT))
        });
        if let Some(text) = pointer {
            return Ok(String::from_utf8_lossy(&text).into_owned());
        }
        let text = self.evaluate(argument, None)?.text;
        Ok(text
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'))
            .unwrap_or(&text)
            .to_owned())
    }
}

fn pad(text: String, flags: &str, width: usize, letter: char) -> String {
    let missing = width.saturating_sub(text.chars().count());
    if missing == 0 {
        return text;
    }
    let fill = " ".repeat(missing);
    if flags.contains('-') {
        text + &fill
    } else if flags.contains('0') && letter != 's' {
        match text.strip_prefix('-') {
            Some(digits) => format!("-{}{digits}", "0".repeat(missing)),
            None => "0".repeat(missing) + &text,
        }
    } else {
        fill + &text
    }
}

/// Splits `"format", a, b` and reads the escapes of the format.
pub(crate) fn split_format(text: &str) -> Result<(String, Vec<String>)> {
    let wrong = |why: &str| DebuggerError::Usage(why.to_owned());
    let text = text.trim();
    let inner = text
        .strip_prefix('"')
        .ok_or_else(|| wrong("Bad format string: it begins with a quotation mark."))?;
    let mut format = String::new();
    let mut characters = inner.char_indices();
    let rest = loop {
        match characters.next() {
            None => return Err(wrong("Bad format string, non-terminated '\"'.")),
            Some((at, '"')) => break &inner[at + 1..],
            Some((_, '\\')) => match characters.next().map(|(_, escape)| escape) {
                Some('n') => format.push('\n'),
                Some('t') => format.push('\t'),
                Some('r') => format.push('\r'),
                Some('a') => format.push('\u{7}'),
                Some('e') => format.push('\u{1b}'),
                Some('0') => format.push('\0'),
                Some(other) => format.push(other),
                None => return Err(wrong("Bad format string, non-terminated '\"'.")),
            },
            Some((_, other)) => format.push(other),
        }
    };
    let rest = rest.trim();
    if rest.is_empty() {
        return Ok((format, Vec::new()));
    }
    let rest = rest
        .strip_prefix(',')
        .ok_or_else(|| wrong("Invalid argument syntax: a comma is missing after the format."))?;
    Ok((format, split_arguments(rest)))
}

/// Splits at commas outside brackets and quotes.
fn split_arguments(text: &str) -> Vec<String> {
    let (mut out, mut depth, mut quote, mut piece) = (Vec::new(), 0i32, None, String::new());
    for character in text.chars() {
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (Some(_), _) => {}
            (None, '"') => quote = Some('"'),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, ',') if depth <= 0 => {
                out.push(std::mem::take(&mut piece).trim().to_owned());
                continue;
            }
            _ => {}
        }
        piece.push(character);
    }
    out.push(piece.trim().to_owned());
    out
}

fn pieces(format: &str) -> Result<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut characters = format.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '%' {
            text.push(character);
            continue;
        }
        if characters.next_if_eq(&'%').is_some() {
            text.push('%');
            continue;
        }
        let mut flags = String::new();
        while let Some(flag) = characters.next_if(|flag| "-+ #0".contains(*flag)) {
            flags.push(flag);
        }
        let mut number = || {
            let mut digits = String::new();
            while let Some(digit) = characters.next_if(char::is_ascii_digit) {
                digits.push(digit);
            }
            digits.parse().unwrap_or(0)
        };
        let width = number();
        let precision = match characters.next_if_eq(&'.') {
            Some(_) => {
                let mut digits = String::new();
                while let Some(digit) = characters.next_if(char::is_ascii_digit) {
                    digits.push(digit);
                }
                Some(digits.parse().unwrap_or(0))
            }
            None => None,
        };
        while characters
            .next_if(|size| "hlLqjzt".contains(*size))
            .is_some()
        {}
        match characters.next() {
            Some(letter) if "diuxXopcfegs".contains(letter) => {
                if !text.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut text)));
                }
                pieces.push(Piece::Conversion {
                    flags,
                    width,
                    precision,
                    letter,
                });
            }
            Some(letter) => {
                return Err(DebuggerError::Usage(format!(
                    "Unrecognized format specifier '{letter}' in printf"
                )));
            }
            None => {
                return Err(DebuggerError::Usage(
                    "Bad format string: it ends with %.".to_owned(),
                ));
            }
        }
    }
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_taken_apart() {
        let (format, arguments) = split_format(r#""a\t%5d %%\n", f(x, y), "p,q""#).expect("reads");
        assert_eq!(format, "a\t%5d %%\n");
        assert_eq!(arguments, ["f(x, y)", "\"p,q\""]);
        let found = pieces("%-08.3lf|").expect("reads");
        let wanted = Piece::Conversion {
            flags: "-0".to_owned(),
            width: 8,
            precision: Some(3),
            letter: 'f',
        };
        assert_eq!(found, [wanted, Piece::Text("|".to_owned())]);
        assert!(pieces("%y").is_err());
        assert!(split_format("no quotes").is_err());
        assert_eq!(pad("-5".to_owned(), "0", 4, 'd'), "-005");
    }
}
