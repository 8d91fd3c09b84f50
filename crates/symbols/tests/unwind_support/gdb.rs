//! gdb's view of a stopped program.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Thread-local variables of the program and of libc, described where they exist.
pub const GLOBALS: &[&str] = &["own_number", "own_weight", "errno"];

/// Runs the program under gdb to its stop, writes a core file there, and returns what gdb says of
/// every thread (see `dump.py`).
pub fn stop_and_dump(directory: &Path, program: &Path, commands: &[&str]) -> Value {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/unwind_support/dump.py");
    let json = directory.join("gdb.json");
    let core = directory.join("core");
    let mut gdb = Command::new("gdb");
    gdb.args(["-nx", "-batch", "-ex", "set startup-with-shell off"]);
    gdb.args(["-ex", "set debuginfod enabled off"]);
    for command in commands {
        gdb.args(["-ex", command]);
    }
    gdb.arg("-ex").arg(format!("gcore {}", core.display()));
    gdb.arg("-ex").arg(format!("source {}", script.display()));
    let output = gdb
        .arg(program)
        .env("UNWIND_JSON", &json)
        .env("UNWIND_GLOBALS", GLOBALS.join(" "))
        .output()
        .expect("gdb can be started");
    let text = std::fs::read_to_string(&json).unwrap_or_else(|_| {
        panic!(
            "gdb wrote no frames:\n{}\n{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        )
    });
    serde_json::from_str(&text).expect("dump.py writes JSON")
}
