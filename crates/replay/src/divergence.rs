//! Explains what differed between a replay and its trace, where, and why that may be.

use std::fmt;

use serde::Serialize;
use wayfarer_model::{ProcessEnd, ProcessId, ThreadId};
use wayfarer_runtime_abi::layout::divergence as kind;
use wayfarer_runtime_abi::record::note;
use wayfarer_trace::Trace;

use crate::events::{call_name, describe, describe_note, describe_parts};
use crate::observed::{Met, ThreadState, Wait};

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

/// A divergence, ready to be shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// `other-call`, `other-arguments`, `other-output`, `other-memory`, `other-file`, `after-end`, `bad-log`, `fault`,
    /// `exec-failed`, `clone-failed`, `other-modules`, `standstill`, `ended-early`, `other-end`, `never-started`.
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
    pub likely_cause: String,
    pub remedy: String,
}

/// An event with its number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EventLine {
    pub event: u64,
    pub text: String,
}

/// Explains a difference. `threads`: where everybody was when it was found.
pub fn explain(trace: &Trace, difference: &Difference, threads: &[ThreadState]) -> Explanation {
    match difference {
        Difference::Met(met) => explain_met(trace, met, threads),
        Difference::Standstill => explain_standstill(trace, threads),
        Difference::EndedEarly { thread, event, end } => {
            let came = end.map_or_else(
                || "the process ended".to_owned(),
                |end| format!("the process {end}"),
            );
            let promised = promised_event(trace, *thread, *event);
            let cause = "the process ended before it had made all its recorded events".to_owned();
            at_thread(
                trace,
                "ended-early",
                *thread,
                *event,
                promised,
                came,
                cause,
                threads,
            )
        }
        Difference::OtherEnd {
            process,
            recorded,
            came,
        } => {
            let cause = unrecorded_input(trace, *process);
            of_process(
                trace,
                "other-end",
                *process,
                format!("the process {recorded}"),
                format!("the process {came}"),
                cause,
            )
        }
        Difference::NeverStarted { process } => {
            let cause =
                "its parent ended, or took another way, before it had started it".to_owned();
            of_process(
                trace,
                "never-started",
                *process,
                "a process is started".to_owned(),
                "it was not".to_owned(),
                cause,
            )
        }
    }
}

fn explain_met(trace: &Trace, met: &Met, threads: &[ThreadState]) -> Explanation {
    let (name, cause) = match met.kind {
        kind::OTHER_CALL => ("other-call", unrecorded_input(trace, met.process)),
        kind::OTHER_ARGUMENTS => ("other-arguments", unrecorded_input(trace, met.process)),
        kind::OTHER_OUTPUT => ("other-output", unrecorded_input(trace, met.process)),
        kind::OTHER_MEMORY => ("other-memory", "the address is taken here: another kernel, a memory limit (ulimit -v), or a different stack limit (ulimit -s)".to_owned()),
        kind::OTHER_FILE => ("other-file", "the file was changed since the recording".to_owned()),
        kind::AFTER_END => ("after-end", unrecorded_input(trace, met.process)),
        kind::BAD_LOG => ("bad-log", "the trace is damaged at this place".to_owned()),
        kind::FAULT => ("fault", unrecorded_input(trace, met.process)),
        kind::EXEC_FAILED => ("exec-failed", "the program is missing here, or was changed since the recording".to_owned()),
        kind::CLONE_FAILED => ("clone-failed", "a limit on processes or memory is lower here than it was (ulimit -u, cgroup)".to_owned()),
        kind::OTHER_MODULES => ("other-modules", "a library was updated since the recording, or the loader finds another one here".to_owned()),
        _ => ("unknown", "a difference of a kind that this wayfarer does not know".to_owned()),
    };
    let promised = describe_parts(met.promised_tag, met.promised_number, met.promised_result);
    let came = came_text(met);
    at_thread(
        trace, name, met.thread, met.event, promised, came, cause, threads,
    )
}

fn came_text(met: &Met) -> String {
    let [first, second, third, _] = met.detail;
    match met.kind {
        kind::OTHER_MEMORY => {
            format!("{second} bytes at {first:#x} could not be mapped (error {third})")
        }
        kind::OTHER_FILE | kind::OTHER_MODULES => format!("another file: {}", met.text),
        kind::BAD_LOG => format!("a log that cannot be read at its byte {first}"),
        kind::FAULT => {
            let signal = i32::try_from(first)
                .ok()
                .and_then(wayfarer_model::signals::name);
            format!(
                "{} at address {second:#x}, instruction {third:#x}",
                signal.unwrap_or("a fault")
            )
        }
        kind::EXEC_FAILED => format!("{} could not be started (error {first})", met.text),
        kind::CLONE_FAILED => format!("no new process or thread (error {first})"),
        kind::OTHER_OUTPUT => format!("the same {} with other bytes", call_name(met.came_number)),
        _ => {
            let arguments: Vec<String> = met
                .came_arguments
                .iter()
                .map(|argument| format!("{argument:#x}"))
                .collect();
            let text = if met.text.is_empty() {
                String::new()
            } else {
                format!(" ({})", met.text)
            };
            if met.came_number < 0 {
                format!("an event that is no call{text}")
            } else {
                format!(
                    "{}({}){text}",
                    call_name(met.came_number),
                    arguments.join(", ")
                )
            }
        }
    }
}

/// The thread to blame for a standstill: one that waits for somebody else, not one whose log is over.
fn explain_standstill(trace: &Trace, threads: &[ThreadState]) -> Explanation {
    let live: Vec<&ThreadState> = threads.iter().filter(|thread| thread.live).collect();
    let stuck = live.iter().find(|thread| {
        matches!(
            thread.wait,
            Wait::Stream { .. } | Wait::Child(_) | Wait::Turn(_)
        )
    });
    let cause = "somebody who should have delivered took another way without an event that shows it, or ended".to_owned();
    match stuck.or(live.first()) {
        Some(thread) => {
            let promised = promised_event(trace, thread.id, thread.events);
            let came = format!(
                "nothing: it waits {}, and nobody can go on",
                wait_text(trace, &thread.wait, threads)
            );
            at_thread(
                trace,
                "standstill",
                thread.id,
                thread.events,
                promised,
                came,
                cause,
                threads,
            )
        }
        None => of_process(
            trace,
            "standstill",
            ProcessId(1),
            String::new(),
            "nothing moves".to_owned(),
            cause,
        ),
    }
}

/// What a thread waits for, and who has to deliver.
pub fn wait_text(trace: &Trace, wait: &Wait, threads: &[ThreadState]) -> String {
    match wait {
        Wait::No => "for nothing: it runs".to_owned(),
        Wait::Stream {
            object,
            direction,
            writer,
        } => {
            let from = match writer {
                Some(writer) => {
                    let place = threads.iter().find(|thread| thread.id == *writer);
                    let place = place.map_or_else(String::new, |thread| {
                        format!(", which is at its event {}", thread.events)
                    });
                    format!("from {}{place}", thread_name(trace, *writer))
                }
                None => format!("that nobody has written yet{}", maker_text(trace, *object)),
            };
            format!("for bytes of stream {object} (direction {direction}) {from}")
        }
        Wait::Turn(turn) => format!("for turn {turn} among the threads of its process"),
        Wait::Output(number) => format!("for write {number} to the common output to be its own"),
        Wait::Child(process) => format!("for the end of {}", process_name(trace, *process)),
        Wait::End => "at the end of its log".to_owned(),
        Wait::Stopped => "because the replay has stopped".to_owned(),
    }
}

fn maker_text(trace: &Trace, object: wayfarer_model::ObjectId) -> String {
    let maker = trace.objects().iter().find(|found| found.id == object);
    maker.map_or_else(String::new, |object| {
        format!(" (made by {})", thread_name(trace, object.thread))
    })
}

#[allow(clippy::too_many_arguments)]
fn at_thread(
    trace: &Trace,
    kind: &'static str,
    thread: ThreadId,
    event: u64,
    promised: String,
    came: String,
    likely_cause: String,
    threads: &[ThreadState],
) -> Explanation {
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
        kind,
        process: process_name(trace, process),
        thread: thread_index(trace, thread),
        event,
        promised,
        came,
        before: events_before(trace, thread, event),
        others,
        likely_cause,
        remedy: remedy(kind),
    }
}

fn of_process(
    trace: &Trace,
    kind: &'static str,
    process: ProcessId,
    promised: String,
    came: String,
    likely_cause: String,
) -> Explanation {
    Explanation {
        kind,
        process: process_name(trace, process),
        thread: 0,
        event: 0,
        promised,
        came,
        before: Vec::new(),
        others: Vec::new(),
        likely_cause,
        remedy: remedy(kind),
    }
}

fn remedy(kind: &str) -> String {
    match kind {
        "other-file" | "other-modules" | "exec-failed" => "put the recorded files back, or record again",
        "other-memory" | "clone-failed" => "replay where the limits are those of the recording",
        "bad-log" => "restore the trace from a copy; the replay is good up to this place",
        _ => "replay again; if it differs at the same place each time, an input goes unrecorded there: `wayfarer info` lists the warnings of the recording",
    }
    .to_owned()
}

/// Notes of the recording that explain why a process may take another way.
const TELLING_NOTES: [u64; 6] = [
    note::UNKNOWN_CALL,
    note::UNKNOWN_IOCTL,
    note::NO_DISPATCH,
    note::UNSEEN_CLONE,
    note::SHARED_FILE,
    note::FORCED_SIGNAL,
];

fn unrecorded_input(trace: &Trace, process: ProcessId) -> String {
    let notes = trace.summary().notes;
    if let Some(note) = notes
        .iter()
        .find(|note| note.process == process && TELLING_NOTES.contains(&note.code))
    {
        return format!(
            "unrecorded input: while recording, {}",
            describe_note(note.code, note.value, &note.text)
        );
    }
    let threads = trace
        .threads()
        .iter()
        .filter(|thread| thread.process == process)
        .count();
    if threads > 1 {
        "a data race between its threads, a changed binary, or an input that no call shows (shared memory, rdtsc, rdrand)".to_owned()
    } else {
        "a changed binary, or an input that no call shows (memory shared with others, rdtsc, rdrand, uninitialised memory)".to_owned()
    }
}

fn process_name(trace: &Trace, id: ProcessId) -> String {
    trace
        .process(id)
        .map_or_else(|| format!("process {id}"), |process| process.name.clone())
}

/// Place of a thread among those of its process, counted from one.
fn thread_index(trace: &Trace, id: ThreadId) -> u32 {
    let Some(thread) = trace.thread(id) else {
        return 0;
    };
    1 + trace
        .threads()
        .iter()
        .filter(|other| other.process == thread.process && other.id < id)
        .count() as u32
}

/// A thread as users write it: the process, and `.T` behind it from the second thread on.
pub fn thread_name(trace: &Trace, id: ThreadId) -> String {
    let process = trace
        .thread(id)
        .map_or(ProcessId(0), |thread| thread.process);
    match thread_index(trace, id) {
        0 => format!("thread {id}"),
        1 => process_name(trace, process),
        index => format!("{}, thread {index}", process_name(trace, process)),
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
    let promised = records
        .iter()
        .map_while(Result::ok)
        .find(|entry| entry.event.0 == event && entry.record.is_event())
        .map(|entry| describe(&entry.record));
    promised.unwrap_or_else(|| "nothing more: its log ends here".to_owned())
}

impl fmt::Display for Explanation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let thread = if self.thread > 1 {
            format!(", thread {}", self.thread)
        } else {
            String::new()
        };
        writeln!(
            formatter,
            "diverged ({}) in {}{thread} at event {}",
            self.kind, self.process, self.event
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
        writeln!(formatter, "  likely    {}", self.likely_cause)?;
        write!(formatter, "  remedy    {}", self.remedy)
    }
}
