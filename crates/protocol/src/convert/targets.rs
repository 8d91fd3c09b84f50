//! Targets and their results, and the requests that consist of targets.

use wayfarer_backend as plain;

use super::{
    Damaged, all, list, needed, outcome, process_ids, process_numbers, thread_ids, thread_numbers,
};
use crate as wire;

impl From<plain::Targets> for wire::Targets {
    fn from(targets: plain::Targets) -> wire::Targets {
        match targets {
            plain::Targets::All => wire::Targets {
                all: true,
                ..wire::Targets::default()
            },
            plain::Targets::Named { processes, threads } => wire::Targets {
                all: false,
                processes: process_numbers(processes),
                threads: thread_numbers(threads),
            },
        }
    }
}

impl TryFrom<wire::Targets> for plain::Targets {
    type Error = Damaged;

    fn try_from(targets: wire::Targets) -> Result<plain::Targets, Damaged> {
        Ok(match targets.all {
            true => plain::Targets::All,
            false => plain::Targets::Named {
                processes: process_ids(targets.processes),
                threads: thread_ids(targets.threads),
            },
        })
    }
}

/// Requests that are nothing but targets.
macro_rules! only_targets {
    ($($request:ident),*) => {
        $(
            impl From<plain::Targets> for wire::$request {
                fn from(targets: plain::Targets) -> wire::$request {
                    wire::$request {
                        session: 0,
                        targets: Some(targets.into()),
                    }
                }
            }

            impl TryFrom<wire::$request> for plain::Targets {
                type Error = Damaged;

                fn try_from(request: wire::$request) -> Result<plain::Targets, Damaged> {
                    needed(request.targets, "targets")
                }
            }
        )*
    };
}

only_targets!(DetachRequest, KillRequest, HaltRequest, ReleaseRequest);

/// The two numbers in which a message says whom it is about: of the process, and of the thread.
pub(super) fn target_numbers(target: plain::Target) -> (u64, u64) {
    match target {
        plain::Target::Process(process) => (process.0, 0),
        plain::Target::Thread(thread) => (0, thread.0),
    }
}

/// Whom they mean: the thread, if there is one.
pub(super) fn target_of(process: u64, thread: u64) -> Result<plain::Target, Damaged> {
    match (process, thread) {
        (0, 0) => Err(Damaged("target")),
        (process, 0) => Ok(plain::Target::Process(plain::ProcessId(process))),
        (_, thread) => Ok(plain::Target::Thread(plain::ThreadId(thread))),
    }
}

impl From<plain::TargetResult> for wire::TargetResult {
    fn from(result: plain::TargetResult) -> wire::TargetResult {
        let (process, thread) = target_numbers(result.target);
        wire::TargetResult {
            process,
            thread,
            failure: result.outcome.err().map(Into::into),
        }
    }
}

impl TryFrom<wire::TargetResult> for plain::TargetResult {
    type Error = Damaged;

    fn try_from(result: wire::TargetResult) -> Result<plain::TargetResult, Damaged> {
        Ok(plain::TargetResult {
            target: target_of(result.process, result.thread)?,
            outcome: outcome(result.failure)?,
        })
    }
}

impl From<plain::TargetResults> for wire::TargetResults {
    fn from(results: plain::TargetResults) -> wire::TargetResults {
        wire::TargetResults {
            results: list(results.0),
        }
    }
}

impl TryFrom<wire::TargetResults> for plain::TargetResults {
    type Error = Damaged;

    fn try_from(results: wire::TargetResults) -> Result<plain::TargetResults, Damaged> {
        Ok(plain::TargetResults(all(results.results)?))
    }
}

impl From<()> for wire::Acknowledgement {
    fn from((): ()) -> wire::Acknowledgement {
        wire::Acknowledgement {}
    }
}

impl TryFrom<wire::Acknowledgement> for () {
    type Error = Damaged;

    fn try_from(_: wire::Acknowledgement) -> Result<(), Damaged> {
        Ok(())
    }
}
