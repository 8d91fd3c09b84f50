//! Finds the `wayfarer` under test.

use crate::compile::build_directory;
use crate::debuggee::workspace_directory;
use crate::failure::Failure;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The binary named by `WAYFARER`, or else the release build of this checkout, brought up to date
/// once per test run.
pub fn binary() -> Result<&'static Path, Failure> {
    static FOUND: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    match FOUND.get_or_init(|| find().map_err(|failure| failure.0)) {
        Ok(path) => Ok(path),
        Err(message) => Err(Failure(message.clone())),
    }
}

/// A `wayfarer` command with a small, fixed environment and its working directory at the root.
pub fn command() -> Result<Command, Failure> {
    let mut command = Command::new(binary()?);
    command.current_dir("/");
    fix_environment(&mut command);
    Ok(command)
}

/// What every recorded program sees; nothing that depends on how the tests were started.
pub fn fix_environment(command: &mut Command) {
    command
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("LANG", "C")
        .env("RUST_BACKTRACE", "0")
        // No test learns from another one which programs race.
        .env("XDG_STATE_HOME", "/dev/null");
    for name in ["HOME", "XDG_CACHE_HOME"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
}

fn find() -> Result<PathBuf, Failure> {
    if let Some(path) = std::env::var_os("WAYFARER") {
        let path = PathBuf::from(path);
        crate::ensure!(path.is_file(), "WAYFARER={} is not a file", path.display());
        return Ok(path);
    }
    let directory = build_directory()?;
    let target = directory
        .parent()
        .ok_or_else(|| Failure("no target directory".into()))?
        .to_path_buf();
    // Nextest starts a process per test: only the first of a run builds, the others wait for it.
    let lock = File::create(directory.join("wayfarer.lock"))?;
    lock.lock()?;
    let run = std::env::var("NEXTEST_RUN_ID").unwrap_or_default();
    let stamp = directory.join("wayfarer.run");
    let program = target.join("release").join("wayfarer");
    if run.is_empty()
        || !program.exists()
        || !std::fs::read_to_string(&stamp).is_ok_and(|last| last == run)
    {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            .args(["build", "--release", "--quiet", "--package", "wayfarer"])
            .arg("--target-dir")
            .arg(&target)
            .current_dir(workspace_directory())
            .output()?;
        crate::ensure!(
            output.status.success(),
            "wayfarer does not build:\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
        std::fs::write(&stamp, run)?;
    }
    Ok(program)
}
