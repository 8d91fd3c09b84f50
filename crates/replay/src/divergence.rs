//! Explains what differed between a replay and its trace, where, and why that may be.

use std::fmt;

use serde::Serialize;
use wayfarer_model::{ProcessEnd, ProcessId, ThreadId, signals};
use wayfarer_runtime_abi::layout::divergence as kind;
use wayfarer_trace::Trace;

use crate::causes::{self, kind_and_cause, remedy, unrecorded_input};
use crate::events::{call_name, describe, describe_parts};
use crate::observed::{Met, ThreadState, Wait};
use crate::races::{self, Around, Raced};
use crate::sync_words::kind_name;
use crate::words::{process_name, thread_index, thread_name, wait_text};

/// How many events of the thread are shown before the one that differed.
const SHOWN_BEFORE: usize = 5;

/// How a replay differed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// A thread met an event that its log did not promise.
    Met(Box<Met>),
    /// Every thread waits for what cannot come.
    Standstill,
    /// A process ended before it had made all its recorded events.
    EndedEarly {
        thread: ThreadId,
        event: u64,
        end: Option<ProcessEnd>,
    },
    /// A process ended in another way.
    OtherEnd {
        process: ProcessId,
        recorded: ProcessEnd,
        came: ProcessEnd,
    },
    /// A recorded process was never started.
    NeverStarted { process: ProcessId },
}

/// A divergence, ready to be shown. `docs/errors.md` lists the kinds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Explanation {
    pub kind: &'static str,
    /// Name of the process.
    pub process: String,
    /// The thread within the process, counted from one; 0 where it is the process as a whole.
    pub thread: u32,
    /// Number of the event in the thread, counted from zero.
    pub event: u64,
    pub promised: String,
    pub came: String,
    /// The thread's last events before, oldest first.
    pub before: Vec<EventLine>,
    /// Where the other threads were, and what each waited for.
    pub others: Vec<String>,
    /// Histories of the sync objects in question, around the place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub histories: Vec<String>,
    pub likely_cause: String,
    pub remedy: String,
    /// A race that `--threads auto` did not foresee is in this program.
    #[serde(skip)]
    pub raced: Option<Raced>,
}

/// An event with its number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EventLine {
    pub event: u64,
    pub text: String,
}

/// Explains a difference. `threads`: where all threads were when it was found.
pub fn explain(trace: &Trace, difference: &Difference, threads: &[ThreadState]) -> Explanation {
    let mut explanation = match difference {
        Difference::Met(met) => met_text(trace, met, threads),
        Difference::Standstill => standstill(trace, threads),
        Difference::EndedEarly { thread, event, end } => Explanation {
            kind: "ended-early",
            promised: promised_event(trace, *thread, *event),
            came: end.map_or_else(
                || "the process ended".to_owned(),
                |end| format!("the process {end}"),
            ),
            likely_cause: "the process ended before it had made all its recorded events".to_owned(),
            ..at_thread(trace, *thread, *event, threads)
        },
        Difference::OtherEnd {
            process,
            recorded,
            came,
        } => Explanation {
            kind: "other-end",
            process: process_name(trace, *process),
            promised: format!("the process {recorded}"),
            came: format!("the process {came}"),
            likely_cause: unrecorded_input(trace, *process),
            ..Explanation::default()
        },
        Difference::NeverStarted { process } => Explanation {
            kind: "never-started",
            process: process_name(trace, *process),
            promised: "the process is started".to_owned(),
            came: "it was not".to_owned(),
            likely_cause: "its parent ended, or took another way, before it had started it"
                .to_owned(),
            ..Explanation::default()
        },
    };
    if causes::is_for_want_of_the_rest(trace, explanation.kind) {
        explanation.likely_cause = causes::THE_REST_IS_MISSING.to_owned();
        explanation.remedy = causes::GET_THE_REST.to_owned();
        return explanation;
    }
    let process = process_of(trace, difference, threads);
    let race = races::remedy(trace, process);
    if race.is_some() && matches!(explanation.kind, "standstill" | "ended-early") {
        explanation.likely_cause = races::cause(trace, process);
    }
    explanation.remedy = remedy(explanation.kind, race);
    if race == Some(explanation.remedy.as_str()) {
        explanation.raced = races::program_of(trace, process);
    }
    explanation
}

/// The process that a difference is in.
fn process_of(trace: &Trace, difference: &Difference, threads: &[ThreadState]) -> ProcessId {
    match difference {
        Difference::Met(met) => met.process,
        Difference::EndedEarly { thread, .. } => trace
            .thread(*thread)
            .map_or(ProcessId(0), |row| row.process),
        Difference::OtherEnd { process, .. } | Difference::NeverStarted { process } => *process,
        Difference::Standstill => {
            stuck_thread(threads).map_or(ProcessId(0), |thread| thread.process)
        }
    }
}

fn met_text(trace: &Trace, met: &Met, threads: &[ThreadState]) -> Explanation {
    let (kind, likely_cause) = kind_and_cause(trace, met.kind, met.process);
    let place = Explanation {
        kind,
        promised: if met.kind == kind::CLONE_FAILED {
            format!("{} starts a child", call_name(met.came_number))
        } else {
            describe_parts(met.promised_tag, met.promised_number, met.promised_result)
        },
        came: came_text(met),
        likely_cause,
        ..at_thread(trace, met.thread, met.event, threads)
    };
    if met.kind != kind::OTHER_SYNC {
        return place;
    }
    let marks = races::marks_of(trace, met);
    let around = Around::of(trace, &marks);
    let [came, address, promised, run] = met.detail;
    let kind = u8::try_from(met.came_number).ok();
    Explanation {
        promised: match promised {
            0 => place.promised,
            object => format!("run {run} of {}", around.name(trace, object)),
        },
        came: match came {
            0 => format!(
                "an access to a {} at {address:#x} that has no number yet",
                kind_name(kind)
            ),
            object => format!(
                "an access to {} at {address:#x}",
                around.name(trace, object)
            ),
        },
        histories: around.lines(trace, &marks),
        ..place
    }
}

fn came_text(met: &Met) -> String {
    let [first, second, third, _] = met.detail;
    match met.kind {
        kind::OTHER_MEMORY => {
            format!("{second} bytes at {first:#x} could not be mapped (error {third})")
        }
        kind::OTHER_FILE | kind::OTHER_MODULES => format!("another file: {}", met.text),
        kind::FAULT => {
            let signal = i32::try_from(first)
                .ok()
                .and_then(signals::name)
                .unwrap_or("a fault");
            format!("{signal} at address {second:#x}, instruction {third:#x}")
        }
        kind::EXEC_FAILED => format!("{} could not be started (error {first})", met.text),
        kind::CLONE_FAILED => format!("no new process or thread (error {first})"),
        kind::OTHER_OUTPUT => format!("the same {} with other bytes", call_name(met.came_number)),
        _ => {
            let text = if met.text.is_empty() {
                String::new()
            } else {
                format!(" ({})", met.text)
            };
            if met.came_number < 0 {
                return format!("an event that is not a call{text}");
            }
            let arguments: Vec<String> = met
                .came_arguments
                .iter()
                .map(|argument| format!("{argument:#x}"))
                .collect();
            format!(
                "{}({}){text}",
                call_name(met.came_number),
                arguments.join(", ")
            )
        }
    }
}

/// The thread to show is one that runs without end, or else one that waits for another; not one whose
/// log is over.
fn stuck_thread(threads: &[ThreadState]) -> Option<&ThreadState> {
    let live = || threads.iter().filter(|thread| thread.live);
    let waits = |thread: &&ThreadState| {
        matches!(
            thread.wait,
            Wait::Stream { .. } | Wait::Child(_) | Wait::Turn(_) | Wait::Sync { .. }
        )
    };
    let runs = live().find(|thread| thread.wait == Wait::No);
    runs.or_else(|| live().find(waits))
        .or_else(|| live().next())
}

fn standstill(trace: &Trace, threads: &[ThreadState]) -> Explanation {
    let place = match stuck_thread(threads) {
        Some(thread) if thread.wait == Wait::No => Explanation {
            promised: promised_event(trace, thread.id, thread.events),
            came: "nothing: it runs without making an event, for much longer than the whole recording took".to_owned(),
            ..at_thread(trace, thread.id, thread.events, threads)
        },
        Some(thread) => Explanation {
            promised: promised_event(trace, thread.id, thread.events),
            came: format!("nothing: it waits {}, and no thread can go on", wait_text(trace, &thread.wait, threads)),
            ..at_thread(trace, thread.id, thread.events, threads)
        },
        None => Explanation {
            process: process_name(trace, ProcessId(1)),
            came: "nothing moves".to_owned(),
            ..Explanation::default()
        },
    };
    let marks = races::marks_of_waits(threads);
    let around = Around::of(trace, &marks);
    let cause = "a thread that should have delivered took another way, without an event that shows it, or ended";
    Explanation {
        kind: "standstill",
        likely_cause: cause.to_owned(),
        histories: around.lines(trace, &marks),
        ..place
    }
}

/// Place and past of a thread; the rest is empty.
fn at_thread(trace: &Trace, thread: ThreadId, event: u64, threads: &[ThreadState]) -> Explanation {
    let process = trace
        .thread(thread)
        .map_or(ProcessId(0), |found| found.process);
    let others = threads
        .iter()
        .filter(|other| other.live && other.id != thread)
        .map(|other| {
            let what = wait_text(trace, &other.wait, threads);
            format!(
                "{} at event {}, waits {what}",
                thread_name(trace, other.id),
                other.events
            )
        })
        .collect();
    Explanation {
        process: process_name(trace, process),
        thread: thread_index(trace, thread),
        event,
        before: events_before(trace, thread, event),
        others,
        ..Explanation::default()
    }
}

fn events_before(trace: &Trace, thread: ThreadId, event: u64) -> Vec<EventLine> {
    let Ok(records) = trace.records(thread) else {
        return Vec::new();
    };
    let mut lines: Vec<EventLine> = Vec::new();
    for entry in records
        .iter()
        .map_while(Result::ok)
        .take_while(|entry| entry.event.0 < event)
    {
        if entry.record.is_event() {
            if lines.len() == SHOWN_BEFORE {
                lines.remove(0);
            }
            lines.push(EventLine {
                event: entry.event.0,
                text: describe(&entry.record),
            });
        }
    }
    lines
}

fn promised_event(trace: &Trace, thread: ThreadId, event: u64) -> String {
    let Ok(records) = trace.records(thread) else {
        return "an event that cannot be read".to_owned();
    };
    let mut entries = records.iter().map_while(Result::ok);
    let promised = entries.find(|entry| entry.event.0 == event && entry.record.is_event());
    promised.map_or_else(
        || "nothing more: its log ends here".to_owned(),
        |entry| describe(&entry.record),
    )
}

impl fmt::Display for Explanation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let thread = if self.thread > 1 {
            format!(", thread {}", self.thread)
        } else {
            String::new()
        };
        let event = if self.thread > 0 {
            format!(" at event {}", self.event)
        } else {
            String::new()
        };
        writeln!(
            formatter,
            "diverged ({}) in {}{thread}{event}",
            self.kind, self.process
        )?;
        writeln!(formatter, "  promised  {}", self.promised)?;
        writeln!(formatter, "  came      {}", self.came)?;
        for (index, line) in self.before.iter().enumerate() {
            let label = if index == 0 { "before" } else { "" };
            writeln!(formatter, "  {label:<9} {:>6}  {}", line.event, line.text)?;
        }
        for (index, line) in self.others.iter().enumerate() {
            let label = if index == 0 { "others" } else { "" };
            writeln!(formatter, "  {label:<9} {line}")?;
        }
        for (index, line) in self.histories.iter().enumerate() {
            let label = if index == 0 { "history" } else { "" };
            writeln!(formatter, "  {label:<9} {line}")?;
        }
        writeln!(formatter, "  likely    {}", self.likely_cause)?;
        write!(formatter, "  remedy    {}", self.remedy)
    }
}
