//! From a trace: what a replay has to start and to expect.

use std::collections::BTreeMap;

use wayfarer_calls::Number;
use wayfarer_model::{ProcessEnd, ProcessId, ThreadId};
use wayfarer_runtime_abi::record::{self, Record};
use wayfarer_trace::{ContentsMode, Form, Trace};

use crate::runs::RunLengths;
use crate::start::{Module, Start};

/// Why a trace cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    #[error("the trace holds no process: the recording ended before the program had started")]
    Empty,
    #[error("the trace does not tell how {name} was started: {reason}")]
    NoStart { name: String, reason: String },
    #[error("there is no process {name} in this trace; `wayfarer info` lists them: {known}")]
    NoSuchProcess { name: String, known: String },
    #[error(
        "--only needs a recording made with --contents all: this one holds no bytes that went between its processes"
    )]
    ContentsMissing,
}

/// What a replay does.
pub struct Plan {
    pub root: ProcessId,
    pub start: Start,
    /// Every file that was mapped as code, with its build id, in order of path.
    pub modules: Vec<Module>,
    /// Events in the log of each thread.
    pub events: BTreeMap<ThreadId, u64>,
    /// Processes that threads made: by thread, and how many events it had made then, the fork included.
    pub children: BTreeMap<(ThreadId, u64), ProcessId>,
    /// Recorded ends.
    pub ends: BTreeMap<ProcessId, ProcessEnd>,
    /// With `--only`: the process and all its ancestors. `None`: all.
    pub wanted: Option<Vec<ProcessId>>,
    /// The trace does not reach the end of every process.
    pub cut: bool,
    /// What is unreadable in the logs; their good parts are replayed.
    pub damage: Vec<String>,
    /// Lengths of the runs of sync objects.
    pub runs: RunLengths,
    /// Some process was recorded with its threads in parallel.
    pub parallel: bool,
}

impl Plan {
    /// Reads the trace once. `sink` gets all logs on the way, piece by piece, thread after thread.
    pub fn of(
        trace: &Trace,
        only: Option<&str>,
        sink: &mut dyn FnMut(ThreadId, &[u8]),
    ) -> Result<Self, PlanError> {
        let root = trace.processes().first().ok_or(PlanError::Empty)?;
        let wanted = only.map(|name| wanted(trace, name)).transpose()?;
        let is_wanted = |id: ProcessId| wanted.as_ref().is_none_or(|wanted| wanted.contains(&id));
        let mut start = None;
        let mut modules: BTreeMap<(Vec<u8>, Vec<u8>), Module> = BTreeMap::new();
        let mut events: BTreeMap<ThreadId, u64> = BTreeMap::new();
        let mut children = BTreeMap::new();
        let mut runs = RunLengths::default();
        let mut parallel = false;
        // A raw session that was left by a killed recorder may end in a half-written place: that is a
        // cut. A sealed file was whole once.
        let sealed = trace.form() == Form::Sealed;
        let mut damage: Vec<String> = trace
            .damage()
            .iter()
            .filter(|_| sealed)
            .map(ToString::to_string)
            .collect();
        for thread in trace.threads() {
            events.insert(thread.id, 0);
        }
        let mut look_at = |thread: ThreadId, piece: &[u8]| {
            sink(thread, piece);
            let count = events.entry(thread).or_insert(0);
            let process = trace.thread(thread).map(|row| row.process);
            for record in records_in(piece) {
                *count += u64::from(record.is_event());
                runs.add(&record);
                if let Some(child) = child_of(&record).filter(|child| Some(*child) != process) {
                    children.insert((thread, *count), child);
                }
                parallel |=
                    record.tag == record::THREADS && record.number == record::threads::PARALLEL;
                let found = Some(record).filter(|record| record.tag == record::START);
                let Some(found) = found.and_then(|record| Start::parse(record.payload)) else {
                    continue;
                };
                if process.is_some_and(is_wanted) {
                    for module in &found.modules {
                        let key = (module.path.0.clone(), module.build_id.clone());
                        modules.entry(key).or_insert_with(|| module.clone());
                    }
                }
                if thread == root.main_thread && start.is_none() {
                    start = Some(found);
                }
            }
        };
        trace.read_logs(&mut look_at, &mut |error| {
            let error = error.to_string();
            if !damage.contains(&error) {
                damage.push(error);
            }
        });
        runs.settle();
        let start = start.ok_or_else(|| PlanError::NoStart {
            name: root.name.clone(),
            reason: match damage.is_empty() {
                true => "its log ends before it; the recording was cut at once".to_owned(),
                false => damage.join("; "),
            },
        })?;
        let ends: BTreeMap<_, _> = trace
            .processes()
            .iter()
            .map(|process| (process.id, trace.end_of(process.id)))
            .collect();
        let damaged = !trace.damage().is_empty() || !damage.is_empty();
        let cut = damaged || ends.values().any(|end| *end == ProcessEnd::Cut);
        Ok(Self {
            root: root.id,
            start,
            modules: modules.into_values().collect(),
            events,
            children,
            ends,
            wanted,
            cut,
            damage,
            runs,
            parallel,
        })
    }
}

/// The process that a record's call made, or, for a thread, its own.
fn child_of(record: &Record<'_>) -> Option<ProcessId> {
    const FORKS: [Number; 4] = [Number::CLONE, Number::FORK, Number::VFORK, Number::CLONE3];
    let forks =
        record.tag == record::SYSCALL && FORKS.iter().any(|call| call.word() == record.number);
    let word = record.payload.first_chunk::<4>().filter(|_| forks)?;
    Some(ProcessId(u32::from_le_bytes(*word)))
}

/// The records of a piece of log, which consists of whole ones.
fn records_in(piece: &[u8]) -> impl Iterator<Item = Record<'_>> {
    let mut rest = piece;
    std::iter::from_fn(move || {
        let record = record::read(rest).ok()?;
        rest = rest.get(record.length..)?;
        Some(record)
    })
}

fn wanted(trace: &Trace, name: &str) -> Result<Vec<ProcessId>, PlanError> {
    if trace.manifest().contents != ContentsMode::All {
        return Err(PlanError::ContentsMissing);
    }
    let Some(mut process) = trace.process_named(name) else {
        let known: Vec<&str> = trace
            .processes()
            .iter()
            .map(|process| process.name.as_str())
            .collect();
        return Err(PlanError::NoSuchProcess {
            name: name.to_owned(),
            known: known.join(", "),
        });
    };
    let mut wanted = vec![process.id];
    // A parent's number is smaller than its child's, so a damaged table cannot lead in a circle.
    while let Some(parent) = trace
        .process(process.parent)
        .filter(|parent| parent.id < process.id)
    {
        wanted.push(parent.id);
        process = parent;
    }
    Ok(wanted)
}
