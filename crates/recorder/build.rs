//! Builds the runtime library, which the `wayfarer` binary carries inside.
//!
//! The library is a nested workspace because it needs `panic = "abort"` and no `std`. It gets its own
//! target folder, so that the inner cargo never waits for the lock of the outer one.

use std::path::{Path, PathBuf};
use std::process::Command;

const LIBRARY: &str = "libwayfarer_runtime.so";

fn main() {
    let root = PathBuf::from(variable("CARGO_MANIFEST_DIR")).join("../..");
    for source in [
        "runtime-so",
        "crates/runtime",
        "crates/entrance",
        "crates/runtime-abi",
    ] {
        println!("cargo::rerun-if-changed={}", root.join(source).display());
    }
    let out = PathBuf::from(variable("OUT_DIR"));
    let target = out.join("runtime-so");
    let mut cargo = Command::new(variable("CARGO"));
    cargo
        .args(["build", "--release", "--quiet", "--manifest-path"])
        .arg(root.join("runtime-so/Cargo.toml"))
        .arg("--target-dir")
        .arg(&target);
    // What the outer build was told (coverage, lints, another target, a wrapper for clippy) must not
    // change a library that has to be free of panics and imports.
    for name in [
        "CARGO_BUILD_TARGET",
        "CARGO_ENCODED_RUSTFLAGS",
        "CARGO_TARGET_DIR",
        "CARGO_UNSTABLE_BUILD_STD",
        "CARGO_PROFILE_RELEASE_DEBUG",
        "CARGO_PROFILE_RELEASE_LTO",
        "RUSTC_WORKSPACE_WRAPPER",
        "RUSTFLAGS",
        "RUSTDOCFLAGS",
    ] {
        cargo.env_remove(name);
    }
    match cargo.status() {
        Ok(status) if status.success() => {}
        Ok(status) => fail(&format!("building the runtime library failed ({status})")),
        Err(error) => fail(&format!(
            "cannot start cargo for the runtime library: {error}"
        )),
    }
    copy(&target.join("release").join(LIBRARY), &out.join(LIBRARY));
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| fail(&format!("cargo did not set {name}")))
}

fn copy(from: &Path, to: &Path) {
    if let Err(error) = std::fs::copy(from, to) {
        fail(&format!(
            "the runtime library is not at {}: {error}",
            from.display()
        ));
    }
}

fn fail(message: &str) -> ! {
    println!("cargo::error={message}");
    std::process::exit(1)
}
