//! Whom a request is for, and what became of each of them.

use crate::{Answer, Failure, ProcessId, ThreadId};

/// The processes and threads that a request is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Targets {
    /// Everybody in the session.
    All,
    /// The union of these.
    Named {
        /// All threads of these.
        processes: Vec<ProcessId>,
        /// Single ones.
        threads: Vec<ThreadId>,
    },
}

impl Targets {
    /// One process, all its threads.
    pub fn process(process: ProcessId) -> Targets {
        Targets::processes(vec![process])
    }

    /// Some processes, all their threads.
    pub fn processes(processes: Vec<ProcessId>) -> Targets {
        Targets::Named {
            processes,
            threads: Vec::new(),
        }
    }

    /// One thread.
    pub fn thread(thread: ThreadId) -> Targets {
        Targets::threads(vec![thread])
    }

    /// Some threads.
    pub fn threads(threads: Vec<ThreadId>) -> Targets {
        Targets::Named {
            processes: Vec::new(),
            threads,
        }
    }

    /// Whether this thread of this process is meant.
    pub fn names(&self, process: ProcessId, thread: ThreadId) -> bool {
        match self {
            Targets::All => true,
            Targets::Named { processes, threads } => {
                processes.contains(&process) || threads.contains(&thread)
            }
        }
    }
}

/// One that a request was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A whole process.
    Process(ProcessId),
    /// One thread.
    Thread(ThreadId),
}

/// One target's outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetResult {
    /// Whose.
    pub target: Target,
    /// What became of it.
    pub outcome: Answer<()>,
}

/// The outcomes of a request that has several targets. Targets for which nothing went wrong may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TargetResults(pub Vec<TargetResult>);

impl TargetResults {
    /// The first failure, for callers that have one target or need all.
    pub fn check(self) -> Answer<()> {
        self.0.into_iter().try_for_each(|result| result.outcome)
    }

    /// What went wrong, in order.
    pub fn failures(&self) -> impl Iterator<Item = (Target, &Failure)> {
        self.0
            .iter()
            .filter_map(|result| Some((result.target, result.outcome.as_ref().err()?)))
    }
}
