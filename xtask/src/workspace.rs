//! Where things lie in this workspace, and how its programs are built.

use crate::failure::{Failure, failure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the workspace.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Cargo, started in the root of the workspace.
pub fn cargo(words: &[&str]) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(words).current_dir(root());
    command
}

/// The directory that cargo builds into for the workspace of `manifest`.
pub fn target_directory(manifest: &Path) -> Result<PathBuf, Failure> {
    let metadata = metadata(manifest)?;
    metadata["target_directory"]
        .as_str()
        .map(PathBuf::from)
        .ok_or_else(|| failure("cargo metadata: no target_directory"))
}

/// What `cargo metadata` says about the packages of a workspace, without their dependencies' own.
pub fn metadata(manifest: &Path) -> Result<serde_json::Value, Failure> {
    let output = cargo(&[
        "metadata",
        "--no-deps",
        "--format-version",
        "1",
        "--manifest-path",
    ])
    .arg(manifest)
    .output()
    .map_err(|error| failure(format!("cargo metadata: {error}")))?;
    if !output.status.success() {
        return Err(failure(format!(
            "cargo metadata: {}",
            String::from_utf8_lossy(&output.stderr)
        )));
    }
    serde_json::from_slice(&output.stdout)
        .map_err(|error| failure(format!("cargo metadata: {error}")))
}

/// Runs a command in the foreground; its output is the terminal's.
pub fn run(command: &mut Command) -> Result<(), Failure> {
    let line = command_line(command);
    let status = command
        .status()
        .map_err(|error| failure(format!("{line}: {error}")))?;
    if status.success() {
        Ok(())
    } else {
        Err(failure(format!("failed ({status}): {line}")))
    }
}

/// A command as one would type it.
pub fn command_line(command: &Command) -> String {
    let mut line = command.get_program().to_string_lossy().into_owned();
    if let Some(name) = Path::new(&line).file_name() {
        line = name.to_string_lossy().into_owned();
    }
    for word in command.get_args() {
        line.push(' ');
        line.push_str(&word.to_string_lossy());
    }
    line
}

/// The `wayfarer` to test: the one named by the environment, else a fresh release build.
pub fn wayfarer() -> Result<PathBuf, Failure> {
    if let Some(named) = std::env::var_os("WAYFARER") {
        let path = PathBuf::from(named);
        return std::path::absolute(&path)
            .ok()
            .filter(|path| path.is_file())
            .ok_or_else(|| failure(format!("WAYFARER: no such file: {}", path.display())));
    }
    run(&mut cargo(&["build", "--release", "--quiet"]))?;
    let binary = target_directory(&root().join("Cargo.toml"))?.join("release/wayfarer");
    if binary.is_file() {
        Ok(binary)
    } else {
        Err(failure(format!(
            "cargo build --release left no {}",
            binary.display()
        )))
    }
}
