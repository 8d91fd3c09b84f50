//! gdb's side: one run with `dump.py`.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use wayfarer_test_kit::debuggee::debuggees_directory;
use wayfarer_test_kit::failure::{Failure, shorten};
use wayfarer_test_kit::process::{self, patience};
use wayfarer_test_kit::{ensure, wayfarer};

use crate::build::Built;
use crate::stack::{Frame, Stop};
use crate::table::Row;

/// Whether gdb with Python is there.
pub fn is_installed() -> bool {
    let mut command = Command::new("gdb");
    command.args(["-nx", "-batch", "-ex", "python print(6 * 7)"]);
    command
        .output()
        .is_ok_and(|output| String::from_utf8_lossy(&output.stdout).trim() == "42")
}

/// What gdb sees at the stops of a program; `None` where gdb itself crashes.
pub fn stops(row: &Row, built: &Built) -> Result<Option<Vec<Stop>>, Failure> {
    let directory = tempfile::tempdir()?;
    let json = directory.path().join("stops.json");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/live_gdb/dump.py");
    let mut command = Command::new("gdb");
    wayfarer::fix_environment(&mut command);
    command
        .current_dir("/")
        .args(["-nx", "-batch", "-x"])
        .arg(script)
        .arg("--args")
        .arg(&built.program)
        .args(&built.arguments)
        .env("LIVE_BREAKS", built.stops.join("\n"))
        .env("LIVE_STOPS", row.count.to_string())
        .env("LIVE_JSON", &json)
        .env("LIVE_DIRECTORY", debuggees_directory().join("live"))
        .env("LIVE_THREADS", if row.all_threads { "1" } else { "0" });
    if row.source.ends_with(".rs")
        && let Some(printers) = rust_printers()
    {
        command.env("LIVE_PRINTERS", printers);
    }
    let finished = process::run(&mut command, b"", patience() * 2)?;
    if !json.exists() && finished.stderr_text().contains("internal-error") {
        return Ok(None);
    }
    ensure!(
        json.exists(),
        "gdb wrote nothing:\n{}\n{}",
        shorten(&finished.stdout),
        shorten(&finished.stderr)
    );
    let stops: Value = serde_json::from_slice(&std::fs::read(&json)?)?;
    let mut result = Vec::new();
    for stop in stops.as_array().into_iter().flatten() {
        let mut stacks = Stop::new();
        for stack in stop["stacks"].as_array().into_iter().flatten() {
            let frames = stack.as_array().into_iter().flatten();
            stacks.push(frames.map(Frame::from_json).collect::<Result<_, _>>()?);
        }
        result.push(stacks);
    }
    Ok(Some(result))
}

/// Where rustc keeps its printers for gdb.
fn rust_printers() -> Option<PathBuf> {
    let output = Command::new("rustc")
        .args(["--print", "sysroot"])
        .output()
        .ok()?;
    let sysroot = String::from_utf8(output.stdout).ok()?;
    let directory = Path::new(sysroot.trim()).join("lib/rustlib/etc");
    directory
        .join("gdb_lookup.py")
        .exists()
        .then_some(directory)
}
