//! Small parts of the argument grammar: formats, flags, lists of numbers, quoted words, trailing clauses.

/// `/8xb` in front of an argument: how often, the letter, the size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Format {
    pub count: Option<i64>,
    pub letter: Option<char>,
    pub size: Option<char>,
}

/// Letters that say how a value is shown.
const LETTERS: &str = "xduotacfszirm";
/// Letters that say how large a unit of memory is.
const SIZES: &str = "bhwg";

/// Takes `/FMT` off the front; the rest comes back without leading spaces.
pub fn split_format(text: &str) -> Result<(Format, &str), String> {
    let Some(rest) = text.strip_prefix('/') else {
        return Ok((Format::default(), text));
    };
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let (word, rest) = rest.split_at(end);
    let digits = word
        .find(|c: char| !c.is_ascii_digit() && c != '-')
        .unwrap_or(word.len());
    let (number, letters) = word.split_at(digits);
    let mut format = Format::default();
    if !number.is_empty() {
        format.count = Some(
            number
                .parse()
                .map_err(|_| format!("Invalid number \"{number}\"."))?,
        );
    }
    for letter in letters.chars() {
        if SIZES.contains(letter) {
            format.size = Some(letter);
        } else if LETTERS.contains(letter) {
            format.letter = Some(letter);
        } else {
            return Err(format!("Undefined output format \"{letter}\"."));
        }
    }
    Ok((format, rest.trim_start()))
}

/// The first word and what follows it.
pub fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    match text.find(char::is_whitespace) {
        Some(end) => (&text[..end], text[end..].trim_start()),
        None => (text, ""),
    }
}

/// Takes a flag such as `-tree` off the front.
pub fn take_flag<'a>(text: &'a str, flag: &str) -> Option<&'a str> {
    let (word, rest) = split_word(text);
    (word == flag).then_some(rest)
}

/// Splits at a word that stands alone outside quotes and brackets: `LOC if COND`.
pub fn split_at_word<'a>(text: &'a str, word: &str) -> Option<(&'a str, &'a str)> {
    let mut depth = 0_i32;
    let mut quote = None;
    let mut before_is_space = true;
    for (at, c) in text.char_indices() {
        match quote {
            Some(open) => {
                if c == open {
                    quote = None;
                }
            }
            None => match c {
                '"' => quote = Some(c),
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                _ => {
                    if depth == 0
                        && before_is_space
                        && let Some(rest) = text[at..].strip_prefix(word)
                        && (rest.is_empty() || rest.starts_with([' ', '\t', '(']))
                    {
                        return Some((text[..at].trim_end(), rest.trim_start()));
                    }
                }
            },
        }
        before_is_space = c.is_whitespace();
    }
    None
}

/// Splits at a separator outside quotes and brackets.
pub fn split_outside(text: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut depth = 0_i32;
    let mut quoted = false;
    let mut escaped = false;
    let mut start = 0;
    for (at, c) in text.char_indices() {
        if quoted {
            quoted = escaped || c != '"';
            escaped = !escaped && c == '\\';
            continue;
        }
        match c {
            '"' => quoted = true,
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ if c == separator && depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

/// Numbers and ranges: `1 3-5 8`.
pub fn number_list(text: &str) -> Result<Vec<u32>, String> {
    let bad = |word: &str| format!("Bad breakpoint argument: '{word}'");
    let mut numbers = Vec::new();
    for word in text.split([' ', '\t', ',']).filter(|word| !word.is_empty()) {
        match word.split_once('-') {
            Some((first, last)) => {
                let first: u32 = first.parse().map_err(|_| bad(word))?;
                let last: u32 = last.parse().map_err(|_| bad(word))?;
                if last < first || last - first > 100_000 {
                    return Err("inverted range".to_owned());
                }
                numbers.extend(first..=last);
            }
            None => numbers.push(word.parse().map_err(|_| bad(word))?),
        }
    }
    Ok(numbers)
}

/// Resolves the escapes of a C string (`\n`, `\t`, `\"`, `\\`, `\033`, `\x1b`).
pub fn unescape(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '\\' {
            result.push(c);
            continue;
        }
        match rest.next() {
            Some('n') => result.push('\n'),
            Some('t') => result.push('\t'),
            Some('r') => result.push('\r'),
            Some('a') => result.push('\u{7}'),
            Some('e') => result.push('\u{1b}'),
            Some('x') => {
                let mut value = 0_u32;
                while let Some(digit) = rest.peek().and_then(|c| c.to_digit(16)) {
                    value = (value << 4 | digit) & 0xff;
                    rest.next();
                }
                result.extend(char::from_u32(value));
            }
            Some(digit @ '0'..='7') => {
                let mut value = digit.to_digit(8).unwrap_or(0);
                for _ in 0..2 {
                    if let Some(digit) = rest.peek().and_then(|c| c.to_digit(8)) {
                        value = value << 3 | digit;
                        rest.next();
                    }
                }
                result.extend(char::from_u32(value));
            }
            Some(other) => result.push(other),
            None => {}
        }
    }
    result
}

/// A string in double quotes at the front; what follows it.
pub fn take_quoted(text: &str) -> Option<(&str, &str)> {
    let rest = text.trim_start().strip_prefix('"')?;
    let mut escaped = false;
    for (at, c) in rest.char_indices() {
        if !escaped && c == '"' {
            return Some((&rest[..at], rest[at + 1..].trim_start()));
        }
        escaped = !escaped && c == '\\';
    }
    None
}

/// Splits a command line as a shell would, without expansions.
pub fn shell_words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            ' ' | '\t' => words.extend(word.take()),
            '\\' => word.get_or_insert_default().extend(rest.next()),
            '\'' | '"' => {
                let into = word.get_or_insert_default();
                loop {
                    match rest.next() {
                        None => return Err(format!("Unmatched quote: {text}")),
                        Some(end) if end == c => break,
                        Some('\\') if c == '"' => into.extend(rest.next()),
                        Some(other) => into.push(other),
                    }
                }
            }
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats() {
        let (format, rest) = split_format("/8xb &buffer").unwrap();
        assert_eq!(
            format,
            Format {
                count: Some(8),
                letter: Some('x'),
                size: Some('b')
            }
        );
        assert_eq!(rest, "&buffer");
        assert_eq!(split_format("x+1").unwrap(), (Format::default(), "x+1"));
        assert_eq!(split_format("/i").unwrap().0.letter, Some('i'));
        assert!(split_format("/q x").is_err());
    }

    #[test]
    fn clauses_stand_outside_quotes_and_brackets() {
        assert_eq!(
            split_at_word("f.c:12 if a == \"if\"", "if"),
            Some(("f.c:12", "a == \"if\""))
        );
        assert_eq!(split_at_word("f if(x)", "if"), Some(("f", "(x)")));
        assert_eq!(split_at_word("iffy", "if"), None);
        assert_eq!(split_at_word("f<a if b>(c on d)", "on"), None);
        assert_eq!(
            split_at_word("main on worker.*", "on"),
            Some(("main", "worker.*"))
        );
    }

    #[test]
    fn lists() {
        assert_eq!(number_list("1 3-5, 8").unwrap(), [1, 3, 4, 5, 8]);
        assert!(number_list("5-3").is_err());
        assert!(number_list("x").is_err());
        assert_eq!(
            split_outside("\"a,b\", f(1,2), c", ','),
            ["\"a,b\"", "f(1,2)", "c"]
        );
    }

    #[test]
    fn strings() {
        assert_eq!(unescape("a\\tb\\n\\\"\\101\\x41"), "a\tb\n\"AA");
        assert_eq!(take_quoted("\"x\\\"y\", 1"), Some(("x\\\"y", ", 1")));
        assert_eq!(take_quoted("x"), None);
        assert_eq!(
            shell_words("a 'b c' \"d\\\"e\" f\\ g").unwrap(),
            ["a", "b c", "d\"e", "f g"]
        );
        assert!(shell_words("'a").is_err());
    }
}
