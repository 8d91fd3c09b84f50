//! Links in documents lead somewhere: to a file that is there, and to a heading in it. So do names of files in
//! backquotes, which may leave out the beginning of the path.

use std::collections::{BTreeMap, BTreeSet};

/// Kinds of files that a document names by path.
const NAMED: &[&str] = &[".rs", ".md", ".sh", ".toml", ".json", ".proto", ".py", ".c"];

/// Complaints about `documents`, given as name and text; `files` are the names of everything that is kept.
pub fn violations(documents: &[(String, String)], files: &BTreeSet<String>) -> Vec<String> {
    let anchors: BTreeMap<&str, BTreeSet<String>> = documents
        .iter()
        .map(|(name, text)| (name.as_str(), anchors(text)))
        .collect();
    let mut found = Vec::new();
    for (name, text) in documents {
        for (number, line) in prose(text) {
            for target in links(line) {
                if let Some(problem) = problem(name, target, files, &anchors) {
                    found.push(format!("{name}:{number}: {problem}"));
                }
            }
            for path in named_files(line) {
                if !is_somewhere(path, files) {
                    found.push(format!("{name}:{number}: no file is called {path}"));
                }
            }
        }
    }
    found
}

/// What is wrong with a link, if anything.
fn problem(
    from: &str,
    target: &str,
    files: &BTreeSet<String>,
    anchors: &BTreeMap<&str, BTreeSet<String>>,
) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = match target.split_once('#') {
        Some((path, anchor)) => (path, Some(anchor)),
        None => (target, None),
    };
    let path = if path.is_empty() {
        from.to_string()
    } else {
        resolve(from, path)
    };
    let folder = format!("{}/", path.trim_end_matches('/'));
    if !files.contains(&path) && !files.iter().any(|file| file.starts_with(&folder)) {
        return Some(format!("{target} leads nowhere"));
    }
    let headings = anchors.get(path.as_str())?;
    match anchor {
        Some(anchor) if !headings.contains(anchor) => {
            Some(format!("{path} has no heading for #{anchor}"))
        }
        _ => None,
    }
}

/// A path beside the document `from`, from the root.
fn resolve(from: &str, path: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The lines that are not in a fence, with their numbers.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().zip(1..).filter_map(move |(line, number)| {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            return None;
        }
        (!fenced).then_some((number, line))
    })
}

/// The targets of `[text](target)` in a line.
fn links(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find("](") {
        rest = &rest[at + 2..];
        let Some(end) = rest.find(')') else { break };
        found.push(rest[..end].split(' ').next().unwrap_or_default());
        rest = &rest[end..];
    }
    found
}

/// Paths in backquotes: what has a slash and the ending of a file, and no placeholder.
fn named_files(line: &str) -> impl Iterator<Item = &str> {
    let quoted = line.split('`').skip(1).step_by(2);
    quoted.filter(|word| {
        let is_path = |letter: char| letter.is_ascii_alphanumeric() || "/_-.".contains(letter);
        word.contains('/')
            && !word.starts_with(['/', '.', '~'])
            && word.chars().all(is_path)
            && !word
                .chars()
                .any(|letter| letter.is_ascii_uppercase() && !word.ends_with(".md"))
            && NAMED.iter().any(|ending| word.ends_with(ending))
    })
}

/// Whether a file has this path, or one that ends with it.
fn is_somewhere(path: &str, files: &BTreeSet<String>) -> bool {
    let below = format!("/{path}");
    files.contains(path) || files.iter().any(|file| file.ends_with(&below))
}

/// The anchors of a document's headings: small letters, blanks as hyphens, signs left out, and a number for a
/// heading that was there before.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (_, line) in prose(text) {
        let heading = line.trim_start_matches('#');
        if heading.len() == line.len() || !heading.starts_with(' ') {
            continue;
        }
        let slug: String = heading
            .trim()
            .to_lowercase()
            .chars()
            .filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter))
            .map(|letter| if letter == ' ' { '-' } else { letter })
            .collect();
        let taken = found.contains(&slug);
        let numbered = (1..).map(|number| format!("{slug}-{number}"));
        let free = numbered.into_iter().find(|name| !found.contains(name));
        found.insert(free.filter(|_| taken).unwrap_or(slug));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(text: &str) -> Vec<String> {
        let documents = [
            ("docs/a.md".to_string(), text.to_string()),
            (
                "README.md".to_string(),
                "# One thing\n## It's `so`\n## One thing\n".to_string(),
            ),
        ];
        let names = ["docs/a.md", "README.md", "crates/x/src/lib.rs"];
        let files = names.iter().map(|name| name.to_string()).collect();
        violations(&documents, &files)
    }

    #[test]
    fn links_that_lead_somewhere_pass() {
        let text = "[a](../README.md) [b](../README.md#its-so) [c](#head) [d](https://x.org/y)\n\
                    [e](../crates/x) [f](../README.md#one-thing-1)\n# Head\n";
        assert_eq!(complaints(text), [""; 0]);
    }

    #[test]
    fn dead_links_are_named_with_their_lines() {
        let found = complaints("fine\n[a](README.md)\n[b](../README.md#two)\n[c](#tail)\n");
        assert_eq!(
            found,
            [
                "docs/a.md:2: README.md leads nowhere",
                "docs/a.md:3: README.md has no heading for #two",
                "docs/a.md:4: docs/a.md has no heading for #tail",
            ]
        );
    }

    #[test]
    fn what_stands_in_a_fence_is_no_link() {
        assert_eq!(complaints("```\n[a](gone.md)\n```\n"), [""; 0]);
    }

    #[test]
    fn files_in_backquotes_may_be_named_by_their_end() {
        assert_eq!(
            complaints("`x/src/lib.rs` `src/NAME.rs` `/etc/x.c` `lib.rs`\n"),
            [""; 0]
        );
        assert_eq!(
            complaints("`y/src/lib.rs`\n"),
            ["docs/a.md:1: no file is called y/src/lib.rs"]
        );
    }
}
