//! Does the end of a replay agree with the recorded one?

use wayfarer_model::{ProcessEnd, WaitStatus};
use wayfarer_runtime_abi::layout::process_state;
use wayfarer_trace::Trace;

use crate::divergence::Difference;
use crate::observed::{ProcessState, ThreadState};
use crate::plan::Plan;

/// How a process of the replay ended, as far as that is known.
pub fn end_of(process: &ProcessState) -> Option<ProcessEnd> {
    match process.state {
        // A code, or a wait status with the code in its second byte.
        process_state::EXITED if process.status > 0xff => WaitStatus(process.status as i32).end(),
        process_state::EXITED => Some(ProcessEnd::Exited(process.status as i32)),
        process_state::OPAQUE => Some(ProcessEnd::Opaque),
        _ => process
            .wait_status
            .and_then(|status| WaitStatus(status).end()),
    }
}

/// The first difference between the trace and a replay in which no process lives any more.
pub fn compare(
    trace: &Trace,
    plan: &Plan,
    processes: &[ProcessState],
    threads: &[ThreadState],
) -> Option<Difference> {
    let is_wanted = |id| {
        plan.wanted
            .as_ref()
            .is_none_or(|wanted| wanted.contains(&id))
    };
    for process in trace
        .processes()
        .iter()
        .filter(|process| is_wanted(process.id))
    {
        let recorded = trace.end_of(process.id);
        let Some(state) = processes.iter().find(|state| state.id == process.id) else {
            return Some(Difference::NeverStarted {
                process: process.id,
            });
        };
        if matches!(recorded, ProcessEnd::Cut | ProcessEnd::Opaque) {
            continue;
        }
        let unfinished = threads
            .iter()
            .find(|thread| thread.process == process.id && thread.events < thread.promised);
        if state.state == process_state::FREE {
            return Some(Difference::NeverStarted {
                process: process.id,
            });
        }
        if let Some(thread) = unfinished {
            return Some(Difference::EndedEarly {
                thread: thread.id,
                event: thread.events,
                end: end_of(state),
            });
        }
        match end_of(state) {
            Some(end) if end != recorded => {
                return Some(Difference::OtherEnd {
                    process: process.id,
                    recorded,
                    came: end,
                });
            }
            _ => {}
        }
    }
    None
}
