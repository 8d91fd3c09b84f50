//! Names as users write them: `unsigned long` for the compiler's `long unsigned int`,
//! `std::string` for the template it is, `std::vector<int>` without its default arguments.

/// Words of which C's integer types are made.
const INTEGER_WORDS: [&str; 6] = ["long", "short", "unsigned", "signed", "int", "char"];

/// Puts the words of C's integer types in the order in which gdb writes them.
pub(crate) fn canonical_words(name: &str) -> String {
    if name.starts_with("__int128") {
        return name.to_string();
    }
    if !name.contains("int") && !name.contains("unsigned") && !name.contains("signed") {
        return name.to_string();
    }
    let mut text = String::new();
    let mut words: Vec<&str> = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let end = rest
            .find(|character: char| !character.is_alphanumeric() && character != '_')
            .unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        if INTEGER_WORDS.contains(&word) {
            words.push(word);
            // A blank between two such words belongs to the type.
            let next = behind.strip_prefix(' ').unwrap_or(behind);
            let next_end = next
                .find(|character: char| !character.is_alphanumeric() && character != '_')
                .unwrap_or(next.len());
            if behind.starts_with(' ') && INTEGER_WORDS.contains(&&next[..next_end]) {
                rest = next;
                continue;
            }
            text.push_str(&integer(&words));
            words.clear();
            rest = behind;
            continue;
        }
        text.push_str(word);
        let mut characters = behind.chars();
        if let Some(character) = characters.next() {
            text.push(character);
        }
        rest = characters.as_str();
    }
    text
}

fn integer(words: &[&str]) -> String {
    let count = |wanted: &str| words.iter().filter(|word| **word == wanted).count();
    let unsigned = if count("unsigned") > 0 {
        "unsigned "
    } else {
        ""
    };
    if count("char") > 0 {
        let sign = if count("signed") > 0 {
            "signed "
        } else {
            unsigned
        };
        return format!("{sign}char");
    }
    match (count("short"), count("long")) {
        (1.., _) => format!("{unsigned}short"),
        (_, 2..) => format!("{unsigned}long long"),
        (_, 1) => format!("{unsigned}long"),
        _ => format!("{unsigned}int"),
    }
}

/// Templates of the library and how many arguments their users write.
const DEFAULTED: [(&str, usize); 16] = [
    ("std::vector", 1),
    ("std::deque", 1),
    ("std::__cxx11::list", 1),
    ("std::list", 1),
    ("std::forward_list", 1),
    ("std::set", 1),
    ("std::multiset", 1),
    ("std::map", 2),
    ("std::multimap", 2),
    ("std::unordered_set", 1),
    ("std::unordered_multiset", 1),
    ("std::unordered_map", 2),
    ("std::unordered_multimap", 2),
    ("std::unique_ptr", 1),
    ("std::stack", 1),
    ("std::queue", 1),
];

/// The library's string types.
const STRINGS: [(&str, &str); 5] = [
    ("char", "std::string"),
    ("wchar_t", "std::wstring"),
    ("char16_t", "std::u16string"),
    ("char32_t", "std::u32string"),
    ("char8_t", "std::u8string"),
];

/// How deep template arguments may nest.
const MAXIMUM_DEPTH: usize = 40;

/// A name with the library's aliases and without its default arguments.
pub(crate) fn library_aliases(name: &str) -> String {
    if !name.contains("std::") {
        return name.to_string();
    }
    rewrite(name, 0)
}

fn rewrite(name: &str, depth: usize) -> String {
    let Some(open) = name.find('<') else {
        return name.to_string();
    };
    if depth > MAXIMUM_DEPTH {
        return name.to_string();
    }
    let Some(close) = matching(name, open) else {
        return name.to_string();
    };
    // What stands before the template's own name: qualifiers, outer parts.
    let start = name[..open]
        .rfind(|character: char| {
            !character.is_alphanumeric() && character != '_' && character != ':'
        })
        .map_or(0, |at| at + 1);
    let (before, template) = (&name[..start], &name[start..open]);
    let mut arguments: Vec<String> = split(&name[open + 1..close])
        .into_iter()
        .map(|argument| rewrite(argument.trim(), depth + 1))
        .collect();
    let rest = rewrite(&name[close + 1..], depth + 1);
    if template.ends_with("basic_string") && template.starts_with("std::") {
        let alias = STRINGS
            .iter()
            .find(|(character, _)| arguments.first().is_some_and(|first| first == character));
        if let Some((_, alias)) = alias {
            return format!("{before}{alias}{rest}");
        }
    }
    if template == "std::basic_string_view"
        && arguments.first().is_some_and(|first| first == "char")
    {
        return format!("{before}std::string_view{rest}");
    }
    if let Some((_, kept)) = DEFAULTED.iter().find(|(known, _)| *known == template) {
        arguments.truncate(*kept);
    }
    let inner = arguments.join(", ");
    let blank = if inner.ends_with('>') { " " } else { "" };
    format!("{before}{template}<{inner}{blank}>{rest}")
}

/// The place of the bracket that closes the one at `open`.
fn matching(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate().skip(open) {
        match byte {
            b'<' | b'(' => depth += 1,
            b'>' | b')' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Splits at the commas that are not within brackets.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut depth = 0i32;
    let mut start = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'<' | b'(' => depth += 1,
            b'>' | b')' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integer_words_are_put_in_order() {
        assert_eq!(canonical_words("long unsigned int"), "unsigned long");
        assert_eq!(canonical_words("short int"), "short");
        assert_eq!(canonical_words("long long int"), "long long");
        assert_eq!(canonical_words("Fixed<short int, 3>"), "Fixed<short, 3>");
        assert_eq!(canonical_words("point"), "point");
        assert_eq!(canonical_words("unsigned char"), "unsigned char");
        assert_eq!(canonical_words("a::int_like<int>"), "a::int_like<int>");
    }

    #[test]
    fn default_arguments_are_left_out() {
        assert_eq!(
            library_aliases("std::vector<int, std::allocator<int> >"),
            "std::vector<int>"
        );
        assert_eq!(
            library_aliases(
                "const std::map<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, int, std::less<int>, A> *"
            ),
            "const std::map<std::string, int> *"
        );
        assert_eq!(
            library_aliases("std::pair<int, int>"),
            "std::pair<int, int>"
        );
        assert_eq!(library_aliases("std::broken<"), "std::broken<");
    }
}
