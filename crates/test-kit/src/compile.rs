//! Builds a debuggee on demand and [once](crate::build_once).

use crate::build_once::{self, Key};
use crate::debuggee::{Language, debuggees_directory};
use crate::failure::Failure;
use std::path::{Path, PathBuf};
use std::process::Command;

pub enum Compiled {
    At(PathBuf),
    /// The compiler of that name is not there.
    NoCompiler(&'static str),
}

/// Builds `source` with additional options. The program keeps the name of its source, because a
/// process is named after its program.
pub fn compile(source: &Path, language: Language, options: &[&str]) -> Result<Compiled, Failure> {
    let (compiler, standard): (&str, &[&str]) = match language {
        Language::C => (
            "cc",
            &["-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread"],
        ),
        Language::Cpp => (
            "g++",
            &[
                "-std=c++17",
                "-O1",
                "-g",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-pthread",
            ],
        ),
        Language::Rust => ("rustc", &["--edition", "2024", "-O", "-g", "-Dwarnings"]),
        Language::Python | Language::Shell => return Ok(Compiled::At(source.to_path_buf())),
    };
    let Some(mut key) = Key::default().compiler(compiler)? else {
        return Ok(Compiled::NoCompiler(compiler));
    };
    key = key.value((standard, options)).file(source)?;
    for header in headers(source)? {
        key = key.file(&header)?;
    }
    let name = source
        .file_stem()
        .ok_or_else(|| Failure(format!("{} has no name", source.display())))?;
    let directory = build_once::directory("", &key, |site| {
        let mut command = Command::new(compiler);
        command
            .args(standard)
            .args(options)
            .arg("-o")
            .arg(site.fresh.join(name))
            .arg(source);
        run(&mut command)
    })?;
    Ok(Compiled::At(directory.join(name)))
}

/// Runs a compiler; what it says is the failure.
pub fn run(command: &mut Command) -> Result<(), Failure> {
    let output = command.output()?;
    crate::ensure!(
        output.status.success(),
        "{} failed:\n{}",
        crate::process::describe(command),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}

/// As [`compile`], for tests that cannot go on without the program.
pub fn compile_c(source: &Path, options: &[&str]) -> Result<PathBuf, Failure> {
    match compile(source, Language::C, options)? {
        Compiled::At(program) => Ok(program),
        Compiled::NoCompiler(name) => crate::fail!("{name} is not installed"),
    }
}

/// Where built debuggees lie: inside the target directory of the test binary.
pub fn build_directory() -> Result<PathBuf, Failure> {
    let binary = std::env::current_exe()?;
    // target/<profile>/deps/<binary>
    let target = binary
        .ancestors()
        .nth(3)
        .ok_or_else(|| Failure("the test binary lies in no target directory".into()))?;
    let directory = target.join("debuggees");
    std::fs::create_dir_all(&directory)?;
    Ok(directory)
}

/// Headers that a debuggee may include: those beside it and those of all debuggees.
fn headers(source: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut headers = Vec::new();
    for directory in [Some(debuggees_directory().as_path()), source.parent()] {
        let Some(directory) = directory else { continue };
        for entry in std::fs::read_dir(directory)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "h") {
                headers.push(path);
            }
        }
    }
    headers.sort();
    Ok(headers)
}
