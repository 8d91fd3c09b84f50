//! Builds the programs of the table, each once.

use std::path::{Path, PathBuf};
use std::process::Command;

use wayfarer_test_kit::build_once::{self, Key};
use wayfarer_test_kit::compile::run;
use wayfarer_test_kit::debuggee::debuggees_directory;
use wayfarer_test_kit::fail;
use wayfarer_test_kit::failure::Failure;

use crate::table::{Library, Row};

/// A program that is ready to run.
pub struct Built {
    pub program: PathBuf,
    pub arguments: Vec<String>,
    /// Breakpoint locations with their line numbers filled in.
    pub stops: Vec<String>,
}

/// Builds a row with one set of options.
pub fn build(row: &Row, options: &str) -> Result<Built, Failure> {
    let source = debuggees_directory().join("live").join(row.source);
    let part = debuggees_directory().join("live/library_part.c");
    let cleaner = debuggees_directory().join("live/clean_stack.c");
    let key = Key::default()
        .value((
            row.source,
            options,
            row.library as u8,
            include_str!("build.rs"),
        ))
        .file(&source)?
        .file(&part)?
        .file(&cleaner)?;
    let Some(key) = key.compiler(compiler_name(&source))? else {
        fail!("{} is not installed", compiler_name(&source));
    };
    let name = source.file_stem().unwrap_or_default();
    let directory = build_once::directory("live-", &key, |site| {
        if row.library != Library::None {
            let mut command = compiler(Path::new("library.c"), options);
            command.args(["-shared", "-fPIC", "-Wl,-soname,libpart.so", "-o"]);
            run(command.arg(site.fresh.join("libpart.so")).arg(&part))?;
        }
        let mut command = compiler(&source, options);
        command.arg("-o").arg(site.fresh.join(name)).arg(&source);
        if !row.source.ends_with(".rs") {
            command.arg(&cleaner);
        }
        if row.library == Library::Linked {
            // The run path is where the directory will be.
            command.arg(site.fresh.join("libpart.so"));
            command.arg(format!("-Wl,-rpath,{}", site.place.display()));
        }
        run(&mut command)
    })?;
    let program = directory.join(name);
    let library = directory.join("libpart.so");
    let arguments = match row.library {
        Library::Opened => vec![library.display().to_string()],
        _ => Vec::new(),
    };
    Ok(Built {
        program,
        arguments,
        stops: locations(row, &source)?,
    })
}

fn compiler_name(source: &Path) -> &'static str {
    match source.extension().and_then(|extension| extension.to_str()) {
        Some("rs") => "rustc",
        Some("cpp") => "g++",
        _ => "gcc",
    }
}

fn compiler(source: &Path, options: &str) -> Command {
    let extension = source.extension().unwrap_or_default().to_string_lossy();
    let mut command = Command::new(compiler_name(source));
    // A variable that has no value yet must have the same one in both debuggers' runs.
    if extension != "rs" {
        command.args(["-ftrivial-auto-var-init=zero", "-Wl,-z,now"]);
    }
    match extension.as_ref() {
        "rs" => command.args(["--edition", "2024", "-Dwarnings", "-g"]),
        "cpp" => command.args([
            "-std=c++17",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-g",
            "-pthread",
        ]),
        _ => command.args(["-Wall", "-Wextra", "-Werror", "-g", "-pthread"]),
    };
    command.args(options.split_whitespace());
    command
}

/// The stops of a row; `@text` becomes `file:line`. A function of a Rust program is named with its crate: gdb takes the
/// bare name for that of an ELF symbol, and then stops in the inlined function that begins at the same address.
fn locations(row: &Row, source: &Path) -> Result<Vec<String>, Failure> {
    let text = std::fs::read_to_string(source)?;
    let mut locations = Vec::new();
    for stop in row.stops {
        let Some(wanted) = stop.strip_prefix('@') else {
            let name = row.source.strip_suffix(".rs");
            locations.push(match name {
                Some(name) => format!("{name}::{stop}"),
                None => (*stop).to_owned(),
            });
            continue;
        };
        let line = text.lines().position(|line| line.contains(wanted));
        let Some(line) = line else {
            return Err(Failure(format!(
                "{} has no line with {wanted:?}",
                row.source
            )));
        };
        locations.push(format!("{}:{}", row.source, line + 1));
    }
    Ok(locations)
}
