//! One version of each foreign crate: members take theirs from the workspace, and what others bring in twice is known.

use std::collections::{BTreeMap, BTreeSet};

use super::figures::Figures;

/// Crates that `Cargo.lock` has in several versions, because foreign crates want different ones. All but syn, whose
/// users are procedural macros, come with the schema compiler of a test.
const SEVERAL: &[&str] = &[
    "hashbrown",
    "logos",
    "logos-codegen",
    "logos-derive",
    "syn",
    "unicode-width",
];

/// Complaints about the dependencies of the members, given as name and text of each manifest.
pub fn manifest_violations(manifests: &[(String, String)]) -> Vec<String> {
    let mut found = Vec::new();
    for (name, text) in manifests {
        let mut depends = false;
        for line in text.lines() {
            if line.starts_with('[') {
                depends = line.trim_end_matches(']').ends_with("dependencies");
            } else if depends && !line.contains("workspace") && line.contains('=') {
                let dependency = line.split(['=', '.']).next().unwrap_or_default().trim();
                found.push(format!(
                    "{name}: {dependency} does not take its version from the workspace"
                ));
            }
        }
    }
    found
}

/// Complaints about crates that `lock`, the text of `Cargo.lock`, has in several versions.
pub fn lock_violations(lock: &str, figures: &mut Figures) -> Vec<String> {
    held(lock, SEVERAL, figures)
}

fn held(lock: &str, known: &[&str], figures: &mut Figures) -> Vec<String> {
    let several = several(lock);
    let list: Vec<String> = several
        .iter()
        .map(|(name, versions)| format!("{name} {}", versions.join(" ")))
        .collect();
    figures.add("foreign crates in several versions", several.len());
    let mut found = Vec::new();
    for (name, text) in several.keys().zip(list) {
        if !known.contains(name) {
            found.push(format!(
                "Cargo.lock has several versions of one crate: {text}"
            ));
        }
    }
    for name in known {
        if !several.contains_key(name) {
            found.push(format!(
                "Cargo.lock has one version of {name}: take it off the list"
            ));
        }
    }
    found
}

/// The crates with more than one version, and these.
fn several(lock: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut name = "";
    for line in lock.lines() {
        let value = |key: &str| Some(line.strip_prefix(key)?.trim_matches('"'));
        if let Some(next) = value("name = ") {
            name = next;
        } else if let Some(version) = value("version = ").filter(|_| !name.is_empty()) {
            versions.entry(name).or_default().insert(version);
            name = "";
        }
    }
    versions
        .into_iter()
        .filter(|(_, versions)| versions.len() > 1)
        .map(|(name, versions)| (name, versions.into_iter().collect()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = "version = 4\n\
        [[package]]\nname = \"a\"\nversion = \"1.0.0\"\n\
        [[package]]\nname = \"b\"\nversion = \"1.0.0\"\n\
        [[package]]\nname = \"a\"\nversion = \"2.0.0\"\n";

    #[test]
    fn a_second_version_is_found() {
        let found = held(LOCK, &[], &mut Figures::default());
        assert_eq!(
            found,
            ["Cargo.lock has several versions of one crate: a 1.0.0 2.0.0"]
        );
    }

    #[test]
    fn what_is_known_passes_until_it_is_gone() {
        assert!(held(LOCK, &["a"], &mut Figures::default()).is_empty());
        let found = held(LOCK, &["a", "b"], &mut Figures::default());
        assert_eq!(
            found,
            ["Cargo.lock has one version of b: take it off the list"]
        );
    }

    #[test]
    fn a_version_of_ones_own_is_found() {
        let manifest = |text: &str| [("x/Cargo.toml".to_string(), text.to_string())];
        let right = "[package]\nname = \"x\"\n[dev-dependencies]\na.workspace = true\n\
                     b = { workspace = true, features = [\"c\"] }\n";
        assert_eq!(manifest_violations(&manifest(right)), [""; 0]);
        let wrong = "[dependencies]\na = \"1\"\n[target.x.dependencies]\nb = { path = \"../b\" }\n";
        let found = manifest_violations(&manifest(wrong));
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(
            found[0].starts_with("x/Cargo.toml: a does not"),
            "{found:?}"
        );
    }
}
