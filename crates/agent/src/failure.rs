//! Errors of process control as the debugger is told of them.

use wayfarer_backend::{Failure, FailureKind, ProcessId, ThreadId};
use wayfarer_ptrace::Error;

/// The failure for an error.
pub fn of(error: &Error) -> Failure {
    let kind = match error {
        Error::Gone(_) => FailureKind::Gone,
        Error::Permission { .. } => FailureKind::Permission,
        Error::AlreadyTraced { .. } => FailureKind::AlreadyTraced,
        Error::Launch { .. } => FailureKind::Launch,
        Error::Memory { .. } => FailureKind::BadAddress,
        Error::System { .. } => FailureKind::System,
    };
    Failure::new(kind, error.to_string())
}

/// No such process.
pub fn no_process(id: ProcessId) -> Failure {
    Failure::new(
        FailureKind::Gone,
        format!("process {id} is not in this session any more"),
    )
}

/// No such thread.
pub fn no_thread(id: ThreadId) -> Failure {
    Failure::new(
        FailureKind::Gone,
        format!("thread {id} is not in this session any more"),
    )
}

/// It runs.
pub fn running(id: ThreadId) -> Failure {
    Failure::new(
        FailureKind::Running,
        format!("thread {id} is running: halt it first"),
    )
}
