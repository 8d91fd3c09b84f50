//! Processes, threads and waits as users know them.

use wayfarer_model::{ObjectId, ProcessId, ThreadId};
use wayfarer_trace::Trace;

use crate::observed::{ThreadState, Wait};

pub fn process_name(trace: &Trace, id: ProcessId) -> String {
    trace
        .process(id)
        .map_or_else(|| format!("process {id}"), |process| process.name.clone())
}

/// Place of a thread among those of its process, counted from one; 0: there is no such thread.
pub fn thread_index(trace: &Trace, id: ThreadId) -> u32 {
    let Some(thread) = trace.thread(id) else {
        return 0;
    };
    let of_process = trace
        .threads()
        .iter()
        .filter(|other| other.process == thread.process);
    1 + of_process.filter(|other| other.id < id).count() as u32
}

/// The process, and which of its threads from the second on.
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

/// What a thread waits for, and which thread has to deliver.
pub fn wait_text(trace: &Trace, wait: &Wait, threads: &[ThreadState]) -> String {
    match wait {
        Wait::No => "for nothing: it runs".to_owned(),
        Wait::Stream {
            object,
            direction,
            writer: Some(writer),
        } => {
            let place = threads.iter().find(|thread| thread.id == *writer);
            let place = place.map_or_else(String::new, |thread| {
                format!(", which is at its event {}", thread.events)
            });
            format!(
                "for bytes of stream {object} (direction {direction}) from {}{place}",
                thread_name(trace, *writer)
            )
        }
        Wait::Stream {
            object,
            direction,
            writer: None,
        } => {
            let maker = maker_text(trace, *object);
            format!(
                "for bytes of stream {object} (direction {direction}) that have not been written yet{maker}"
            )
        }
        Wait::Turn(turn) => format!("for turn {turn} among the threads of its process"),
        Wait::Output(number) => format!("for write {number} to the common output to be its own"),
        Wait::Child(process) => format!("for the end of {}", process_name(trace, *process)),
        Wait::Sync { object, run } => {
            format!("for run {run} of sync object {object} to be its own")
        }
        Wait::Futex(address) => format!("in the program's own wait on {address:#x}"),
        Wait::End => "at the end of its log".to_owned(),
        Wait::Stopped => "because the replay has stopped".to_owned(),
        Wait::Held => "to be let go on".to_owned(),
    }
}

fn maker_text(trace: &Trace, object: ObjectId) -> String {
    let maker = trace.objects().iter().find(|found| found.id == object);
    maker.map_or_else(String::new, |object| {
        format!(" (made by {})", thread_name(trace, object.thread))
    })
}
