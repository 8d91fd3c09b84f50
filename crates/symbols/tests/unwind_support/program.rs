//! Builds the small programs beside these tests.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A program to build: sources in `unwind_programs` and the compiler's options.
pub fn build(directory: &Path, sources: &[&str], options: &[&str]) -> PathBuf {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/unwind_programs");
    let binary = directory.join("program");
    let mut command = Command::new("gcc");
    command.args(["-g", "-pthread"]).args(options);
    for source in sources {
        command.arg(programs.join(source));
    }
    let output = command
        .arg("-o")
        .arg(&binary)
        .output()
        .expect("gcc can be started");
    assert!(
        output.status.success(),
        "gcc failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    binary
}
