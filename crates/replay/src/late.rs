//! What would have made a process serial, had it not run in parallel already: libraries that it loaded, memory that it
//! came to share, threads of libc's own.

use wayfarer_model::ProcessId;
use wayfarer_runtime_abi::record::{note, threads};
use wayfarer_trace::{Note, Trace};

use crate::words::thread_index;

/// What to do about a divergence of such a process.
pub const REMEDY: &str = "`wayfarer record --threads serial` records the order of such locks, too; `wayfarer replay --check --retry 20` tries again with other timing";

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

/// What else came late, when, and why that matters.
pub fn describe_reason(trace: &Trace, note: &Note) -> String {
    let what = match u8::try_from(note.value) {
        Ok(threads::SHARED_MEMORY) => "it mapped memory that other processes may share",
        _ => {
            "libc made a thread of its own (for a timer, `aio_read` or its like), whose locks are not seen,"
        }
    };
    format!(
        "{what} at event {} of thread {}, after the threads of the process had begun to run in parallel",
        note.event,
        thread_index(trace, note.thread)
    )
}

/// Why a replay of this process may have differed, if something came late; of several libraries, the first.
pub fn cause(trace: &Trace, process: ProcessId) -> Option<String> {
    let notes = trace.summary().notes;
    if let Some(library) = of_process(&notes, process).next() {
        return Some(format!(
            "a library that was loaded late: {}; the order of its locks was not recorded",
            describe(trace, library)
        ));
    }
    notes
        .iter()
        .find(|note| note.process == process && note.code == note::LATE_REASON)
        .map(|note| format!("{}, or a data race", describe_reason(trace, note)))
}
