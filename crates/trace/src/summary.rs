//! What a trace holds, counted: the facts behind `wayfarer info`.

use std::collections::BTreeMap;

use wayfarer_calls::Number;
use wayfarer_model::{ProcessEnd, ProcessId, ThreadId, clocks};
use wayfarer_runtime_abi::record::{self, Record};

use crate::manifest::ThreadsMode;
use crate::records::Walk;
use crate::tables::Thread;
use crate::trace::Trace;

/// How often a kind of record occurs and how many bytes of raw log it takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindCount {
    pub count: u64,
    pub bytes: u64,
}

/// A warning that the runtime left in a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub process: ProcessId,
    pub thread: ThreadId,
    /// One of `record::note`.
    pub code: u64,
    pub value: i64,
    pub text: String,
    /// How often the same note occurs in that thread.
    pub count: u64,
    /// Number of the event in front of the first of them.
    pub event: u64,
}

/// How the threads of a process were recorded from its second thread on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadsChoice {
    pub mode: ThreadsMode,
    /// One of `record::threads`.
    pub reason: u8,
    pub value: i64,
}

/// Sync objects and their runs, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncCount {
    /// Objects by kind (one of `record::sync`).
    pub objects: BTreeMap<u8, u64>,
    /// Times that an object changed hands or its owner went from reading to writing or back, its first
    /// owner included.
    pub runs: u64,
    /// Accesses in runs whose length is known.
    pub accesses: u64,
    /// Outcomes other than the usual one.
    pub outcomes: u64,
}

impl SyncCount {
    fn add(&mut self, record: &Record<'_>) {
        match record.tag {
            record::ACQUIRE | record::ACQUIRE_READ => {
                self.runs += 1;
                self.accesses = self.accesses.saturating_add(record.run_length());
            }
            record::FINAL => {
                self.accesses = self.accesses.saturating_add(record.value.max(0) as u64);
            }
            record::OBJECT => *self.objects.entry(record.check).or_default() += 1,
            record::OUTCOME => self.outcomes += 1,
            _ => {}
        }
    }

    fn merge(&mut self, other: &Self) {
        for (kind, count) in &other.objects {
            *self.objects.entry(*kind).or_default() += count;
        }
        self.runs += other.runs;
        self.accesses = self.accesses.saturating_add(other.accesses);
        self.outcomes += other.outcomes;
    }
}

/// Counts of one process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessSummary {
    pub id: ProcessId,
    pub name: String,
    pub pid: u32,
    pub parent: ProcessId,
    pub end: ProcessEnd,
    pub threads: u64,
    pub events: u64,
    pub log_bytes: u64,
    /// By kind: see [`Summary::kinds`].
    pub kinds: BTreeMap<String, KindCount>,
    /// One for each program image that got a second thread, in order.
    pub choices: Vec<ThreadsChoice>,
    pub sync: SyncCount,
}

/// Counts of a whole trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub events: u64,
    pub records: u64,
    /// Bytes of all logs before compression.
    pub log_bytes: u64,
    pub bytes_on_disk: u64,
    /// By kind: `syscall`, `send`, `receive`, `clock`, `signal`, `turn`, `start`, `exit`, `output`,
    /// `acquire`, …
    pub kinds: BTreeMap<String, KindCount>,
    /// System calls by name, over all record kinds that carry a call number.
    pub calls: BTreeMap<String, KindCount>,
    /// Clock reads by name of the clock.
    pub clocks: BTreeMap<String, KindCount>,
    pub processes: Vec<ProcessSummary>,
    pub notes: Vec<Note>,
    pub sync: SyncCount,
    /// Sentences about what is wrong with the trace.
    pub problems: Vec<String>,
}

impl KindCount {
    fn add(&mut self, bytes: usize) {
        self.count += 1;
        self.bytes += bytes as u64;
    }
}

/// The word for a tag in [`Summary::kinds`].
pub fn kind_name(tag: u8) -> &'static str {
    match tag {
        record::SYSCALL => "syscall",
        record::SEND => "send",
        record::RESULT => "result",
        record::RECEIVE => "receive",
        record::TURN => "turn",
        record::SIGNAL => "signal",
        record::START => "start",
        record::YIELD => "yield",
        record::NOTE => "note",
        record::EXIT => "exit",
        record::OUTPUT => "output",
        record::ACQUIRE => "acquire",
        record::OUTCOME => "outcome",
        record::OBJECT => "object",
        record::FINAL => "final",
        record::THREADS => "threads",
        record::ACQUIRE_READ => "acquire-read",
        record::WAIT => "wait",
        record::POSTS => "posts",
        _ => "clock",
    }
}

/// Counts by number, before numbers get their names.
#[derive(Default)]
struct Tally {
    tags: BTreeMap<u8, KindCount>,
    calls: BTreeMap<u64, KindCount>,
    events: u64,
    records: u64,
    choices: Vec<ThreadsChoice>,
    sync: SyncCount,
}

impl Tally {
    fn add(&mut self, record: &Record<'_>) {
        self.records += 1;
        self.sync.add(record);
        self.choices.extend(threads_choice(record));
        self.events += u64::from(record.is_event());
        self.tags.entry(record.tag).or_default().add(record.length);
        if matches!(
            record.tag,
            record::SYSCALL | record::SEND | record::RECEIVE | record::OUTPUT | record::EXIT
        ) {
            self.calls
                .entry(record.number)
                .or_default()
                .add(record.length);
        }
    }
}

/// What a `THREADS` record says.
fn threads_choice(record: &Record<'_>) -> Option<ThreadsChoice> {
    (record.tag == record::THREADS).then_some(ThreadsChoice {
        mode: match record.number {
            record::threads::PARALLEL => ThreadsMode::Parallel,
            _ => ThreadsMode::Serial,
        },
        reason: record.check,
        value: record.value,
    })
}

fn merge<K: Ord>(into: &mut BTreeMap<K, KindCount>, key: K, count: KindCount) {
    let sum = into.entry(key).or_default();
    sum.count += count.count;
    sum.bytes += count.bytes;
}

impl Summary {
    pub(crate) fn of(trace: &Trace) -> Self {
        let mut summary = Self {
            bytes_on_disk: trace.bytes_on_disk(),
            ..Self::default()
        };
        summary
            .problems
            .extend(trace.damage().iter().map(ToString::to_string));
        summary
            .problems
            .extend(trace.solid().err().map(str::to_owned));
        for process in trace.processes() {
            summary.processes.push(ProcessSummary {
                id: process.id,
                name: process.name.clone(),
                pid: process.pid,
                parent: process.parent,
                end: trace.end_of(process.id),
                threads: 0,
                events: 0,
                log_bytes: 0,
                kinds: BTreeMap::new(),
                choices: Vec::new(),
                sync: SyncCount::default(),
            });
        }
        for thread in trace.threads() {
            summary.add_thread(trace, thread);
        }
        summary
    }

    fn add_thread(&mut self, trace: &Trace, thread: &Thread) {
        let mut tally = Tally::default();
        // How often, and after which event first.
        let mut notes: BTreeMap<(u64, i64, Vec<u8>), (u64, u64)> = BTreeMap::new();
        let mut walk = Walk::new(thread.id);
        let mut bad = None;
        let read = trace.read_log(thread.id, &mut |piece| {
            if bad.is_some() {
                return;
            }
            let walked = walk.piece(piece, &mut |entry| {
                let record = entry.record;
                tally.add(&record);
                if record.tag == record::NOTE {
                    let note = (record.number, record.value, record.payload.to_vec());
                    let event = entry.event.0.saturating_sub(1);
                    notes.entry(note).or_insert((0, event)).0 += 1;
                }
            });
            bad = walked.err();
        });
        self.problems
            .extend(read.err().map(|error| error.to_string()));
        self.problems.extend(bad.map(|bad| bad.to_string()));
        let of_thread =
            |((code, value, text), (count, event)): ((u64, i64, Vec<u8>), (u64, u64))| Note {
                process: thread.process,
                thread: thread.id,
                code,
                value,
                text: String::from_utf8_lossy(&text).into_owned(),
                count,
                event,
            };
        self.notes.extend(notes.into_iter().map(of_thread));
        self.add_tally(thread, &tally);
    }

    fn add_tally(&mut self, thread: &Thread, tally: &Tally) {
        self.events += tally.events;
        self.records += tally.records;
        self.log_bytes += thread.log_length;
        let row = self
            .processes
            .binary_search_by_key(&thread.process, |process| process.id);
        let mut process = row.ok().and_then(|row| self.processes.get_mut(row));
        self.sync.merge(&tally.sync);
        if let Some(process) = &mut process {
            process.choices.extend_from_slice(&tally.choices);
            process.sync.merge(&tally.sync);
            process.threads += 1;
            process.events += tally.events;
            process.log_bytes += thread.log_length;
        }
        for (tag, count) in &tally.tags {
            let name = kind_name(*tag);
            merge(&mut self.kinds, name.to_owned(), *count);
            if let Some(process) = &mut process {
                merge(&mut process.kinds, name.to_owned(), *count);
            }
            if let Some(clock) = tag.checked_sub(record::CLOCK) {
                let name = clocks::name(u64::from(clock)).map(str::to_owned);
                let name = name.unwrap_or_else(|| format!("clock {clock}"));
                merge(&mut self.clocks, name, *count);
            }
        }
        for (number, count) in &tally.calls {
            let name = Number::from(*number).name().map(str::to_owned);
            merge(
                &mut self.calls,
                name.unwrap_or_else(|| format!("call {number}")),
                *count,
            );
        }
    }
}
