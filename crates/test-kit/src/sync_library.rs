//! `wayfarer-sync` as a library for Rust debuggees.

use crate::build_once::{self, Key};
use crate::compile;
use crate::debuggee::workspace_directory;
use crate::failure::Failure;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

const LIBRARY: &str = "libwayfarer_sync.rlib";

/// The library, built again when a source has changed; nothing where there is no compiler.
pub fn build() -> Result<Option<PathBuf>, Failure> {
    let sources = workspace_directory().join("crates/sync/src");
    let Some(mut key) = Key::default().compiler("rustc")? else {
        return Ok(None);
    };
    let mut pending = vec![sources.clone()];
    while let Some(folder) = pending.pop() {
        let mut entries: Vec<PathBuf> = fs::read_dir(folder)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()?;
        entries.sort();
        for path in entries {
            if path.is_dir() {
                pending.push(path);
            } else {
                key = key.file(&path)?;
            }
        }
    }
    let folder = build_once::directory("sync-", &key, |site| {
        let mut command = Command::new("rustc");
        command
            .args(["--edition", "2024", "-O", "-g", "--crate-type", "rlib"])
            .args(["--crate-name", "wayfarer_sync", "-o"])
            .arg(site.fresh.join(LIBRARY))
            .arg(sources.join("lib.rs"));
        compile::run(&mut command)
    })?;
    Ok(Some(folder.join(LIBRARY)))
}
