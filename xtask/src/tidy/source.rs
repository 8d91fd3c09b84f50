//! One Rust file as tidy sees it: its text with comments and strings told apart from code.

/// What is counted in a file.
#[derive(Default, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Unsafe blocks and unsafe implementations: each owes an argument.
    pub unsafe_code: usize,
    /// Comments that give one.
    pub safety_comments: usize,
    /// Tests that are switched off.
    pub ignored_tests: usize,
}

pub fn count(text: &str) -> Counts {
    let mut counts = Counts::default();
    for line in text.lines() {
        let (code, comment) = split_comment(line);
        if comment.contains("SAFETY") {
            counts.safety_comments += 1;
        }
        counts.unsafe_code += code.matches("unsafe {").count();
        counts.unsafe_code += code.matches("unsafe impl").count();
        let attribute = code.trim_start();
        if attribute.starts_with("#[ignore") {
            counts.ignored_tests += 1;
        }
    }
    counts
}

/// Splits a line at its `//`, unless that stands in a string; string contents are left out of the code.
pub fn split_comment(line: &str) -> (String, &str) {
    let mut code = String::new();
    let mut in_string = false;
    let mut characters = line.char_indices().peekable();
    while let Some((position, character)) = characters.next() {
        match character {
            '\\' if in_string => {
                characters.next();
            }
            '"' => in_string = !in_string,
            '/' if !in_string && line[position..].starts_with("//") => {
                return (code, &line[position..]);
            }
            _ if !in_string => code.push(character),
            _ => {}
        }
    }
    (code, "")
}

/// Lines of unsafe functions whose documentation does not say what the caller must see to.
pub fn functions_without_contract(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut has_contract = false;
    for (index, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        if trimmed.starts_with("///") {
            has_contract |= trimmed.contains("# Safety");
            continue;
        }
        // Attributes, and comments, may stand between the two.
        if trimmed.starts_with("#[") || trimmed.starts_with("//") {
            continue;
        }
        let is_unsafe = ["unsafe fn ", "unsafe extern \"C\" fn "]
            .iter()
            .any(|what| trimmed.starts_with(what) || trimmed.contains(&format!(" {what}")));
        if is_unsafe && is_item(trimmed) && !has_contract {
            found.push(index + 1);
        }
        has_contract = false;
    }
    found
}

/// Whether a line begins a function, and not a type or an expression that names one.
fn is_item(line: &str) -> bool {
    let before = line.split("unsafe ").next().unwrap_or_default().trim();
    before
        .split_whitespace()
        .all(|word| word == "const" || word.starts_with("pub"))
}

/// Whether the file begins by saying what it is for.
pub fn has_module_docs(text: &str) -> bool {
    text.starts_with("//!")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_comments_and_strings_are_no_code() {
        let counts = count("// unsafe { }\nlet text = \"unsafe { // SAFETY\";\n");
        assert_eq!(counts, Counts::default());
    }

    #[test]
    fn code_and_arguments_are_counted() {
        let counts =
            count("// SAFETY: fine.\nunsafe { f() }\nunsafe impl Send for X {}\n#[ignore]\n");
        assert_eq!(
            counts,
            Counts {
                unsafe_code: 2,
                safety_comments: 1,
                ignored_tests: 1
            }
        );
    }

    #[test]
    fn unsafe_functions_owe_a_contract() {
        let text = "/// # Safety\n/// As the caller.\n#[cold]\npub(crate) unsafe fn one() {}\n\
                    /// Does it.\nconst unsafe fn two() {}\n\
                    type F = unsafe extern \"C\" fn (u8);\nlet text = \"unsafe fn \";\n\
                        unsafe extern \"C\" fn three() {}\n";
        assert_eq!(functions_without_contract(text), [6, 9]);
    }

    #[test]
    fn an_escaped_quote_does_not_end_a_string() {
        assert_eq!(
            split_comment(r#"a("\" // x") // y"#),
            ("a() ".to_string(), "// y")
        );
    }
}
