//! A small program of ours that shows one phenomenon.

use crate::compile::{self, Compiled};
use crate::failure::Failure;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    C,
    Cpp,
    Rust,
    Python,
    Shell,
}

/// How sure the output of two runs is to differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Varies {
    /// It prints process ids, clock values or random numbers: five runs are never all equal.
    Always,
    /// Only the interleaving differs: five runs may be equal by chance.
    Often,
}

/// One row of the [table](crate::table::DEBUGGEES).
#[derive(Clone, Copy, Debug)]
pub struct Debuggee {
    /// Path below `debuggees/`, without the extension: `sockets/tcp_prefork`.
    pub name: &'static str,
    pub language: Language,
    pub stdin: &'static str,
    pub varies: Varies,
}

/// Why a debuggee cannot be had on this machine.
pub enum Unavailable {
    Missing(String),
    Broken(Failure),
}

impl Debuggee {
    pub const fn c(name: &'static str) -> Self {
        Debuggee {
            name,
            language: Language::C,
            stdin: "",
            varies: Varies::Always,
        }
    }

    pub const fn cpp(name: &'static str) -> Self {
        Debuggee {
            language: Language::Cpp,
            ..Self::c(name)
        }
    }

    pub const fn rust(name: &'static str) -> Self {
        Debuggee {
            language: Language::Rust,
            ..Self::c(name)
        }
    }

    pub const fn python(name: &'static str) -> Self {
        Debuggee {
            language: Language::Python,
            ..Self::c(name)
        }
    }

    pub const fn shell(name: &'static str) -> Self {
        Debuggee {
            language: Language::Shell,
            ..Self::c(name)
        }
    }

    pub const fn with_stdin(self, stdin: &'static str) -> Self {
        Debuggee { stdin, ..self }
    }

    pub const fn varies_often(self) -> Self {
        Debuggee {
            varies: Varies::Often,
            ..self
        }
    }

    pub fn source(&self) -> PathBuf {
        let extension = match self.language {
            Language::C => "c",
            Language::Cpp => "cpp",
            Language::Rust => "rs",
            Language::Python => "py",
            Language::Shell => "sh",
        };
        debuggees_directory()
            .join(self.name)
            .with_extension(extension)
    }

    /// The words that start it, built if need be.
    pub fn command_words(&self) -> Result<Vec<PathBuf>, Unavailable> {
        let source = self.source();
        let interpreter = match self.language {
            // The system's own interpreters: a version manager's shim would add processes of its own.
            Language::Python => find_program(&["/usr/bin/python3", "python3"]),
            Language::Shell => find_program(&["/bin/bash", "bash"]),
            _ => {
                return match compile::compile(&source, self.language, &[]) {
                    Ok(Compiled::At(program)) => Ok(vec![program]),
                    Ok(Compiled::NoCompiler(name)) => {
                        Err(Unavailable::Missing(format!("{name} is not installed")))
                    }
                    Err(failure) => Err(Unavailable::Broken(failure)),
                };
            }
        };
        match interpreter {
            Some(interpreter) => Ok(vec![interpreter, source]),
            None => Err(Unavailable::Missing(format!(
                "no interpreter for {}",
                source.display()
            ))),
        }
    }

    /// As [`Self::command_words`], for tests that cannot go on without it.
    pub fn words(&self) -> Result<Vec<PathBuf>, Failure> {
        self.command_words()
            .map_err(|unavailable| match unavailable {
                Unavailable::Missing(reason) => Failure(reason),
                Unavailable::Broken(failure) => failure,
            })
    }
}

/// `debuggees/` of the checkout.
pub fn debuggees_directory() -> PathBuf {
    workspace_directory().join("debuggees")
}

pub fn workspace_directory() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here)
}

fn find_program(candidates: &[&str]) -> Option<PathBuf> {
    candidates.iter().find_map(|candidate| {
        let found = Command::new(candidate)
            .arg("--version")
            .output()
            .is_ok_and(|output| output.status.success());
        found.then(|| PathBuf::from(candidate))
    })
}
