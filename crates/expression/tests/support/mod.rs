//! What the tests share: programs built on the spot, stopped by gdb, read from a core file.
#![allow(dead_code)]

#[path = "../../../symbols/tests/unwind_support/core_file.rs"]
pub mod core_file;
pub mod core_scope;
pub mod gdb;

use std::path::{Path, PathBuf};
use std::process::Command;

use core_scope::CoreScope;
use wayfarer_expression::{Format, Language, evaluate, parse_with, print};

/// A program that was stopped, as gdb sees it and as we do.
pub struct Stopped {
    pub gdb: Vec<String>,
    pub scope: CoreScope,
}

/// A directory of one test for its program and core file.
pub fn directory(name: &str) -> PathBuf {
    let directory = std::env::temp_dir()
        .join(format!("wayfarer-expression-{}", std::process::id()))
        .join(name);
    std::fs::create_dir_all(&directory).expect("a temporary directory");
    directory
}

/// Builds a program of `tests/programs`.
pub fn build(directory: &Path, source: &str, options: &[&str]) -> PathBuf {
    let source_path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/programs")
        .join(source);
    let binary = directory.join("program");
    let compiler = match source.rsplit('.').next() {
        Some("c") => "gcc",
        Some("cpp") => "g++",
        _ => "rustc",
    };
    let mut command = Command::new(compiler);
    if compiler == "rustc" {
        command.arg("--edition=2024");
    }
    let output = command
        .arg("-g")
        .args(options)
        .arg(&source_path)
        .arg("-o")
        .arg(&binary)
        .output()
        .expect("the compiler can be started");
    assert!(
        output.status.success(),
        "{compiler} failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    binary
}

/// Builds a program, stops it in `stop`, asks gdb the commands in the caller of `stop`, and loads a
/// core file of the same moment.
pub fn stopped(source: &str, options: &[&str], commands: &[String]) -> Stopped {
    stopped_later(source, options, commands, 0)
}

/// The same, at a later call of `stop`.
pub fn stopped_later(
    source: &str,
    options: &[&str],
    commands: &[String],
    passed: usize,
) -> Stopped {
    let directory = directory(&format!("{source}{}", options.join("")));
    let program = build(&directory, source, options);
    let core = directory.join("core");
    let stop = match source.strip_suffix(".rs") {
        Some(crate_name) => format!("{crate_name}::stop"),
        None => "stop".to_string(),
    };
    let gdb = gdb::ask(&program, &stop, &core, commands, passed);
    let scope = CoreScope::load(&core, 1);
    let _ = std::fs::remove_file(core);
    Stopped { gdb, scope }
}

/// The text of an expression, or the message of its error.
pub fn text(scope: &mut CoreScope, expression: &str, format: &Format) -> String {
    let language = wayfarer_expression::Scope::language(scope);
    let result = parse(scope, expression, language)
        .map_err(Into::into)
        .and_then(|parsed| evaluate(&parsed, scope))
        .and_then(|value| print(&value, format, scope));
    match result {
        Ok(text) => text,
        Err(error) => error.to_string(),
    }
}

pub fn parse(
    scope: &mut CoreScope,
    text: &str,
    language: Language,
) -> Result<wayfarer_expression::Expression, wayfarer_expression::ParseError> {
    let types = std::cell::RefCell::new(scope);
    parse_with(text, language, &|name| {
        let mut scope = types.borrow_mut();
        let scope: &mut CoreScope = &mut scope;
        use wayfarer_expression::Scope;
        matches!(scope.variable(name), Ok(None)) && scope.type_named(None, name).is_some()
    })
}
