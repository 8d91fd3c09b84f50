//! Why something could not be done: a kind for programs, and a sentence for the user.

use std::fmt;

/// What a call of a back end gives.
pub type Answer<T> = Result<T, Failure>;

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// The process or thread has gone or never was.
    Gone,
    /// The operation needs the thread stopped, and it runs.
    Running,
    /// The kernel forbids it; the message says what to do about ptrace_scope or capabilities.
    Permission,
    /// The address is not mapped, or not as asked.
    BadAddress,
    /// All debug registers are taken, or the range does not fit them.
    NoHardware,
    /// The request makes no sense; the message says why.
    Invalid,
    /// The program could not be started.
    Launch,
    /// It took longer than the request allowed.
    TimedOut,
    /// A stop interrupted it.
    Interrupted,
    /// Somebody else traces the process.
    AlreadyTraced,
    /// An operating system error that fits none of the others.
    System,
    /// The back end itself has gone, with all that it held.
    Lost,
}

/// A request, or a part of one, that was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Failure {
    /// For programs.
    pub kind: FailureKind,
    /// A whole sentence for the user: what is wrong, where, what to do.
    pub message: String,
}

impl Failure {
    /// A failure with its sentence.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Failure {
        Failure {
            kind,
            message: message.into(),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}
