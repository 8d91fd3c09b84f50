//! Data races: what a parallel recording cannot promise, told with the histories around the place.

use std::collections::BTreeSet;

use wayfarer_model::{ProcessId, ThreadId};
use wayfarer_runtime_abi::record::{self, Record, threads};
use wayfarer_trace::{History, SyncObject, Text, ThreadsMode, Trace};

use crate::late;
use crate::observed::{Met, ThreadState, Wait};
use crate::start::Start;
use crate::sync_words::{kind_name, object_name, side_letter};
use crate::words::{process_name, thread_index};

/// Runs that are shown on either side of the one in question.
const SHOWN_AROUND: usize = 3;
/// Objects whose histories are shown.
const MOST_OBJECTS: usize = 8;

/// Why a replay of a parallel recording most likely differed.
const CAUSE: &str = "a data race: threads of this process were recorded in parallel, and two of them touch the same memory without a lock between them";
/// What to do about it.
const REMEDY: &str = "`wayfarer replay --check --retry 20` tries again with other timing; `wayfarer solidify` looks for a replay that is exact from then on; `wayfarer record --threads serial` records races, too";

/// Whether the threads of a process were recorded in parallel.
pub fn is_parallel(trace: &Trace, process: ProcessId) -> bool {
    let summary = trace.summary();
    let found = summary.processes.iter().find(|row| row.id == process);
    found.is_some_and(|row| {
        row.choices
            .iter()
            .any(|choice| choice.mode == ThreadsMode::Parallel)
    })
}

/// A program that raced, by the file that it was started from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raced {
    pub path: Text,
    pub build_id: Vec<u8>,
}

/// The program of a process that `--threads auto` found fit to be recorded in parallel.
pub fn program_of(trace: &Trace, process: ProcessId) -> Option<Raced> {
    let is_chosen = |record: &Record<'_>| {
        record.tag == record::THREADS
            && record.number == threads::PARALLEL
            && record.check == threads::ALL_VISIBLE
    };
    let mut chosen = trace
        .threads()
        .iter()
        .filter(|thread| thread.process == process)
        .filter_map(|thread| {
            let records = trace.records(thread.id).ok()?;
            let mut known = records.iter().map_while(Result::ok);
            known
                .position(|entry| is_chosen(&entry.record))
                .map(|place| (thread.id, place))
        });
    let (thread, place) = chosen.next()?;
    let start = last_start(trace, thread, place).or_else(|| inherited_start(trace, process))?;
    let program = start.modules.into_iter().next()?;
    Some(Raced {
        path: program.path,
        build_id: program.build_id,
    })
}

/// The last program that a thread began within its first `most` records.
fn last_start(trace: &Trace, thread: ThreadId, most: usize) -> Option<Start> {
    let records = trace.records(thread).ok()?;
    let known = records.iter().take(most).map_while(Result::ok);
    known
        .filter(|entry| entry.record.tag == record::START)
        .last()
        .and_then(|entry| Start::parse(entry.record.payload))
}

/// A forked child goes on with the program of the parent.
fn inherited_start(trace: &Trace, process: ProcessId) -> Option<Start> {
    let find = |id| trace.processes().iter().find(|row| row.id == id);
    let mut parent = find(find(process)?.parent)?;
    for _ in 0..trace.processes().len() {
        if let Some(start) = last_start(trace, parent.main_thread, usize::MAX) {
            return Some(start);
        }
        parent = find(parent.parent)?;
    }
    None
}

/// Why a replay of this process, which was recorded in parallel, most likely differed.
pub fn cause(trace: &Trace, process: ProcessId) -> String {
    late::cause(trace, process).unwrap_or_else(|| CAUSE.to_owned())
}

/// What to do about it, if the process was recorded in parallel.
pub fn remedy(trace: &Trace, process: ProcessId) -> Option<&'static str> {
    let is_late = || late::cause(trace, process).is_some();
    is_parallel(trace, process).then(|| if is_late() { late::REMEDY } else { REMEDY })
}

/// An object and a run of it that matter for an explanation.
pub type Mark = (u64, u32);

/// Objects that a divergence is about: the one promised, and the one that came, as far as the thread
/// had got with it.
pub fn marks_of(trace: &Trace, met: &Met) -> Vec<Mark> {
    let [came, _, promised, run] = met.detail;
    let mut marks = Vec::new();
    if promised != 0 {
        marks.push((promised, u32::try_from(run).unwrap_or(u32::MAX)));
    }
    if came != 0 && came != promised {
        marks.push((came, last_run(trace, met, came)));
    }
    marks
}

/// Objects that threads wait for.
pub fn marks_of_waits(threads: &[ThreadState]) -> Vec<Mark> {
    let live = threads.iter().filter(|thread| thread.live);
    let marks: BTreeSet<Mark> = live
        .filter_map(|thread| match thread.wait {
            Wait::Sync { object, run } => Some((u64::from(object), run)),
            _ => None,
        })
        .collect();
    marks.into_iter().collect()
}

/// The last run of an object that the thread began before the record that it was promised.
fn last_run(trace: &Trace, met: &Met, object: u64) -> u32 {
    let Ok(records) = trace.records(met.thread) else {
        return 0;
    };
    let [.., promised, run] = met.detail;
    let is_promised = |record: &Record<'_>| {
        record.is_acquire() && record.number == promised && record.value as u64 == run
    };
    let before = records
        .iter()
        .map_while(Result::ok)
        .take_while(|entry| entry.event.0 <= met.event && !is_promised(&entry.record));
    let last = before
        .filter(|entry| entry.record.is_acquire() && entry.record.number == object)
        .last();
    last.map_or(0, |entry| u32::try_from(entry.record.value).unwrap_or(0))
}

/// The histories around these runs, and the objects by name.
pub struct Around {
    history: History,
}

impl Around {
    pub fn of(trace: &Trace, marks: &[Mark]) -> Self {
        if marks.is_empty() {
            return Self {
                history: History::default(),
            };
        }
        Self {
            history: History::of_some(trace, &mut |id| {
                marks.iter().any(|(object, _)| *object == id)
            }),
        }
    }

    /// `L3 (mutex of server)`.
    pub fn name(&self, trace: &Trace, object: u64) -> String {
        match self.history.object(object) {
            Some(object) => format!(
                "{} ({} of {})",
                object_name(object.kind, object.id),
                kind_name(object.kind),
                process_name(trace, object.process)
            ),
            None => format!("sync object {object}"),
        }
    }

    /// One line for each mark: its runs and a few around it, the marked one in brackets.
    pub fn lines(&self, trace: &Trace, marks: &[Mark]) -> Vec<String> {
        let shown = marks.iter().take(MOST_OBJECTS);
        shown
            .filter_map(|(id, run)| Some(line(trace, self.history.object(*id)?, *run)))
            .collect()
    }
}

fn line(trace: &Trace, object: &SyncObject, run: u32) -> String {
    let place = object.runs.partition_point(|other| other.number < run);
    let first = place.saturating_sub(SHOWN_AROUND);
    let last = (place + SHOWN_AROUND + 1).min(object.runs.len());
    let mut position: u64 = object.runs[..first]
        .iter()
        .fold(0, |sum: u64, run| sum.saturating_add(run.length));
    let mut texts = Vec::new();
    for other in &object.runs[first..last] {
        let thread = thread_index(trace, other.thread);
        let length = match other.length {
            0 => "×?".to_owned(),
            1 => String::new(),
            more => format!("×{more}"),
        };
        let text = format!("{position}:{thread}{}{length}", side_letter(other.side));
        texts.push(if other.number == run {
            format!("[{text}]")
        } else {
            text
        });
        position = position.saturating_add(other.length);
    }
    let before = if first > 0 { "… " } else { "" };
    let behind = if last < object.runs.len() { " …" } else { "" };
    format!(
        "{} {} of {}: {before}{}{behind}",
        object_name(object.kind, object.id),
        kind_name(object.kind),
        process_name(trace, object.process),
        texts.join(" ")
    )
}
