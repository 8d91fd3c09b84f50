//! What can go wrong with an ELF file, its debug information, or a name looked up in it.

use std::path::PathBuf;

/// Why a question about a module has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SymbolsError {
    #[error("cannot read {}: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },

    #[error("{} is not a usable ELF file: {reason}", path.display())]
    NotElf { path: PathBuf, reason: String },

    #[error(
        "{} is an ELF file for another machine: only x86-64, little-endian, 64-bit is understood",
        path.display()
    )]
    OtherMachine { path: PathBuf },

    #[error("{module} has no debug information; rebuild it with -g or install its debug file")]
    NoDebugInformation { module: String },

    #[error("the debug information of {module} is damaged: {reason}")]
    Damaged { module: String, reason: String },

    #[error("no function \"{name}\" in {module}{}", suggestion(nearest))]
    UnknownFunction {
        name: String,
        module: String,
        nearest: Vec<String>,
    },

    #[error("no source file named {file} in {module}")]
    UnknownFile { file: String, module: String },

    #[error("line {line} of {file} has no code, nor has any line after it")]
    NoCodeAtLine { file: String, line: u64 },

    #[error("the regular expression \"{pattern}\" is not valid: {reason}")]
    BadPattern { pattern: String, reason: String },
}

impl SymbolsError {
    pub(crate) fn damaged(module: &str, reason: impl ToString) -> SymbolsError {
        SymbolsError::Damaged {
            module: module.to_owned(),
            reason: reason.to_string(),
        }
    }
}

fn suggestion(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        names => format!("; the nearest names are {}", names.join(", ")),
    }
}
