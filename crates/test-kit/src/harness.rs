//! Runs a list of tests: like `#[test]`, with skips that have a reason and are counted.

use crate::failure::Failure;
use libtest_mimic::{Arguments, Completion, Trial};
use std::io::Write;

/// How a test ended when it did not fail.
#[derive(Debug)]
pub enum Verdict {
    Passed,
    /// This machine cannot run it; the text says what is missing.
    Skipped(String),
}

pub type Outcome = Result<Verdict, Failure>;

/// One test by name.
pub struct Test {
    name: String,
    run: Box<dyn FnOnce() -> Outcome + Send>,
}

impl Test {
    pub fn new(name: impl Into<String>, run: impl FnOnce() -> Outcome + Send + 'static) -> Self {
        Test {
            name: name.into(),
            run: Box::new(run),
        }
    }
}

/// A list of tests from the names of functions.
#[macro_export]
macro_rules! tests {
    ($($function:ident),* $(,)?) => {
        vec![$($crate::harness::Test::new(stringify!($function), $function)),*]
    };
}

/// Runners that show only what failed would hide a skip: the caller names a file, and gets one
/// line for each.
fn count_skip(name: &str, reason: &str) {
    let Some(path) = std::env::var_os("WAYFARER_SKIPS") else {
        return;
    };
    let file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path);
    let line = format!("{name}: {reason}\n");
    if let Err(error) = file.and_then(|mut file| file.write_all(line.as_bytes())) {
        eprintln!("the skip cannot be counted: {error}");
    }
}

/// Runs the tests as the command line says (the options of `cargo test` and `cargo nextest`).
pub fn run(tests: Vec<Test>) -> ! {
    let trials = tests
        .into_iter()
        .map(|test| {
            let name = test.name.clone();
            Trial::ignorable_test(test.name, move || match (test.run)() {
                Ok(Verdict::Passed) => Ok(Completion::Completed),
                Ok(Verdict::Skipped(reason)) => {
                    eprintln!("skipped {name}: {reason}");
                    count_skip(&name, &reason);
                    Ok(Completion::ignored_with(reason))
                }
                Err(failure) => Err(failure.0.into()),
            })
        })
        .collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit()
}
