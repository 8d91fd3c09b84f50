//! `cargo x test`: everything that CI runs, in the order in which failures are cheapest.

use crate::failure::{Failure, failure};
use crate::workspace::{self, cargo};
use crate::{check_runtime, gauntlet, tidy};
use std::process::{Command, Stdio};
use std::time::Instant;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    Everything,
    /// Without the fuzzer and the gauntlet.
    Fast,
}

/// How long the fuzzer runs.
const FUZZ_SECONDS: u32 = 60;
const RUNTIME_MANIFEST: &str = "runtime-so/Cargo.toml";

struct Step {
    name: &'static str,
    /// What to type to repeat just this step.
    again: &'static str,
    run: fn() -> Result<(), Failure>,
    extent: Extent,
}

const STEPS: &[Step] = &[
    Step {
        name: "format",
        again: "cargo fmt --all --check",
        run: format,
        extent: Extent::Fast,
    },
    Step {
        name: "tidy",
        again: "cargo x tidy",
        run: tidy::run,
        extent: Extent::Fast,
    },
    Step {
        name: "clippy",
        again: "cargo clippy --workspace --all-targets -- -D warnings",
        run: clippy,
        extent: Extent::Fast,
    },
    Step {
        name: "documentation",
        again: "RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps --document-private-items",
        run: documentation,
        extent: Extent::Fast,
    },
    Step {
        name: "build",
        again: "cargo build --release",
        run: || workspace::wayfarer().map(|_| ()),
        extent: Extent::Fast,
    },
    Step {
        name: "check-runtime",
        again: "cargo x check-runtime",
        run: || check_runtime::run(None),
        extent: Extent::Fast,
    },
    Step {
        name: "packages",
        again: "scripts/install-packages.sh",
        run: gauntlet::install_packages,
        extent: Extent::Fast,
    },
    Step {
        name: "unit tests",
        again: "cargo test --workspace --lib --bins",
        run: unit_tests,
        extent: Extent::Fast,
    },
    Step {
        name: "doctests",
        again: "cargo test --workspace --doc",
        run: doctests,
        extent: Extent::Fast,
    },
    Step {
        name: "model tests",
        again: "cargo test -p wayfarer-runtime --features model --lib models",
        run: model_tests,
        extent: Extent::Fast,
    },
    Step {
        name: "end-to-end tests",
        again: "cargo test --workspace --test '*'",
        run: end_to_end_tests,
        extent: Extent::Fast,
    },
    Step {
        name: "fuzz",
        again: "cargo x fuzz",
        run: || fuzz(FUZZ_SECONDS),
        extent: Extent::Everything,
    },
    Step {
        name: "gauntlet",
        again: "cargo x gauntlet",
        run: || gauntlet::run(&[]),
        extent: Extent::Everything,
    },
];

/// Runs the steps and stops at the first that fails.
pub fn run(extent: Extent) -> Result<(), Failure> {
    let began = Instant::now();
    let mut summary = Vec::new();
    for step in STEPS {
        if extent == Extent::Fast && step.extent == Extent::Everything {
            summary.push(format!("{:<18} left out (--fast)", step.name));
            continue;
        }
        println!("== {}", step.name);
        let step_began = Instant::now();
        let result = (step.run)();
        let seconds = step_began.elapsed().as_secs_f64();
        match result {
            Ok(()) => summary.push(format!("{:<18} passed {seconds:>7.1} s", step.name)),
            Err(failure) => {
                eprintln!("{failure}");
                summary.push(format!("{:<18} FAILED {seconds:>7.1} s", step.name));
                print_summary(&summary, began);
                return Err(crate::failure::failure(format!("again: {}", step.again)));
            }
        }
    }
    print_summary(&summary, began);
    Ok(())
}

fn print_summary(summary: &[String], began: Instant) {
    println!("== summary");
    for line in summary {
        println!("{line}");
    }
    println!(
        "{:<18}        {:>7.1} s",
        "all",
        began.elapsed().as_secs_f64()
    );
}

fn format() -> Result<(), Failure> {
    workspace::run(&mut cargo(&["fmt", "--all", "--check"]))?;
    workspace::run(&mut cargo(&[
        "fmt",
        "--manifest-path",
        RUNTIME_MANIFEST,
        "--check",
    ]))
}

fn clippy() -> Result<(), Failure> {
    let workspace_words = ["clippy", "--quiet", "--workspace", "--all-targets", "--"];
    workspace::run(cargo(&workspace_words).args(["-D", "warnings"]))?;
    let library_words = ["clippy", "--quiet", "--manifest-path", RUNTIME_MANIFEST];
    // The library that users get, and the one that shows the entrances alone.
    let alone = ["--no-default-features", "--features", "passthrough"];
    for features in [&[][..], &alone[..]] {
        let mut command = cargo(&library_words);
        workspace::run(command.args(features).args(["--", "-D", "warnings"]))?;
    }
    Ok(())
}

/// The documentation of everything, private items included: links that lead nowhere are errors.
fn documentation() -> Result<(), Failure> {
    let words = [
        "doc",
        "--quiet",
        "--workspace",
        "--no-deps",
        "--document-private-items",
    ];
    let flags = std::env::var("RUSTDOCFLAGS").unwrap_or_default();
    workspace::run(cargo(&words).env("RUSTDOCFLAGS", format!("{flags} -D warnings")))
}

/// The examples in the documentation: cargo's own runner, because nextest has none for them.
fn doctests() -> Result<(), Failure> {
    workspace::run(&mut cargo(&["test", "--quiet", "--workspace", "--doc"]))
}

fn unit_tests() -> Result<(), Failure> {
    tests(&["--workspace", "--lib", "--bins"])
}

/// The runtime's protocols, in every order of their steps.
fn model_tests() -> Result<(), Failure> {
    let only = ["--features", "model", "--lib", "models"];
    workspace::run(cargo(&["test", "--quiet", "-p", "wayfarer-runtime"]).args(only))
}

/// The tests in `tests` directories; they record and replay with the release binary.
fn end_to_end_tests() -> Result<(), Failure> {
    // The agent that the tests of its live half talk to.
    workspace::run(&mut cargo(&[
        "build",
        "--quiet",
        "-p",
        "wayfarer-agent",
        "--example",
        "agent",
    ]))?;
    tests(&["--workspace", "--test", "*"])
}

/// nextest where there is one, because it shows what runs and how long; else cargo's own runner.
fn tests(words: &[&str]) -> Result<(), Failure> {
    let mut command = if has_nextest() {
        cargo(&["nextest", "run", "--no-fail-fast"])
    } else {
        cargo(&["test", "--quiet", "--no-fail-fast"])
    };
    let skips = workspace::wayfarer()?.with_file_name("skipped-tests");
    let _ = std::fs::remove_file(&skips);
    command
        .args(words)
        .env("WAYFARER", workspace::wayfarer()?)
        .env("WAYFARER_SKIPS", &skips);
    let result = workspace::run(&mut command);
    let skipped = std::fs::read_to_string(&skips).unwrap_or_default();
    println!("left out: {} tests", skipped.lines().count());
    print!("{skipped}");
    result
}

fn has_nextest() -> bool {
    let mut command: Command = cargo(&["nextest", "--version"]);
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// `cargo x fuzz [SECONDS]`, in a debug build: it checks arithmetic, too.
pub fn fuzz(seconds: u32) -> Result<(), Failure> {
    // Two thirds of the time for the trace reader, a sixth each for the debugger's parsers.
    let targets = [
        ("wayfarer-trace", "fuzz_reader", seconds * 2 / 3),
        ("wayfarer-symbols", "fuzz_symbols", seconds / 6),
        ("wayfarer-expression", "fuzz_expression", seconds / 6),
    ];
    for (package, example, seconds) in targets {
        let mut command = cargo(&["run", "--quiet", "-p", package, "--example", example]);
        let seconds = seconds.max(1).to_string();
        workspace::run(command.arg("--").arg(seconds)).map_err(|_| {
            failure(format!(
                "fuzz: {example} failed; the line above says on which input"
            ))
        })?;
    }
    Ok(())
}
