//! Which crate of the workspace may depend on which. Dependencies point one way: to plainer things.

use crate::failure::{Failure, failure};
use serde_json::Value;
use std::path::Path;

/// A crate, and those that it may use. A crate that is missing here has not been thought about.
const ALLOWED: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("calls", &[]),
    ("interleave", &["calls"]),
    ("runtime-abi", &["interleave"]),
    ("entrance", &["calls", "runtime-abi", "interleave"]),
    (
        "runtime",
        &["calls", "runtime-abi", "entrance", "interleave"],
    ),
    ("trace", &["calls", "model", "runtime-abi"]),
    ("sites", &["calls", "runtime-abi"]),
    ("replay", &["trace", "calls", "model", "runtime-abi"]),
    (
        "recorder",
        &["trace", "model", "runtime-abi", "sites", "replay", "ptrace"],
    ),
    ("ptrace", &["model"]),
    ("predicate", &[]),
    ("backend", &["model"]),
    ("fake-backend", &["backend", "predicate"]),
    ("protocol", &["backend"]),
    (
        "agent",
        &[
            "ptrace",
            "protocol",
            "backend",
            "predicate",
            "model",
            "recorder",
            "replay",
            "runtime-abi",
            "trace",
        ],
    ),
    ("symbols", &["model"]),
    ("expression", &["symbols", "predicate", "model"]),
    (
        "debugger",
        &[
            "symbols",
            "expression",
            "backend",
            "protocol",
            "predicate",
            "calls",
            "model",
        ],
    ),
    ("commands", &["debugger", "symbols", "expression", "model"]),
    ("repl", &["commands", "debugger"]),
    (
        "cli",
        &[
            "recorder",
            "replay",
            "sites",
            "symbols",
            "trace",
            "model",
            "runtime-abi",
            "agent",
            "commands",
            "debugger",
            "repl",
        ],
    ),
    ("sync", &[]),
    ("test-kit", &[]),
    ("xtask", &["runtime-abi"]),
    (
        "runtime-so",
        &["runtime", "entrance", "calls", "runtime-abi"],
    ),
];

/// Any crate may be tested with these: the kit, the agent run within the test, and what stands in for one.
const FOR_TESTS: &[&str] = &["test-kit", "agent", "fake-backend"];

/// One dependency on a crate of ours.
struct Edge {
    from: String,
    to: String,
    only_tests: bool,
}

/// Every edge of the metadata that the table does not allow, in words.
pub fn violations(metadata: &Value) -> Result<Vec<String>, Failure> {
    let packages = metadata["packages"]
        .as_array()
        .ok_or_else(|| failure("cargo metadata: no packages"))?;
    let mut found = Vec::new();
    for package in packages {
        let from = directory_name(package["manifest_path"].as_str().unwrap_or_default());
        let Some((_, allowed)) = ALLOWED.iter().find(|(name, _)| *name == from) else {
            found.push(format!(
                "crate {from} has no row in the table of allowed dependencies"
            ));
            continue;
        };
        for edge in edges(&from, package) {
            let fine = allowed.contains(&edge.to.as_str())
                || (edge.only_tests && FOR_TESTS.contains(&edge.to.as_str()));
            if !fine {
                found.push(format!("{} may not depend on {}", edge.from, edge.to));
            }
        }
    }
    Ok(found)
}

/// The dependencies of a package on crates of ours: those that are named by a path.
fn edges(from: &str, package: &Value) -> Vec<Edge> {
    let dependencies = package["dependencies"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    dependencies
        .iter()
        .filter_map(|dependency| {
            let path = Path::new(dependency["path"].as_str()?);
            Some(Edge {
                from: from.to_string(),
                to: path.file_name()?.to_string_lossy().into_owned(),
                only_tests: dependency["kind"].as_str() == Some("dev"),
            })
        })
        .collect()
}

/// `crates/trace/Cargo.toml` → `trace`
fn directory_name(manifest: &str) -> String {
    let directory = Path::new(manifest).parent().and_then(Path::file_name);
    directory
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn package(name: &str, dependencies: Value) -> Value {
        json!({"packages": [{
            "manifest_path": format!("/x/crates/{name}/Cargo.toml"),
            "dependencies": dependencies,
        }]})
    }

    #[test]
    fn an_edge_against_the_grain_is_found() {
        let wrong = package("model", json!([{"path": "/x/crates/trace", "kind": null}]));
        assert_eq!(
            violations(&wrong).unwrap(),
            ["model may not depend on trace"]
        );
    }

    #[test]
    fn allowed_edges_and_foreign_crates_pass() {
        let right = package(
            "trace",
            json!([{"path": "/x/crates/model", "kind": null}, {"name": "zstd", "kind": null}]),
        );
        assert!(violations(&right).unwrap().is_empty());
    }

    #[test]
    fn the_test_kit_is_for_tests_only() {
        let tests = package(
            "trace",
            json!([{"path": "/x/crates/test-kit", "kind": "dev"}]),
        );
        assert!(violations(&tests).unwrap().is_empty());
        let shipped = package(
            "trace",
            json!([{"path": "/x/crates/test-kit", "kind": null}]),
        );
        assert_eq!(violations(&shipped).unwrap().len(), 1);
    }

    #[test]
    fn an_unknown_crate_wants_a_row() {
        assert!(violations(&package("novelty", json!([]))).unwrap()[0].contains("no row"));
    }
}
