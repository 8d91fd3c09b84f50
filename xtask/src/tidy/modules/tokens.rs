//! The tokens of a Rust file that name things: comments, strings and code of tests are left out.

/// One token: an identifier, `::`, or another character by itself.
pub type Token = String;

/// The tokens of `text`, without those of items that only tests have.
pub fn of(text: &str) -> Vec<Token> {
    without_tests(&all(text))
}

fn all(text: &str) -> Vec<Token> {
    let characters: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut position = 0;
    while let Some(&character) = characters.get(position) {
        let rest = &characters[position..];
        position += match character {
            '/' if rest.get(1) == Some(&'/') => line_length(rest),
            '/' if rest.get(1) == Some(&'*') => comment_length(rest),
            '"' => string_length(rest),
            'r' | 'b' | 'c' if literal_prefix(rest) > 0 => {
                let prefix = literal_prefix(rest);
                match rest[prefix] {
                    '#' => raw_string_length(rest, prefix),
                    '"' if rest[..prefix].contains(&'r') => raw_string_length(rest, prefix),
                    '"' => prefix + string_length(&rest[prefix..]),
                    _ => prefix + character_length(&rest[prefix..]),
                }
            }
            '\'' => character_length(rest),
            _ if is_of_name(character) => {
                let length = rest.iter().take_while(|c| is_of_name(**c)).count();
                tokens.push(rest[..length].iter().collect());
                length
            }
            ':' if rest.get(1) == Some(&':') => {
                tokens.push("::".to_string());
                2
            }
            _ if character.is_whitespace() => 1,
            _ => {
                tokens.push(character.to_string());
                1
            }
        };
    }
    tokens
}

fn is_of_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn line_length(rest: &[char]) -> usize {
    rest.iter().take_while(|c| **c != '\n').count()
}

fn comment_length(rest: &[char]) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        match (rest[at], rest.get(at + 1)) {
            ('/', Some('*')) => (depth, at) = (depth + 1, at + 2),
            ('*', Some('/')) => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// Length of a string with escapes, from its first quote.
fn string_length(rest: &[char]) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != '"' {
        at += if rest[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

/// How many characters of a prefix stand before a literal (`b'`, `c"`, `r#"`); 0: this is a name.
fn literal_prefix(rest: &[char]) -> usize {
    let length = rest.iter().take_while(|c| is_of_name(**c)).count();
    let is_raw = rest[..length].contains(&'r');
    match rest.get(length) {
        Some('"') if length <= 2 => length,
        Some('\'') if length == 1 && rest[0] == 'b' => length,
        Some('#') if length <= 2 && is_raw && opens_raw_string(&rest[length..]) => length,
        _ => 0,
    }
}

fn opens_raw_string(rest: &[char]) -> bool {
    let hashes = rest.iter().take_while(|c| **c == '#').count();
    rest.get(hashes) == Some(&'"')
}

fn raw_string_length(rest: &[char], prefix: usize) -> usize {
    let hashes = rest[prefix..].iter().take_while(|c| **c == '#').count();
    let mut at = prefix + hashes + 1;
    while at < rest.len() {
        let closes = rest[at] == '"' && rest[at + 1..].iter().take(hashes).all(|c| *c == '#');
        at += 1;
        if closes {
            return at + hashes;
        }
    }
    at
}

/// Length of a character literal, or 1 for the quote of a lifetime.
fn character_length(rest: &[char]) -> usize {
    match (rest.get(1), rest.get(2)) {
        (Some('\\'), _) => {
            let end = rest.iter().skip(3).position(|c| *c == '\'');
            end.map_or(rest.len(), |end| end + 4)
        }
        (Some(_), Some('\'')) => 3,
        _ => 1,
    }
}

/// Leaves out each item after `#[cfg(test)]`, or after a longer condition that asks for tests.
fn without_tests(tokens: &[Token]) -> Vec<Token> {
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if is_test_attribute(&tokens[at..]) {
            at = end_of_item(tokens, at);
        } else {
            kept.push(tokens[at].clone());
            at += 1;
        }
    }
    kept
}

fn is_test_attribute(tokens: &[Token]) -> bool {
    let is = |at: usize, what: &str| tokens.get(at).is_some_and(|token| token == what);
    if !(is(0, "#") && is(1, "[") && is(2, "cfg")) {
        return false;
    }
    let inside = tokens.iter().take_while(|token| *token != "]");
    let inside: Vec<&str> = inside.map(String::as_str).collect();
    inside.contains(&"test") && !inside.contains(&"not")
}

/// The token after the item that begins at `at`, with its attributes.
fn end_of_item(tokens: &[Token], mut at: usize) -> usize {
    let mut depth = 0;
    while at < tokens.len() {
        let token = tokens[at].as_str();
        at += 1;
        match token {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" => depth -= 1,
            "}" => {
                depth -= 1;
                if depth == 0 {
                    return at;
                }
            }
            ";" if depth == 0 => return at,
            _ => {}
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_left_out() {
        let text = "a /* b /* c */ d */ \"e \\\" f\" // g\n'h' '\\n' r#\"i \" j\"# b\"k\" c\"l\" 'm: n::o b'p'";
        assert_eq!(of(text), ["a", "m", ":", "n", "::", "o"]);
    }

    #[test]
    fn items_of_tests_are_left_out() {
        let text = "use a::b;\n#[cfg(test)]\nmod tests { use c::d; fn e() { {} } }\n\
                    #[cfg(all(test, feature = \"model\"))]\nmod models;\nf();\n#[cfg(not(test))]\ng();";
        let names = of(text).into_iter();
        let names: Vec<_> = names.filter(|token| token.len() == 1).collect();
        assert!(names.contains(&"f".to_string()) && names.contains(&"g".to_string()));
        for left_out in ["c", "d", "e"] {
            assert!(!names.contains(&left_out.to_string()), "{left_out}");
        }
    }
}
