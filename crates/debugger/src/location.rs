//! Locations, how they are typed, and the arguments of `break`: `LOCATION [thread N] [on SET] [if CONDITION]`.
//!
//! Requests take a [`Location`]. A front end that reads text parses it once; one that knows file and line makes it
//! without any text.

use std::fmt;
use std::str::FromStr;

use crate::{BreakpointSpec, DebuggerError, Result, Set};

/// A place in the source or the code; which addresses it stands for depends on the modules of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Location {
    /// Where the frame stands that the request is about.
    #[default]
    Here,
    /// `12`: in the default file.
    Line(u32),
    /// `+2`, `-1`: from the default line.
    Offset(i64),
    /// `file.c:12`.
    FileLine { file: String, line: u32 },
    /// `file.c:function`.
    FileFunction { file: String, function: String },
    /// `function`, `Class::method`, `crate::module::function`.
    Function(String),
    /// `*EXPRESSION`.
    Address(String),
}

impl Location {
    /// Reads a location as it is typed; nothing means here.
    pub fn parse(text: &str) -> Result<Location> {
        let text = text.trim();
        let wrong = |why: &str| DebuggerError::LocationSyntax(text.to_owned(), why.to_owned());
        if text.is_empty() {
            return Ok(Location::Here);
        }
        if let Some(expression) = text.strip_prefix('*') {
            let expression = expression.trim();
            return if expression.is_empty() {
                Err(wrong("an address is missing after *"))
            } else {
                Ok(Location::Address(expression.to_owned()))
            };
        }
        if text.starts_with(['+', '-']) && text[1..].bytes().all(|byte| byte.is_ascii_digit()) {
            let offset = if text.len() == 1 {
                format!("{text}1")
            } else {
                text.to_owned()
            };
            return offset
                .parse()
                .map(Location::Offset)
                .map_err(|_| wrong("the offset is too large"));
        }
        if text.bytes().all(|byte| byte.is_ascii_digit()) {
            return text
                .parse()
                .map(Location::Line)
                .map_err(|_| wrong("the line number is too large"));
        }
        if let Some((file, rest)) = split_file(text) {
            if file.is_empty() || rest.is_empty() {
                return Err(wrong(
                    "a file and a line or function are needed around the colon",
                ));
            }
            let file = unquote(file).to_owned();
            if rest.bytes().all(|byte| byte.is_ascii_digit()) {
                let line = rest
                    .parse()
                    .map_err(|_| wrong("the line number is too large"))?;
                return Ok(Location::FileLine { file, line });
            }
            return Ok(Location::FileFunction {
                file,
                function: unquote(rest).to_owned(),
            });
        }
        Ok(Location::Function(unquote(text).to_owned()))
    }
}

impl FromStr for Location {
    type Err = DebuggerError;

    fn from_str(text: &str) -> Result<Location> {
        Location::parse(text)
    }
}

/// As one would type it.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Here => Ok(()),
            Location::Line(line) => write!(f, "{line}"),
            Location::Offset(offset) => write!(f, "{offset:+}"),
            Location::FileLine { file, line } => write!(f, "{}:{line}", quoted(file)),
            Location::FileFunction { file, function } => write!(f, "{}:{function}", quoted(file)),
            Location::Function(name) => f.write_str(name),
            Location::Address(expression) => write!(f, "*{expression}"),
        }
    }
}

/// A file in quotes where its name would be read as something else.
fn quoted(file: &str) -> String {
    match file.contains(':') {
        true => format!("\"{file}\""),
        false => file.to_owned(),
    }
}

fn unquote(text: &str) -> &str {
    let text = text.trim();
    for quote in ['"', '\''] {
        if let Some(inner) = text
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote))
        {
            return inner;
        }
    }
    text
}

/// Splits at the first single colon (`::` belongs to a name) outside quotes, brackets and parentheses.
fn split_file(text: &str) -> Option<(&str, &str)> {
    let bytes = text.as_bytes();
    let (mut depth, mut quote, mut at) = (0i32, 0u8, 0usize);
    while at < bytes.len() {
        match bytes[at] {
            byte if quote != 0 => quote = if byte == quote { 0 } else { quote },
            byte @ (b'"' | b'\'') => quote = byte,
            b'(' | b'<' | b'[' | b'{' => depth += 1,
            b')' | b'>' | b']' | b'}' => depth -= 1,
            b':' if bytes.get(at + 1) == Some(&b':') => at += 1,
            b':' if depth <= 0 => return Some((text[..at].trim(), text[at + 1..].trim())),
            _ => {}
        }
        at += 1;
    }
    None
}

impl BreakpointSpec {
    /// Reads what stands after `break`: `LOCATION [thread N.M] [inferior N] [on SET] [if CONDITION]`.
    ///
    /// A bare `thread N` means a thread of process `current`.
    pub fn parse(text: &str, current: u32) -> Result<BreakpointSpec> {
        let mut spec = BreakpointSpec::default();
        let mut rest = text.trim();
        if let Some(at) = keyword(rest, "if") {
            let condition = rest[at + 2..].trim();
            if condition.is_empty() {
                return Err(DebuggerError::Usage(
                    "A condition is missing after \"if\".".to_owned(),
                ));
            }
            spec.condition = Some(condition.to_owned());
            rest = rest[..at].trim_end();
        }
        for word in ["on", "inferior", "thread"] {
            let Some(at) = keyword(rest, word) else {
                continue;
            };
            let set = rest[at + word.len()..].trim();
            let bare_thread = word == "thread" && set.bytes().all(|byte| byte.is_ascii_digit());
            spec.only = Some(if bare_thread {
                Set::parse(&format!("{current}.{set}"))?
            } else {
                Set::parse(set)?
            });
            rest = rest[..at].trim_end();
        }
        spec.location = Location::parse(rest)?;
        Ok(spec)
    }
}

/// Where a word stands by itself (followed by a blank, or for `if` by a parenthesis), outside quotes.
fn keyword(text: &str, word: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut quote = 0u8;
    for at in 0..bytes.len() {
        match bytes[at] {
            byte if quote != 0 => {
                if byte == quote {
                    quote = 0;
                }
                continue;
            }
            byte @ (b'"' | b'\'') => {
                quote = byte;
                continue;
            }
            _ => {}
        }
        let begins = at == 0 || bytes[at - 1].is_ascii_whitespace();
        if begins && bytes[at..].starts_with(word.as_bytes()) {
            match bytes.get(at + word.len()) {
                Some(byte) if byte.is_ascii_whitespace() || (word == "if" && *byte == b'(') => {
                    return Some(at);
                }
                None if word == "if" => return Some(at),
                _ => {}
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations() {
        let read = |text: &str| Location::parse(text).expect("parses");
        let function = |name: &str| Location::Function(name.to_owned());
        assert_eq!(read(""), Location::Here);
        assert_eq!(read("12"), Location::Line(12));
        assert_eq!(read("+3"), Location::Offset(3));
        assert_eq!(read("-"), Location::Offset(-1));
        assert_eq!(read("*0x401000"), Location::Address("0x401000".to_owned()));
        assert_eq!(read("*main + 4"), Location::Address("main + 4".to_owned()));
        assert_eq!(read("main"), function("main"));
        assert_eq!(read("Class::method"), function("Class::method"));
        assert_eq!(
            read("<T as core::fmt::Debug>::fmt"),
            function("<T as core::fmt::Debug>::fmt")
        );
        let line = Location::FileLine {
            file: "src/a b.rs".to_owned(),
            line: 7,
        };
        assert_eq!(read("\"src/a b.rs\":7"), line);
        let inside = Location::FileFunction {
            file: "a.cc".to_owned(),
            function: "ns::f(int)".to_owned(),
        };
        assert_eq!(read("a.cc:ns::f(int)"), inside);
        assert!(Location::parse("a.c:").is_err());
        for text in [
            "",
            "12",
            "+3",
            "-1",
            "*main + 4",
            "main",
            "a.c:7",
            "a.cc:ns::f(int)",
            "\"a:b.c\":7",
        ] {
            assert_eq!(read(text).to_string(), text);
        }
        assert!(Location::parse("99999999999").is_err());
    }

    #[test]
    fn arguments_of_break() {
        let function = |name: &str| Location::Function(name.to_owned());
        let spec = BreakpointSpec::parse("a.c:12 thread 2 if x > 1", 3).expect("parses");
        assert_eq!(spec.location.to_string(), "a.c:12");
        assert_eq!(spec.condition.as_deref(), Some("x > 1"));
        assert_eq!(spec.only.expect("a set").text(), "3.2");
        let spec = BreakpointSpec::parse("work on worker*,2.1 if(flag)", 1).expect("parses");
        assert_eq!(
            (spec.location, spec.condition.as_deref()),
            (function("work"), Some("(flag)"))
        );
        assert_eq!(spec.only.expect("a set").text(), "worker*,2.1");
        let spec = BreakpointSpec::parse("iffy", 1).expect("parses");
        assert_eq!(spec.location, function("iffy"));
        assert!(BreakpointSpec::parse("main if", 1).is_err());
    }
}
