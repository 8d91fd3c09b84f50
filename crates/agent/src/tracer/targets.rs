//! Whom a request means.

use super::Tracer;
use crate::failure;
use std::collections::BTreeSet;
use wayfarer_backend::{Answer, ProcessId, Target, TargetResult, Targets, ThreadId};

impl Tracer {
    /// The threads, and a failure for each that does not exist.
    pub(super) fn threads_of(&self, targets: &Targets) -> (Vec<ThreadId>, Vec<TargetResult>) {
        let mut missing = Vec::new();
        let (processes, threads) = match targets {
            Targets::All => return (self.threads.keys().copied().collect(), missing),
            Targets::Named { processes, threads } => (processes, threads),
        };
        let mut found = BTreeSet::new();
        for id in processes {
            match self.processes.get(id) {
                Some(process) => found.extend(process.threads.iter().copied()),
                None => missing.push(of_process(*id, Err(failure::no_process(*id)))),
            }
        }
        for id in threads {
            if self.threads.contains_key(id) {
                found.insert(*id);
            } else {
                missing.push(of_thread(*id, Err(failure::no_thread(*id))));
            }
        }
        (found.into_iter().collect(), missing)
    }

    /// The processes, and a failure for each that does not exist.
    pub(super) fn processes_of(&self, targets: &Targets) -> (Vec<ProcessId>, Vec<TargetResult>) {
        let mut missing = Vec::new();
        let (processes, threads) = match targets {
            Targets::All => return (self.processes.keys().copied().collect(), missing),
            Targets::Named { processes, threads } => (processes, threads),
        };
        let mut found = BTreeSet::new();
        for id in processes {
            if self.processes.contains_key(id) {
                found.insert(*id);
            } else {
                missing.push(of_process(*id, Err(failure::no_process(*id))));
            }
        }
        for id in threads {
            found.extend(self.threads.get(id).map(|thread| thread.process));
        }
        (found.into_iter().collect(), missing)
    }
}

/// What became of a process.
pub(super) fn of_process(id: ProcessId, outcome: Answer<()>) -> TargetResult {
    TargetResult {
        target: Target::Process(id),
        outcome,
    }
}

/// What became of a thread.
pub(super) fn of_thread(id: ThreadId, outcome: Answer<()>) -> TargetResult {
    TargetResult {
        target: Target::Thread(id),
        outcome,
    }
}
