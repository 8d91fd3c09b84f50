//! `wayfarer-sync` as a library for Rust debuggees.

use crate::compile::build_directory;
use crate::debuggee::workspace_directory;
use crate::ensure;
use crate::failure::Failure;
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::process::Command;

/// The library, built again when a source has changed; nothing where there is no compiler.
pub fn build() -> Result<Option<PathBuf>, Failure> {
    let sources = workspace_directory().join("crates/sync/src");
    let mut hasher = DefaultHasher::new();
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
                fs::read(path)?.hash(&mut hasher);
            }
        }
    }
    let folder = build_directory()?.join(format!("sync-{:016x}", hasher.finish()));
    let library = folder.join("libwayfarer_sync.rlib");
    if library.exists() {
        return Ok(Some(library));
    }
    fs::create_dir_all(&folder)?;
    let fresh = folder.join(format!("fresh-{}.rlib", std::process::id()));
    let mut command = Command::new("rustc");
    command
        .args(["--edition", "2024", "-O", "-g", "--crate-type", "rlib"])
        .args(["--crate-name", "wayfarer_sync", "-o"])
        .arg(&fresh)
        .arg(sources.join("lib.rs"));
    let output = match command.output() {
        Ok(output) => output,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    ensure!(
        output.status.success(),
        "wayfarer-sync does not build:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    fs::rename(&fresh, &library)?;
    Ok(Some(library))
}
