//! Dependencies that nobody names: they cost everybody's time, and a reader looks for what they are for.

use serde_json::Value;
use std::path::Path;

use super::source;

/// Dependencies that do their work without being named, each with why.
const UNNAMED: &[(&str, &str)] = &[];

/// Complaints about the packages of `metadata`; `sources` are Rust files as name, from the root, and text.
pub fn violations(metadata: &Value, root: &Path, sources: &[(String, String)]) -> Vec<String> {
    let packages = metadata["packages"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let mut found = Vec::new();
    for package in packages {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
        let folder = manifest.parent().unwrap_or(manifest);
        let folder = folder.strip_prefix(root).unwrap_or(folder);
        let own: Vec<(&Path, &str)> = sources
            .iter()
            .filter_map(|(name, text)| {
                Some((Path::new(name).strip_prefix(folder).ok()?, text.as_str()))
            })
            .collect();
        let package_name = package["name"].as_str().unwrap_or_default();
        let dependencies = package["dependencies"].as_array();
        for dependency in dependencies.map_or(&[][..], Vec::as_slice) {
            let name = dependency["name"].as_str().unwrap_or_default();
            if UNNAMED.contains(&(package_name, name)) {
                continue;
            }
            let called = dependency["rename"]
                .as_str()
                .unwrap_or(name)
                .replace('-', "_");
            let kind = dependency["kind"].as_str();
            let is_named = own
                .iter()
                .any(|(path, text)| is_for(path, kind) && names(text, &called));
            if !is_named {
                found.push(format!(
                    "{}: {name} is a {}dependency that no source names",
                    folder.join("Cargo.toml").display(),
                    kind.map(|kind| format!("{kind} ")).unwrap_or_default(),
                ));
            }
        }
    }
    found
}

/// Whether a file of a package may use a dependency of this kind.
fn is_for(path: &Path, kind: Option<&str>) -> bool {
    match kind {
        Some("build") => path == Path::new("build.rs"),
        Some(_) => path != Path::new("build.rs"),
        None => path.starts_with("src"),
    }
}

/// Whether the code has the name as a word of its own.
fn names(text: &str, name: &str) -> bool {
    text.lines().any(|line| {
        let (code, _) = source::split_comment(line);
        let mut words = code.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        words.any(|word| word == name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn complaints(kind: Value, file: &str, text: &str) -> usize {
        let metadata = json!({"packages": [{
            "name": "x",
            "manifest_path": "/root/crates/x/Cargo.toml",
            "dependencies": [{"name": "some-thing", "rename": null, "kind": kind}],
        }]});
        let sources = [(file.to_string(), text.to_string())];
        violations(&metadata, Path::new("/root"), &sources).len()
    }

    #[test]
    fn a_planted_dependency_is_found() {
        assert_eq!(
            complaints(json!(null), "crates/x/src/lib.rs", "use other;\n"),
            1
        );
        assert_eq!(
            complaints(json!(null), "crates/x/src/lib.rs", "some_things::f();\n"),
            1
        );
        assert_eq!(
            complaints(json!(null), "crates/x/src/lib.rs", "// some_thing\n"),
            1
        );
    }

    #[test]
    fn a_dependency_that_is_named_passes() {
        let text = "use some_thing::f;\n";
        assert_eq!(complaints(json!(null), "crates/x/src/a/b.rs", text), 0);
        assert_eq!(complaints(json!("dev"), "crates/x/tests/t.rs", text), 0);
        assert_eq!(complaints(json!("build"), "crates/x/build.rs", text), 0);
    }

    #[test]
    fn tests_and_other_crates_are_no_reason_for_a_dependency() {
        let text = "use some_thing::f;\n";
        assert_eq!(complaints(json!(null), "crates/x/tests/t.rs", text), 1);
        assert_eq!(complaints(json!(null), "crates/y/src/lib.rs", text), 1);
        assert_eq!(complaints(json!("build"), "crates/x/src/lib.rs", text), 1);
    }
}
