//! Whom a request means.

use super::Tracer;
use super::process::ProcessId;
use super::thread::ThreadId;
use crate::failure;
use std::collections::BTreeSet;
use wayfarer_protocol as wire;

impl Tracer {
    /// The threads, and a failure for each that does not exist.
    pub(super) fn threads_of(
        &self,
        targets: Option<&wire::Targets>,
    ) -> (Vec<ThreadId>, Vec<wire::TargetResult>) {
        let mut missing = Vec::new();
        let Some(targets) = targets else {
            return (Vec::new(), missing);
        };
        if targets.all {
            return (self.threads.keys().copied().collect(), missing);
        }
        let mut found = BTreeSet::new();
        for id in &targets.processes {
            match self.processes.get(&ProcessId(*id)) {
                Some(process) => found.extend(process.threads.iter().copied()),
                None => missing.push(no_process(*id)),
            }
        }
        for id in &targets.threads {
            if self.threads.contains_key(&ThreadId(*id)) {
                found.insert(ThreadId(*id));
            } else {
                missing.push(wire::TargetResult {
                    process: 0,
                    thread: *id,
                    failure: Some(failure::no_thread(*id)),
                });
            }
        }
        (found.into_iter().collect(), missing)
    }

    /// The processes, and a failure for each that does not exist.
    pub(super) fn processes_of(
        &self,
        targets: Option<&wire::Targets>,
    ) -> (Vec<ProcessId>, Vec<wire::TargetResult>) {
        let mut missing = Vec::new();
        let Some(targets) = targets else {
            return (Vec::new(), missing);
        };
        if targets.all {
            return (self.processes.keys().copied().collect(), missing);
        }
        let mut found = BTreeSet::new();
        for id in &targets.processes {
            if self.processes.contains_key(&ProcessId(*id)) {
                found.insert(ProcessId(*id));
            } else {
                missing.push(no_process(*id));
            }
        }
        for id in &targets.threads {
            found.extend(
                self.threads
                    .get(&ThreadId(*id))
                    .map(|thread| thread.process),
            );
        }
        (found.into_iter().collect(), missing)
    }
}

fn no_process(id: u64) -> wire::TargetResult {
    wire::TargetResult {
        process: id,
        thread: 0,
        failure: Some(failure::no_process(id)),
    }
}
