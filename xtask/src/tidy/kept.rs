//! What the repository keeps is text that can be read: a program or a core file that got in by accident is named.

use crate::failure::{At, Failure};
use std::path::Path;
use std::process::Command;

/// More than the largest file that a tool writes for us.
const MOST: usize = 512 * 1024;

/// The files that git keeps below `root`, with their contents; none where this is not a checkout.
pub fn files(root: &Path) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let listed = Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(root)
        .output();
    let Ok(listed) = listed else {
        return Ok(Vec::new());
    };
    let mut files = Vec::new();
    for name in String::from_utf8_lossy(&listed.stdout).split('\0') {
        let path = root.join(name);
        // What was removed and not committed yet is still listed.
        if !name.is_empty() && path.is_file() {
            let bytes = std::fs::read(&path).at("reading", &path)?;
            files.push((name.to_string(), bytes));
        }
    }
    Ok(files)
}

pub fn violations(files: &[(String, Vec<u8>)]) -> Vec<String> {
    let mut found = Vec::new();
    for (name, bytes) in files {
        if std::str::from_utf8(bytes).is_err() {
            found.push(format!("{name} is not text; `git rm` it"));
        } else if bytes.len() > MOST {
            found.push(format!("{name} is longer than {MOST} bytes"));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_and_heaps_of_text_are_named() {
        let file = |name: &str, bytes: Vec<u8>| (name.to_string(), bytes);
        let files = [
            file("README.md", b"words".to_vec()),
            file("core", b"\x7fELF\xff".to_vec()),
            file("log", vec![b'a'; MOST + 1]),
        ];
        let found = violations(&files);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("core is not text"), "{found:?}");
        assert!(found[1].starts_with("log is longer"), "{found:?}");
    }
}
