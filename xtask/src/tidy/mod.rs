//! Style as a test. Each rule is a pure function over texts in a file of its own; this one walks the tree.

mod edges;
mod figures;
mod functions;
mod kept;
mod lengths;
mod modules;
mod rooms;
mod source;
mod unsafety;
mod words;

use crate::failure::{At, Failure, failure};
use crate::workspace;
use figures::Figures;
use std::fs;
use std::path::{Path, PathBuf};

/// Directories that hold no text of ours.
const SKIPPED: &[&str] = &["target", ".git", "corpus", "artifacts"];
/// Kinds of files whose words are looked at.
const TEXTS: &[&str] = &["rs", "md", "toml", "sh", "py", "c", "h", "S"];

/// `cargo x tidy`
pub fn run() -> Result<(), Failure> {
    let root = workspace::root();
    let mut found = Vec::new();
    let mut figures = Figures::default();
    found.extend(edges::violations(&workspace::metadata(
        &root.join("Cargo.toml"),
    )?)?);
    let runtime_library = root.join("runtime-so/Cargo.toml");
    if runtime_library.exists() {
        found.extend(edges::violations(&workspace::metadata(&runtime_library)?)?);
    }

    let mut paths = Vec::new();
    collect(&root, &mut paths)?;
    let mut sources = Vec::new();
    for path in &paths {
        let name = path
            .strip_prefix(&root)
            .unwrap_or(path)
            .display()
            .to_string();
        let text = fs::read_to_string(path).at("reading", path)?;
        found.extend(words::violations(&name, &text));
        let is_rust = path.extension().is_some_and(|extension| extension == "rs");
        if let Some(owner) = owner(&name).filter(|_| is_rust && !is_generated(&text)) {
            if !source::has_module_docs(&text) {
                found.push(format!("{name} does not begin with //! and what it is for"));
            }
            sources.push((owner, name, text));
        }
    }
    found.extend(kept::violations(&kept::files(&root)?));
    figures.add("files", paths.len());
    figures.add("Rust files of ours", sources.len());
    found.extend(lengths::violations(&sources, &mut figures));
    found.extend(unsafety::violations(&sources, &mut figures));
    found.extend(rooms::violations(&sources, &mut figures));
    let readme = root.join("README.md");
    found.extend(words::readme_violations(
        &fs::read_to_string(&readme).at("reading", &readme)?,
    ));

    if found.is_empty() {
        print!("{}", figures.text());
        return Ok(());
    }
    for violation in &found {
        eprintln!("tidy: {violation}");
    }
    Err(failure(format!(
        "tidy: {} things to put right",
        found.len()
    )))
}

/// Written by a tool: neither its length nor its comments are ours.
fn is_generated(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    first.contains("@generated")
}

/// The crate that a file belongs to; debuggees and programs of tests are specimens and belong to none.
fn owner(name: &str) -> Option<String> {
    if name.contains("/tests/programs/") {
        return None;
    }
    let mut parts = name.split('/');
    match (parts.next()?, parts.next()?) {
        ("crates", owner) => Some(owner.to_string()),
        (owner @ ("runtime-so" | "xtask"), _) => Some(owner.to_string()),
        _ => None,
    }
}

fn collect(directory: &Path, paths: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let mut entries: Vec<PathBuf> = fs::read_dir(directory)
        .at("reading", directory)?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            if !SKIPPED.contains(&name.as_ref()) {
                collect(&path, paths)?;
            }
        } else if path
            .extension()
            .is_some_and(|e| TEXTS.contains(&e.to_string_lossy().as_ref()))
        {
            paths.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_belong_to_their_crates() {
        assert_eq!(owner("crates/trace/src/lib.rs").as_deref(), Some("trace"));
        assert_eq!(
            owner("runtime-so/src/lib.rs").as_deref(),
            Some("runtime-so")
        );
        assert_eq!(owner("debuggees/echo/main.rs"), None);
    }
}
