//! Histories as text.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

use wayfarer_model::{ProcessId, ThreadId};
use wayfarer_replay::sync_words::{kind_name, object_name, side_letter};
use wayfarer_replay::words::{process_name, thread_index, thread_name};
use wayfarer_runtime_abi::record::sync;
use wayfarer_trace::{History, Run, SyncObject, ThreadsMode, Trace};

use super::contention::counted_waits;
use crate::places::{Place, Places};

/// How much is shown.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Runs at either end of a long history.
    pub(super) runs_at_an_end: usize,
    /// Objects and waits that the summary names.
    pub(super) hottest: usize,
}

impl Limits {
    pub(super) const USUAL: Limits = Limits {
        runs_at_an_end: 20,
        hottest: 5,
    };
    pub(super) const NONE: Limits = Limits {
        runs_at_an_end: usize::MAX,
        hottest: usize::MAX,
    };

    /// Which of `count` runs are not shown: all but the first and the last few.
    pub(super) fn left_out(self, count: usize) -> Range<usize> {
        let limit = self.runs_at_an_end;
        match limit.checked_mul(2) {
            // Leaving out a single one would save nothing.
            Some(shown) if count > shown + 1 => limit..count - limit,
            _ => 0..0,
        }
    }
}

/// How often a run did something of this letter; nothing: not at all.
fn accesses_text(letter: char, count: u64) -> String {
    match count {
        0 => String::new(),
        more => counted_text(letter, more),
    }
}

/// The same; 0: not known.
fn counted_text(letter: char, count: u64) -> String {
    match count {
        0 => format!("{letter}×?"),
        1 => letter.to_string(),
        more => format!("{letter}×{more}"),
    }
}

/// Histories with the names of the trace.
pub(super) struct View<'a> {
    pub(super) trace: &'a Trace,
    /// Process and number within it, of each thread that was named.
    names: BTreeMap<ThreadId, (ProcessId, u32)>,
    places: Places<'a>,
    /// The function that each thread began with.
    routines: BTreeMap<ThreadId, u64>,
    pub(super) limits: Limits,
}

impl<'a> View<'a> {
    pub(super) fn new(trace: &'a Trace, history: &History, limits: Limits) -> Self {
        Self {
            trace,
            names: BTreeMap::new(),
            places: Places::new(trace),
            routines: history.routines.clone(),
            limits,
        }
    }

    /// The process of a thread, and which of its threads it is.
    pub(super) fn thread(&mut self, id: ThreadId) -> (ProcessId, u32) {
        let trace = self.trace;
        *self.names.entry(id).or_insert_with(|| {
            let process = trace.thread(id).map_or(ProcessId(0), |row| row.process);
            (process, thread_index(trace, id))
        })
    }

    /// The name of the function that a thread began with.
    pub(super) fn routine(&mut self, id: ThreadId) -> Option<String> {
        let address = *self.routines.get(&id)?;
        let process = self.thread(id).0;
        self.places.function(process, address)
    }

    /// Process, number and function of a thread.
    pub(super) fn thread_text(&mut self, id: ThreadId) -> String {
        let name = thread_name(self.trace, id);
        match self.routine(id) {
            Some(routine) => format!("{name} ({routine})"),
            None => name,
        }
    }

    /// Where an object was made; objects of the runtime's own have no place.
    pub(super) fn place(&mut self, object: &SyncObject) -> Option<Place> {
        (object.place != 0).then(|| self.places.of(object.process, object.place))
    }

    /// The variable that an object is, or is part of.
    pub(super) fn variable(&mut self, object: &SyncObject) -> Option<String> {
        (object.address != 0)
            .then(|| self.places.variable(object.process, object.address))
            .flatten()
    }

    /// What an object is and where it came from, in words.
    pub(super) fn description(&mut self, object: &SyncObject) -> String {
        let mut text = kind_name(object.kind).to_owned();
        if let Some(variable) = self.variable(object) {
            let _ = write!(text, " `{variable}`");
        }
        let _ = write!(text, " of {}", process_name(self.trace, object.process));
        if object.address != 0 {
            let _ = write!(text, " at {:#x}", object.address);
        }
        if let Some(place) = self.place(object) {
            let _ = write!(text, ", made in {place}");
        }
        text
    }

    /// Position of the first access of a run, the run as dbxR shows it.
    fn run_text(&mut self, position: u64, run: Run, kind: Option<u8>, several: bool) -> String {
        let (process, index) = self.thread(run.thread);
        let owner = if several {
            format!("{process}.{index}")
        } else {
            index.to_string()
        };
        let accesses = match kind {
            Some(sync::SEMAPHORE) if run.length != 0 => {
                let takes = accesses_text('t', run.length - run.posts);
                accesses_text('p', run.posts) + &takes
            }
            Some(sync::SEMAPHORE) => "×?".to_owned(),
            Some(sync::BARRIER) => counted_text('a', run.length),
            _ => counted_text(side_letter(run.side), run.length),
        };
        format!("{position}:{owner}{accesses}")
    }

    /// Whether threads of several processes had it.
    fn is_shared(&mut self, object: &SyncObject) -> bool {
        object
            .runs
            .iter()
            .any(|run| self.thread(run.thread).0 != object.process)
    }

    pub(super) fn text(&mut self, history: &History) -> String {
        if history.objects.is_empty() {
            return "no histories: no process of this trace was recorded with its threads in parallel (`wayfarer info` tells why)".to_owned();
        }
        let mut out = String::from(
            "access histories (position:thread, w: writer, r: reader, p: post and t: take of a semaphore, a: arrival at a barrier, ×n: n accesses in a row)\n",
        );
        for object in &history.objects {
            self.object_text(&mut out, object);
        }
        self.threads_text(&mut out, history);
        self.serial_text(&mut out);
        self.contention_text(&mut out, history);
        out
    }

    fn object_text(&mut self, out: &mut String, object: &SyncObject) {
        let name = object_name(object.kind, object.id);
        let several = self.is_shared(object);
        let _ = write!(out, "\n{name:<6}");
        let count = object.runs.len();
        let left_out = self.limits.left_out(count);
        let mut position = 0u64;
        for (index, run) in object.runs.iter().enumerate() {
            if index == left_out.start && !left_out.is_empty() {
                let _ = write!(
                    out,
                    " … {} runs left out (--all shows them) …",
                    left_out.len()
                );
            }
            if !left_out.contains(&index) {
                let text = self.run_text(position, *run, object.kind, several);
                let _ = write!(out, " {text}");
            }
            position = position.saturating_add(run.length);
        }
        let waits = match object.waits.is_empty() {
            true => String::new(),
            false => format!(", {}", counted_waits(object)),
        };
        let accesses = match (object.rounds(), object.posts()) {
            (Some(rounds), _) => format!(
                "{} and {} of {}",
                counted(object.accesses(), "arrival", "arrivals"),
                counted(rounds, "round", "rounds"),
                object.members
            ),
            (_, Some(posts)) => format!(
                "{} and {}",
                counted(posts, "post", "posts"),
                counted(object.accesses() - posts, "take", "takes")
            ),
            _ => counted(object.accesses(), "access", "accesses"),
        };
        let _ = writeln!(
            out,
            "\n       {}\n       {accesses} in {}, {}{waits}",
            self.description(object),
            counted(count as u64, "run", "runs"),
            counted(object.hand_overs(), "hand-over", "hand-overs"),
        );
    }

    /// Which thread each number stands for.
    fn threads_text(&mut self, out: &mut String, history: &History) {
        let mut by_process: BTreeMap<ProcessId, Vec<String>> = BTreeMap::new();
        for id in all_owners(history) {
            let (process, index) = self.thread(id);
            let tid = self.trace.thread(id).map_or(0, |thread| thread.tid);
            let routine = self
                .routine(id)
                .map_or_else(String::new, |name| format!(", {name}"));
            by_process
                .entry(process)
                .or_default()
                .push(format!("{index} (tid {tid}{routine})"));
        }
        out.push('\n');
        for (process, threads) in by_process {
            let _ = writeln!(
                out,
                "threads of {} (process {process}): {}",
                process_name(self.trace, process),
                threads.join(", ")
            );
        }
    }

    /// Processes whose threads took turns have no histories.
    fn serial_text(&self, out: &mut String) {
        for process in &self.trace.summary().processes {
            let last = process.choices.last();
            if last.is_some_and(|choice| choice.mode == ThreadsMode::Serial) {
                let _ = writeln!(
                    out,
                    "{} was recorded serially: it has turns, and no histories",
                    process.name
                );
            }
        }
    }
}

/// The threads that had an object.
pub(super) fn owners(object: &SyncObject) -> Vec<ThreadId> {
    let mut owners: Vec<ThreadId> = Vec::new();
    for run in &object.runs {
        if let Err(place) = owners.binary_search(&run.thread) {
            owners.insert(place, run.thread);
        }
    }
    owners
}

/// The threads that had any object.
pub(super) fn all_owners(history: &History) -> Vec<ThreadId> {
    let mut all: Vec<ThreadId> = history.objects.iter().flat_map(owners).collect();
    all.sort_unstable();
    all.dedup();
    all
}

pub(super) fn counted(count: u64, one: &str, more: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        count => format!("{count} {more}"),
    }
}
