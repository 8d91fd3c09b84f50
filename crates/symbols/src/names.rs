//! Qualified names as users write them and as the debug information holds them.

/// A name without its generic or template arguments: `push<int>` is `push`.
pub(crate) fn without_arguments(name: &str) -> &str {
    let bytes = name.as_bytes();
    if bytes.last() != Some(&b'>') {
        return name;
    }
    // `operator>` and its kin end in brackets that open nothing; an instance of one is written
    // with a space before its arguments.
    if let Some(rest) = name.strip_prefix("operator")
        && !rest.starts_with(|first: char| first.is_alphanumeric() || first == '_')
    {
        let end = match rest.as_bytes().first() {
            // A conversion: the rest is a type.
            Some(b' ') => None,
            Some(b'<') => rest.find(" <"),
            _ => rest.find('<').map(|at| rest[..at].trim_end().len()),
        };
        return end.map_or(name, |end| &name[..8 + end]);
    }
    let mut depth = 0usize;
    for (at, byte) in bytes.iter().enumerate().rev() {
        match byte {
            b'>' if at > 0 && bytes[at - 1] == b'-' => {}
            b'>' => depth += 1,
            b'<' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    // A name that is all brackets (`<impl Display for u8>`) stays as it is.
                    return if at == 0 { name } else { &name[..at] };
                }
            }
            _ => {}
        }
    }
    name
}

/// The parts of a qualified name: `a::b<c::d>::e` is `a`, `b<c::d>`, `e`.
pub(crate) fn components(name: &str) -> Vec<&str> {
    let bytes = name.as_bytes();
    let mut parts = Vec::new();
    let mut start = 0;
    let mut depth = 0i32;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'o' if name[at..].starts_with("operator") && (at == 0 || bytes[at - 1] == b':') => {
                // The rest is an operator's name, brackets and all.
                let rest = &name[at + 8..];
                if !rest.starts_with(|first: char| first.is_alphanumeric() || first == '_') {
                    break;
                }
            }
            b'<' | b'(' | b'[' | b'{' => depth += 1,
            b'>' if at > 0 && bytes[at - 1] == b'-' => {}
            b'>' | b')' | b']' | b'}' => depth -= 1,
            b':' if depth <= 0 && bytes.get(at + 1) == Some(&b':') => {
                parts.push(&name[start..at]);
                at += 2;
                start = at;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    parts.push(&name[start..]);
    parts
}

/// A function name with a parameter list, taken apart: `f(int, char)`.
pub(crate) fn split_parameters(name: &str) -> (&str, Option<Vec<String>>) {
    let trimmed = name.trim_end();
    let body = trimmed.strip_suffix("const").map_or(trimmed, str::trim_end);
    if !body.ends_with(')') {
        return (trimmed, None);
    }
    let mut depth = 0usize;
    for (at, byte) in body.bytes().enumerate().rev() {
        match byte {
            b')' => depth += 1,
            b'(' => {
                depth -= 1;
                if depth == 0 {
                    let head = body[..at].trim_end();
                    // `operator()` itself, and `(anonymous namespace)` before a `::`.
                    if head.is_empty() || head.ends_with("operator") {
                        return (trimmed, None);
                    }
                    let inside = &body[at + 1..body.len() - 1];
                    return (head, Some(split_list(inside)));
                }
            }
            _ => {}
        }
    }
    (trimmed, None)
}

fn split_list(list: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut depth = 0i32;
    let mut start = 0;
    for (at, byte) in list.bytes().enumerate() {
        match byte {
            b'<' | b'(' | b'[' => depth += 1,
            b'>' | b')' | b']' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(plain_parameter(&list[start..at]));
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = plain_parameter(&list[start..]);
    if !(parts.is_empty() && (last.is_empty() || last == "void")) {
        parts.push(last);
    }
    parts
}

/// A parameter's type for comparisons in which spaces and the place of `const` do not count.
pub(crate) fn plain_parameter(text: &str) -> String {
    let spaced = text.replace('&', " & ").replace('*', " * ");
    let words = spaced.split_whitespace();
    words.filter(|word| *word != "const").collect()
}

/// For comparisons in which spaces do not count.
pub(crate) fn without_spaces(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Whether one component of a wanted name means one of a known name: the same, or the same but
/// for arguments that were not written.
pub(crate) fn component_matches(wanted: &str, known: &str) -> bool {
    if wanted == known {
        return true;
    }
    if without_arguments(wanted).len() == wanted.len() {
        return wanted == without_arguments(known);
    }
    without_spaces(wanted) == without_spaces(known)
}

/// Components of known names that users never write.
pub(crate) fn is_transparent(component: &str) -> bool {
    component.is_empty()
        || component == ANONYMOUS
        || component.starts_with("{impl#")
        || component == "__cxx11"
        || component == "__1"
}

/// How gdb writes a namespace without a name.
pub(crate) const ANONYMOUS: &str = "(anonymous namespace)";

/// Whether the wanted components are the end of a known path, given innermost first.
pub(crate) fn path_matches<'known>(
    wanted: &[&str],
    known: impl Iterator<Item = &'known str>,
) -> bool {
    let mut known = known;
    for wanted in wanted.iter().rev() {
        loop {
            let Some(candidate) = known.next() else {
                return false;
            };
            if component_matches(wanted, candidate) {
                break;
            }
            if !is_transparent(candidate) {
                return false;
            }
        }
    }
    true
}

/// A hash that stays the same between runs and versions (FNV-1a).
pub(crate) fn hash(bytes: &[u8]) -> u32 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in bytes {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    (hash ^ (hash >> 32)) as u32
}

/// How far two names are apart: insertions, deletions, replacements and swaps of neighbours;
/// `None` if more than `most`.
pub(crate) fn distance(left: &str, right: &str, most: usize) -> Option<usize> {
    let left: Vec<char> = left.chars().collect();
    let right: Vec<char> = right.chars().collect();
    if left.len().abs_diff(right.len()) > most || left.len() > 512 || right.len() > 512 {
        return None;
    }
    let mut before: Vec<usize> = vec![0; right.len() + 1];
    let mut previous: Vec<usize> = (0..=right.len()).collect();
    let mut current = previous.clone();
    for i in 1..=left.len() {
        current[0] = i;
        for j in 1..=right.len() {
            let cost = usize::from(left[i - 1] != right[j - 1]);
            let mut best = (previous[j] + 1)
                .min(current[j - 1] + 1)
                .min(previous[j - 1] + cost);
            if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            current[j] = best;
        }
        if current.iter().min().is_none_or(|least| *least > most) {
            return None;
        }
        std::mem::swap(&mut before, &mut previous);
        std::mem::swap(&mut previous, &mut current);
    }
    Some(previous[right.len()]).filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_cut_off() {
        assert_eq!(without_arguments("push<int>"), "push");
        assert_eq!(without_arguments("f<a<b>, fn() -> c>"), "f");
        assert_eq!(without_arguments("operator->"), "operator->");
        assert_eq!(without_arguments("operator<< <char>"), "operator<<");
        assert_eq!(without_arguments("operator()<int>"), "operator()");
        assert_eq!(without_arguments("operator>><int>"), "operator>>");
        assert_eq!(
            without_arguments("operator vector<int>"),
            "operator vector<int>"
        );
        assert_eq!(without_arguments("<impl X for Y>"), "<impl X for Y>");
        assert_eq!(without_arguments("plain"), "plain");
        assert_eq!(without_arguments(">"), ">");
    }

    #[test]
    fn paths_are_taken_apart() {
        assert_eq!(components("a::b<c::d>::e"), ["a", "b<c::d>", "e"]);
        assert_eq!(components("A::operator<"), ["A", "operator<"]);
        assert_eq!(components("::a"), ["", "a"]);
        assert_eq!(components("<x::Y as z::T>::f"), ["<x::Y as z::T>", "f"]);
    }

    #[test]
    fn parameters_are_taken_apart() {
        assert_eq!(
            split_parameters("f(int, std::map<a, b> &)"),
            ("f", Some(vec!["int".into(), "std::map<a,b>&".into()]))
        );
        assert_eq!(split_parameters("f(void)"), ("f", Some(vec![])));
        assert_eq!(split_parameters("A::operator()"), ("A::operator()", None));
        assert_eq!(split_parameters("f"), ("f", None));
    }

    #[test]
    fn the_end_of_a_path_matches() {
        let known = || ["push<int>", "vector<int>", "std"].into_iter();
        assert!(path_matches(&["push"], known()));
        assert!(path_matches(&["vector", "push"], known()));
        assert!(path_matches(&["std", "vector<int>", "push"], known()));
        assert!(!path_matches(&["list", "push"], known()));
        assert!(!path_matches(&["x", "std", "vector", "push"], known()));
        let known = ["fmt", "{impl#3}", "shape"].into_iter();
        assert!(path_matches(&["shape", "fmt"], known));
    }

    #[test]
    fn distances_are_counted() {
        assert_eq!(distance("main", "mian", 2), Some(1));
        assert_eq!(distance("main", "main", 2), Some(0));
        assert_eq!(distance("main", "brain", 2), Some(2));
        assert_eq!(distance("main", "unrelated", 2), None);
        assert_eq!(distance("", "ab", 2), Some(2));
    }
}
