//! How long the functions of a file are, read off its layout: rustfmt puts the end of a function below its beginning.

/// What may stand before `fn`.
const QUALIFIERS: &[&str] = &["pub", "const", "async", "unsafe", "extern"];

/// The lines of each function that has a body, from the one with `fn` to its closing brace.
pub fn lengths(text: &str) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (begin, line) in lines.iter().enumerate() {
        if let Some(indent) = function_indent(line) {
            found.extend(length(&lines[begin..], indent));
        }
    }
    found
}

/// How far a line is indented that begins a function.
fn function_indent(line: &str) -> Option<&str> {
    let code = line.trim_start();
    for word in code.split_whitespace() {
        if word == "fn" {
            return line.strip_suffix(code);
        }
        let is_qualifier = QUALIFIERS.iter().any(|name| {
            let rest = word.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('('))
        });
        // `extern "C"`, `pub(in crate::calls)`
        if !is_qualifier && !word.starts_with('"') && !word.ends_with(')') {
            return None;
        }
    }
    None
}

/// The length of the function that begins with the first of `lines`; nothing for a promise without a body.
fn length(lines: &[&str], indent: &str) -> Option<usize> {
    let first = lines.first()?.trim_end();
    if first.ends_with('}') {
        return Some(1);
    }
    if first.ends_with(';') {
        return None;
    }
    for (index, line) in lines.iter().enumerate().skip(1) {
        let Some(rest) = line.strip_prefix(indent) else {
            continue;
        };
        if rest.starts_with('}') {
            return Some(index + 1);
        }
        if rest.starts_with(')') && rest.trim_end().ends_with(';') {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_goes_from_its_name_to_its_brace() {
        let text = "/// Docs.\npub(crate) unsafe fn f(\n    a: u8,\n) -> u8 {\n    {\n        a\n    }\n}\n";
        assert_eq!(lengths(text), [7]);
    }

    #[test]
    fn functions_within_functions_count_as_well() {
        let text = "impl A {\n    fn outer() {\n        fn inner() {\n        }\n    }\n}\n";
        assert_eq!(lengths(text), [4, 2]);
    }

    #[test]
    fn one_line_is_one_and_promises_are_none() {
        let text = "trait A {\n    fn f();\n    fn g(\n        a: u8,\n    );\n    fn h() {}\n}\n";
        assert_eq!(lengths(text), [1]);
    }

    #[test]
    fn other_uses_of_the_word_are_not_functions() {
        assert!(lengths("let f: fn() = g;\n// fn x\n").is_empty());
        assert_eq!(lengths("extern \"C\" fn f() {\n}\n"), [2]);
    }
}
