//! Style as a test. Each rule is a pure function over texts in a file of its own; this one walks the tree.

mod bare;
mod columns;
mod edges;
mod figures;
mod functions;
mod kept;
mod lengths;
mod links;
mod messages;
mod modules;
mod rooms;
mod source;
mod unsafety;
mod unused;
mod versions;
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

/// `cargo x tidy --edges`
pub fn edges() -> Result<(), Failure> {
    let texts = texts(&workspace::root())?;
    print!("{}", rooms::text(&sources(&texts)));
    Ok(())
}

/// `cargo x tidy`
pub fn run() -> Result<(), Failure> {
    let root = workspace::root();
    let mut found = Vec::new();
    let mut figures = Figures::default();
    let texts = texts(&root)?;
    let sources = sources(&texts);
    for (name, text) in &texts {
        found.extend(words::violations(name, text));
    }
    for (_, name, text) in &sources {
        if !source::has_module_docs(text) {
            found.push(format!("{name} does not begin with //! and what it is for"));
        }
    }
    let kept = kept::files(&root)?;
    found.extend(kept::violations(&kept));
    figures.add("files", texts.len());
    figures.add("Rust files of ours", sources.len());
    found.extend(lengths::violations(&sources, &mut figures));
    found.extend(columns::violations(&sources, &mut figures));
    found.extend(bare::violations(&sources, &mut figures));
    found.extend(unsafety::violations(&sources, &mut figures));
    found.extend(rooms::violations(&sources, &mut figures));
    found.extend(messages::violations(&sources));
    found.extend(documents(&texts, &kept));
    found.extend(dependencies(&root, &texts, &mut figures)?);

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

/// Complaints about what the documents say and where they lead.
fn documents(texts: &[(String, String)], kept: &[(String, Vec<u8>)]) -> Vec<String> {
    let documents: Vec<(String, String)> = texts
        .iter()
        .filter(|(name, _)| name.ends_with(".md"))
        .cloned()
        .collect();
    let names = kept.iter().map(|(name, _)| name.clone()).collect();
    let mut found = links::violations(&documents, &names);
    let readme = documents.iter().find(|(name, _)| name == "README.md");
    let readme = readme.map_or("", |(_, text)| text);
    found.extend(words::readme_violations(readme));
    found
}

/// Complaints about which crate depends on which: ours on each other, and on others'.
fn dependencies(
    root: &Path,
    texts: &[(String, String)],
    figures: &mut Figures,
) -> Result<Vec<String>, Failure> {
    let metadata = workspace::metadata(&root.join("Cargo.toml"))?;
    let mut found = edges::violations(&metadata)?;
    let runtime_library = workspace::metadata(&root.join("runtime-so/Cargo.toml"))?;
    found.extend(edges::violations(&runtime_library)?);
    found.extend(unused::violations(&metadata, root, texts));
    found.extend(unused::violations(&runtime_library, root, texts));
    let manifests: Vec<(String, String)> = texts
        .iter()
        .filter(|(name, _)| name.ends_with("/Cargo.toml") && owner(name).is_some())
        .filter(|(name, _)| !name.starts_with("runtime-so/"))
        .cloned()
        .collect();
    found.extend(versions::manifest_violations(&manifests));
    let lock = root.join("Cargo.lock");
    let lock = fs::read_to_string(&lock).at("reading", &lock)?;
    found.extend(versions::lock_violations(&lock, figures));
    Ok(found)
}

/// The texts of the tree, as name from the root and text.
fn texts(root: &Path) -> Result<Vec<(String, String)>, Failure> {
    let mut paths = Vec::new();
    collect(root, &mut paths)?;
    let mut texts = Vec::new();
    for path in paths {
        let name = path.strip_prefix(root).unwrap_or(&path);
        let name = name.display().to_string();
        texts.push((name, fs::read_to_string(&path).at("reading", &path)?));
    }
    Ok(texts)
}

/// The Rust files that we wrote, as crate, name and text.
fn sources(texts: &[(String, String)]) -> Vec<(String, String, String)> {
    texts
        .iter()
        .filter(|(name, text)| name.ends_with(".rs") && !is_generated(text))
        .filter_map(|(name, text)| Some((owner(name)?, name.clone(), text.clone())))
        .collect()
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
