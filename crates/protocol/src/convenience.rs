//! Short ways to make the messages that are made often.

use crate::generated::{Failure, FailureKind, TargetResult, Targets};

impl Targets {
    /// All processes of the session.
    pub fn everybody() -> Targets {
        Targets {
            all: true,
            ..Targets::default()
        }
    }

    /// One process, all its threads.
    pub fn process(process: u64) -> Targets {
        Targets {
            processes: vec![process],
            ..Targets::default()
        }
    }

    /// One thread.
    pub fn thread(thread: u64) -> Targets {
        Targets {
            threads: vec![thread],
            ..Targets::default()
        }
    }
}

impl Failure {
    /// A failure with its sentence for the user.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Failure {
        Failure {
            kind: kind.into(),
            message: message.into(),
        }
    }
}

impl TargetResult {
    /// The failure as an error, for callers that have one target.
    pub fn check(self) -> Result<(), Failure> {
        match self.failure {
            Some(failure) => Err(failure),
            None => Ok(()),
        }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}
