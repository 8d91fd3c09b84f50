//! Libraries that a process loaded when it ran in parallel already, and that would have made it serial.

use wayfarer_model::ProcessId;
use wayfarer_runtime_abi::record::{note, threads};
use wayfarer_trace::{Note, Trace};

use crate::words::thread_index;

/// What to do about a divergence of such a process.
pub const REMEDY: &str = "`wayfarer record --threads serial` records the order of such locks, too; `wayfarer replay --retry 20` tries again with other timing";

/// The notes about libraries of a process.
pub fn of_process(notes: &[Note], process: ProcessId) -> impl Iterator<Item = &Note> {
    notes
        .iter()
        .filter(move |note| note.process == process && note.code == note::LATE_LIBRARY)
}

/// What such a library does.
pub fn reason(note: &Note) -> &'static str {
    match u8::try_from(note.value) {
        Ok(threads::OWN_FUTEX) => {
            "makes futex calls by itself, as Rust's std and hand-made locks do"
        }
        _ => "synchronises by hand (OpenMP or its like)",
    }
}

/// Which library, when it was loaded, and why that matters.
pub fn describe(trace: &Trace, note: &Note) -> String {
    format!(
        "{} {}, and was loaded at event {} of thread {}, after the threads of the process had begun to run in parallel",
        note.text,
        reason(note),
        note.event,
        thread_index(trace, note.thread)
    )
}

/// Why a replay of this process may have differed, if it has such a library; of several, the first.
pub fn cause(trace: &Trace, process: ProcessId) -> Option<String> {
    let notes = trace.summary().notes;
    let note = of_process(&notes, process).next()?;
    Some(format!(
        "a library that was loaded late: {}; the order of its locks was not recorded",
        describe(trace, note)
    ))
}
