//! When two printed values are the same.
//!
//! Texts that are equal after every address has been replaced by `ADDRESS` are the same value.
//! Otherwise their leaves are compared, because the printers of gdb's libraries and ours decorate
//! differently (`std::vector of length 3, capacity 4 = {…}`, `Vec(size=3) = {…}`,
//! `core::option::Option<u32>::Some(100)`, `Some(100)`):
//!
//! * field names (`x = 1`, `x: 1`), indices (`[0] = `), type names and paths before a brace, a
//!   bracket or `::`, sizes and capacities of containers are left out,
//! * numbers are compared as numbers, so that `2` is `2.0`; a character is its number
//!   (`120 'x'` is `120`),
//! * addresses are left out, with the `<symbol>` after them, but a null pointer is 0,
//! * where gdb shows the address of a reference and cannot say what is there, what we show after
//!   `&` is left out,
//! * strings are compared as they are; an enumerator by its last name,
//! * `<optimized out>` and other reasons in angle brackets are one leaf each, and a value all of
//!   whose members are missing for one reason is that reason.

/// Whether two texts, gdb's and ours, show the same value.
pub fn same(left: &str, right: &str) -> bool {
    let (left, right) = (mask_addresses(left), mask_addresses(right));
    if left == right || leaves(&left) == leaves(&right) {
        return true;
    }
    let is_missing = right.contains("<optimized out>") || right.contains("<not saved>");
    let is_failed = left == "<printer failed>"
        || left.contains("value has been optimized out>")
        || left.contains("(size=") && right.contains("data_ptr: <");
    if is_failed {
        return is_missing;
    }
    let plain = |text: &str| text.strip_prefix("@ADDRESS: ").unwrap_or(text).to_owned();
    let (left, right) = (plain(&left), plain(&right));
    left.contains("ADDRESS") && leaves(&left) == leaves(&without_references(&right))
}

/// Takes out what our references refer to: gdb shows the addresses only of Rust's, and of C++'s that
/// are members.
fn without_references(text: &str) -> String {
    let mut result = String::new();
    let mut skipping = None;
    let mut depth = 0;
    let mut quoted = false;
    for letter in text.chars() {
        match letter {
            '"' => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth -= 1,
            _ => {}
        }
        if let Some(outside) = skipping {
            let ends = !quoted && (depth < outside || letter == ',' && depth == outside);
            if !ends {
                continue;
            }
            skipping = None;
        } else if matches!(letter, '&' | '@') && !quoted {
            skipping = Some(depth);
            continue;
        }
        result.push(letter);
    }
    result
}

/// A function's name without spaces and, in C++, without the parameters that gdb adds where it cannot
/// read a name: `call(const std::function<int(int)> &, int)`.
pub fn function_name(name: &str) -> String {
    let name: String = name.replace(" const", "").split_whitespace().collect();
    if !name.ends_with(')') || name.ends_with("operator()") {
        return name;
    }
    let mut depth = 0;
    for (at, letter) in name.char_indices().rev() {
        match letter {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return name[..at].to_owned();
        }
    }
    name
}

/// Replaces hexadecimal addresses that are not null.
fn mask_addresses(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("0x") {
        let digits = rest[at + 2..]
            .find(|letter: char| !letter.is_ascii_hexdigit())
            .map_or(rest.len(), |end| at + 2 + end);
        result.push_str(&rest[..at]);
        let is_null = rest[at + 2..digits].bytes().all(|digit| digit == b'0');
        // C++ writes `@` before the address that a reference holds.
        let is_reference = result.ends_with('@');
        // Short hexadecimal numbers are values (`/x`, flags), not addresses.
        if is_null && !is_reference {
            result.push('0');
        } else if digits - at - 2 >= 6 || is_reference {
            result.push_str("ADDRESS");
        } else {
            result.push_str(&rest[at..digits]);
        }
        rest = &rest[digits..];
    }
    result.push_str(rest);
    result
}

#[derive(Debug, PartialEq)]
enum Leaf {
    Number(f64),
    Text(String),
    Word(String),
    Reason(String),
}

fn leaves(text: &str) -> Vec<Leaf> {
    let text = without_decoration(text);
    let mut leaves = Vec::new();
    let letters: Vec<char> = text.chars().collect();
    let mut at = 0;
    while at < letters.len() {
        let letter = letters[at];
        match letter {
            '"' | '\'' => {
                let end = closing(&letters, at);
                let inner: String = letters[at + 1..end].iter().collect();
                // A character follows its number; a string stands for itself.
                let mut inside = inner.chars();
                match (inside.next(), inside.next()) {
                    _ if letter == '"' => leaves.push(Leaf::Text(inner)),
                    _ if follows_its_number(&letters, at) => {}
                    (Some(only), None) => leaves.push(Leaf::Number(f64::from(u32::from(only)))),
                    _ => leaves.push(Leaf::Text(inner)),
                }
                at = end + 1;
            }
            '<' => {
                let end = matching(&letters, at);
                let inner: String = letters[at + 1..end.min(letters.len())].iter().collect();
                let is_generic = at > 0 && (is_name(letters[at - 1]) || letters[at - 1] == ':');
                let is_reason = inner.contains(' ') && !inner.contains('+');
                if inner == "synthetic pointer" {
                    // A pointer to what has no address.
                    leaves.push(Leaf::Reason("optimized out".into()));
                } else if is_reason && !is_generic && !inner.starts_with("repeats ") {
                    leaves.push(Leaf::Reason(inner));
                }
                at = end + 1;
            }
            '-' | '0'..='9' => {
                let end = word_end(&letters, at + 1);
                let word: String = letters[at..end].iter().collect();
                match number(&word) {
                    Some(number) => leaves.push(Leaf::Number(number)),
                    None => leaves.push(Leaf::Word(word)),
                }
                at = end;
            }
            letter if is_name(letter) => {
                let (start, end) = (at, word_end(&letters, at));
                let word: String = letters[start..end].iter().collect();
                at = end;
                if !is_decoration(&word, &letters[end..]) && !is_allocator(&letters[..start]) {
                    let last = word.rsplit("::").next().unwrap_or(&word);
                    leaves.push(Leaf::Word(last.to_owned()));
                }
            }
            _ => at += 1,
        }
    }
    if let Some(Leaf::Reason(_)) = leaves.first()
        && leaves.iter().all(|leaf| *leaf == leaves[0])
    {
        leaves.truncate(1);
    }
    leaves
}

/// Whether the character at this place is after its number: `120 'x'`.
fn follows_its_number(letters: &[char], at: usize) -> bool {
    at >= 2 && letters[at - 1] == ' ' && letters[at - 2].is_ascii_digit()
}

/// Whether a word only names what follows: a field, a type before its braces or its generic
/// parameters, an address.
fn is_decoration(word: &str, rest: &[char]) -> bool {
    if word == "ADDRESS" || word.ends_with("::") {
        return true;
    }
    if word.contains("::") && rest.first() == Some(&']') {
        return true;
    }
    let mut rest = rest.iter().skip_while(|letter| **letter == ' ');
    matches!(rest.next(), Some('=' | ':' | '{' | '(' | '[' | '<' | '!'))
}

/// Whether what follows says which allocator a container uses, which is not part of its value.
fn is_allocator(before: &[char]) -> bool {
    let name: Vec<char> = "alloc: ".chars().collect();
    before.ends_with(&name)
}

/// Takes out what printers of containers say about sizes.
fn without_decoration(text: &str) -> String {
    let mut text = without_casts(text);
    for pattern in ["(size=", "(len: ", "(strong="] {
        while let Some(at) = text.find(pattern) {
            let end = text[at..].find(')').map_or(text.len(), |end| at + end + 1);
            let start = text[..at]
                .rfind([' ', ',', '{'])
                .map_or(0, |start| start + 1);
            text.replace_range(start..end, "");
        }
    }
    for pattern in [", capacity ", "of length ", "with "] {
        while let Some(at) = text.find(pattern) {
            let after = at + pattern.len();
            let end = text[after..]
                .find(|letter: char| !letter.is_ascii_digit())
                .map_or(text.len(), |end| after + end);
            text.replace_range(at..end, "");
        }
    }
    for word in [" elements", " element", " containing", "get() ="] {
        text = text.replace(word, " =");
    }
    text
}

/// Takes out the type that gdb writes before a pointer: `(int *) 0`, `(const zoo::Dog &) @ADDRESS:`.
fn without_casts(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('(') {
        let end = rest[open..].find(')').map(|end| open + end);
        let is_cast = end.is_some_and(|end| {
            let inner = &rest[open + 1..end];
            inner.ends_with(['*', '&']) || inner.contains("(*") || inner.ends_with("* const")
        });
        match end {
            Some(end) if is_cast => {
                result.push_str(&rest[..open]);
                rest = rest[end + 1..].trim_start();
            }
            _ => {
                result.push_str(&rest[..=open]);
                rest = &rest[open + 1..];
            }
        }
    }
    result.push_str(rest);
    result
}

fn closing(letters: &[char], open: usize) -> usize {
    let mut at = open + 1;
    while at < letters.len() && letters[at] != letters[open] {
        at += if letters[at] == '\\' { 2 } else { 1 };
    }
    at.min(letters.len())
}

fn matching(letters: &[char], open: usize) -> usize {
    let mut depth = 0;
    for (at, letter) in letters.iter().enumerate().skip(open) {
        match letter {
            '<' => depth += 1,
            '>' if at > 0 && letters[at - 1] != '-' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    letters.len()
}

fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '&' || letter == '*'
}

/// The end of a number or a path; `::` belongs to it, a single colon does not.
fn word_end(letters: &[char], mut at: usize) -> usize {
    while at < letters.len() {
        let letter = letters[at];
        let is_path = letter == ':' && letters.get(at + 1) == Some(&':');
        let is_exponent = (letter == '+' || letter == '-') && at > 0 && letters[at - 1] == 'e';
        if is_path {
            at += 2;
        } else if is_name(letter) || letter == '.' || letter == '#' || is_exponent {
            at += 1;
        } else {
            break;
        }
    }
    at
}

fn number(word: &str) -> Option<f64> {
    if let Some(digits) = word.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16)
            .ok()
            .map(|value| value as f64);
    }
    word.parse().ok()
}
