//! Bare numbers: a system call is named by a constant of `wayfarer_calls::Number`, which is made from its row in the
//! table; its number stands nowhere else.
//!
//! The type forbids most of it. What the compiler cannot see is looked for here: a number that is made from a literal,
//! one that is loaded into rax in assembly before a `syscall`, and a constant of somebody's own for a row of the table.

use super::figures::Figures;
use super::source;

/// The crates whose business the table itself is.
const OWNERS: &[&str] = &["calls", "xtask"];
/// Where the rows are.
const TABLE: &str = "crates/calls/src/list.rs";
/// Functions and macros whose first argument is the number of a call.
const TAKERS: &[&str] = &[
    "syscall0",
    "syscall1",
    "syscall2",
    "syscall3",
    "syscall4",
    "syscall5",
    "syscall6",
    "syscall",
    "syscall_interruptible",
    "Number::new",
    "Number::from",
];

/// Complaints about `files`, given as crate, name and text.
pub fn violations(files: &[(String, String, String)], figures: &mut Figures) -> Vec<String> {
    let table = files.iter().find(|(_, name, _)| name == TABLE);
    let rows = table.map_or_else(Vec::new, |(_, _, text)| rows(text));
    let mut found = Vec::new();
    if rows.is_empty() {
        found.push(format!("{TABLE} has no rows"));
    }
    let others = files
        .iter()
        .filter(|(owner, ..)| !OWNERS.contains(&owner.as_str()));
    let mut bare = 0;
    for (_, name, text) in others {
        for line in lines(text, &rows) {
            bare += 1;
            found.push(format!(
                "{name}:{line}: the bare number of a system call; name it by a constant of Number"
            ));
        }
    }
    figures.add("bare numbers of system calls", bare);
    found
}

/// Name and number of each row of the table.
fn rows(table: &str) -> Vec<(String, u32)> {
    let row = |line: &str| {
        let mut words = line.split_whitespace();
        let (name, number) = (words.next()?, words.next()?);
        let is_name = name
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
        is_name.then_some((name.to_string(), number.parse().ok()?))
    };
    table.lines().filter_map(row).collect()
}

/// The lines of a file that have a bare number.
fn lines(text: &str, rows: &[(String, u32)]) -> Vec<usize> {
    let mut found = arguments(text);
    found.extend(constants(text, rows));
    found.extend(assembly(text));
    found.sort_unstable();
    found.dedup();
    found
}

/// Literals as the first argument of what takes the number of a call.
fn arguments(text: &str) -> Vec<usize> {
    let code: String = text
        .lines()
        .flat_map(|line| [source::split_comment(line).0, "\n".to_string()])
        .collect();
    let mut found = Vec::new();
    for taker in TAKERS {
        for (at, _) in code.match_indices(&format!("{taker}(")) {
            let before = code[..at].chars().next_back();
            let whole = !before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
            let argument = code[at + taker.len() + 1..].trim_start();
            if whole && argument.starts_with(|letter: char| letter.is_ascii_digit()) {
                found.push(code[..at].matches('\n').count() + 1);
            }
        }
    }
    found
}

/// Constants that have the name of a row and its number.
fn constants(text: &str, rows: &[(String, u32)]) -> Vec<usize> {
    let is_row = |line: &str| {
        let (code, _) = source::split_comment(line);
        let declared = code.split_once("const ")?.1;
        let (name, value) = declared.split_once(':')?;
        let number: u32 = value
            .split_once("= ")?
            .1
            .trim_end_matches(';')
            .parse()
            .ok()?;
        let mut same = rows.iter();
        same.find(|row| row.0 == name && row.1 == number)
    };
    let numbered = text.lines().enumerate();
    numbered
        .filter(|(_, line)| is_row(line).is_some())
        .map(|(index, _)| index + 1)
        .collect()
}

/// Literals that are in rax when assembly makes a call.
fn assembly(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut loaded = None;
    for (index, line) in text.lines().enumerate() {
        let instruction = line
            .trim()
            .trim_start_matches('"')
            .trim_end_matches(['"', ',']);
        let value = ["mov eax, ", "mov rax, "]
            .iter()
            .find_map(|load| instruction.strip_prefix(load));
        if let Some(value) = value {
            let is_literal = value.starts_with(|letter: char| letter.is_ascii_digit());
            loaded = is_literal.then_some(index + 1);
        } else if instruction == "syscall" {
            found.extend(loaded.take());
        } else if instruction == "ret" {
            loaded = None;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &str = "    READ 0 63 emulate(1);\n    CLONE 56 220 special();\n    // not a row 3\n    FORK 57 - special();\n";

    #[test]
    fn rows_are_read() {
        let expected = [("READ", 0), ("CLONE", 56), ("FORK", 57)];
        let expected = expected.map(|(name, number)| (name.to_string(), number));
        assert_eq!(rows(ROWS), expected);
    }

    #[test]
    fn literals_of_callers_are_found() {
        let text = "raw::syscall1(3, fd);\n// syscall1(3)\nlog.syscall(\n    59, 0);\n\
                    Number::new(registers.rax); Number::from(9)\nmy_syscall(4); syscall2(Number::DUP, 1);\n";
        assert_eq!(arguments(text), [1, 3, 5]);
    }

    #[test]
    fn constants_for_rows_are_found() {
        let rows = rows(ROWS);
        let text = "const CLONE: usize = 56;\nconst READ: usize = 1;\npub const FORK: u64 = 57;\n\
                    const OTHER: u32 = 0;\n";
        assert_eq!(constants(text, &rows), [1, 3]);
    }

    #[test]
    fn literals_in_assembly_are_found() {
        let call = "\"mov eax, 11\",\n\"mov rdi, r12\",\n\"syscall\",\n";
        let named = "\"mov eax, {munmap}\",\n\"syscall\",\n";
        let result = "\"mov eax, 1\",\n\"ret\",\n\"syscall\",\n";
        let text = [call, named, result].concat();
        assert_eq!(assembly(&text), [1]);
    }

    #[test]
    fn the_table_may_have_them() {
        let file = |owner: &str, name: &str, text: &str| {
            (owner.to_string(), name.to_string(), text.to_string())
        };
        let files = [
            file("calls", TABLE, ROWS),
            file("trace", "seal.rs", "log.syscall(0, 1);\n"),
        ];
        let found = violations(&files, &mut Figures::default());
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("seal.rs:1: the bare number"));
    }
}
