//! What can go wrong, with the remedy in the message.

use crate::launch::Step;
use crate::thread::Tid;
use std::io;

/// Why an operation on a process did not happen.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The process or thread does not exist any more, or is not stopped because it is being killed.
    #[error("process {0} is gone")]
    Gone(Tid),
    /// The kernel does not let us trace it.
    #[error("may not trace process {tid}: {remedy}")]
    Permission {
        /// Whom.
        tid: Tid,
        /// What to do.
        remedy: String,
    },
    /// Another tracer has it.
    #[error("process {tid} is traced by process {tracer} already: end that debugger first")]
    AlreadyTraced {
        /// Whom.
        tid: Tid,
        /// Who.
        tracer: Tid,
    },
    /// The program could not be started.
    #[error("cannot start {program}: {}", failed(*step, source))]
    Launch {
        /// Its name as given.
        program: String,
        /// How far it came.
        step: Step,
        /// Why.
        source: io::Error,
    },
    /// Memory that is not there.
    #[error("cannot access memory at address {address:#x}")]
    Memory {
        /// The first address that cannot be reached.
        address: u64,
    },
    /// Anything else that the kernel says.
    #[error("{what} of process {tid}: {source}")]
    System {
        /// The operation.
        what: &'static str,
        /// Whom.
        tid: Tid,
        /// The kernel's answer.
        source: io::Error,
    },
}

impl Error {
    /// The error that the last system call left, for an operation on `tid`.
    pub(crate) fn last(what: &'static str, tid: Tid) -> Error {
        Error::from_io(what, tid, io::Error::last_os_error())
    }

    pub(crate) fn from_io(what: &'static str, tid: Tid, source: io::Error) -> Error {
        match source.raw_os_error() {
            Some(libc::ESRCH) => Error::Gone(tid),
            _ => Error::System { what, tid, source },
        }
    }

    /// Whether the process or thread has ceased to exist.
    pub fn is_gone(&self) -> bool {
        matches!(self, Error::Gone(_))
    }
}

/// Why a program was not started. That it cannot be executed is clear from what the kernel says.
fn failed(step: Step, source: &io::Error) -> String {
    match step {
        Step::Exec => source.to_string(),
        step => format!("{step}: {source}"),
    }
}
