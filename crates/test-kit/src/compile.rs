//! Builds a debuggee on demand; a source that has not changed is not built again.

use crate::debuggee::{Language, debuggees_directory};
use crate::failure::Failure;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
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
    let contents =
        std::fs::read(source).map_err(|error| Failure(format!("{}: {error}", source.display())))?;
    let mut hasher = DefaultHasher::new();
    (contents, compiler, standard, options).hash(&mut hasher);
    for header in headers(source)? {
        std::fs::read(header)?.hash(&mut hasher);
    }
    let directory = build_directory()?.join(format!("{:016x}", hasher.finish()));
    let name = source
        .file_stem()
        .ok_or_else(|| Failure(format!("{} has no name", source.display())))?;
    let program = directory.join(name);
    if program.exists() {
        return Ok(Compiled::At(program));
    }
    std::fs::create_dir_all(&directory)?;
    // Another test process may build the same: the later one replaces an equal file.
    let fresh = directory.join(format!(
        "fresh-{}-{:?}",
        std::process::id(),
        std::thread::current().id()
    ));
    let mut command = Command::new(compiler);
    command
        .args(standard)
        .args(options)
        .arg("-o")
        .arg(&fresh)
        .arg(source);
    let output = match command.output() {
        Ok(output) => output,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(Compiled::NoCompiler(compiler));
        }
        Err(error) => return Err(error.into()),
    };
    crate::ensure!(
        output.status.success(),
        "{} failed:\n{}",
        crate::process::describe(&command),
        String::from_utf8_lossy(&output.stderr)
    );
    std::fs::rename(&fresh, &program)?;
    Ok(Compiled::At(program))
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
