//! Why a chore failed, in words for the person at the terminal.

use std::fmt;
use std::path::Path;

/// A message that says what is wrong and, where it is known, what to do.
#[derive(Debug)]
pub struct Failure {
    message: String,
    usage: bool,
}

impl Failure {
    /// The person asked for something that does not exist.
    pub fn usage(message: impl Into<String>) -> Failure {
        Failure {
            message: message.into(),
            usage: true,
        }
    }

    pub fn exit_code(&self) -> u8 {
        if self.usage { 2 } else { 1 }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

pub fn failure(message: impl Into<String>) -> Failure {
    Failure {
        message: message.into(),
        usage: false,
    }
}

/// Adds what was being done, and to what, to an error of the system.
pub trait At<T> {
    fn at(self, doing: &str, path: &Path) -> Result<T, Failure>;
    fn doing(self, what: &str) -> Result<T, Failure>;
}

impl<T, E: fmt::Display> At<T> for Result<T, E> {
    fn at(self, doing: &str, path: &Path) -> Result<T, Failure> {
        self.map_err(|error| failure(format!("{doing} {}: {error}", path.display())))
    }

    fn doing(self, what: &str) -> Result<T, Failure> {
        self.map_err(|error| failure(format!("{what}: {error}")))
    }
}
