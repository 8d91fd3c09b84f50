//! Does the end of a replay agree with the recorded one?

use std::collections::BTreeMap;

use wayfarer_model::{ProcessEnd, ProcessId, WaitStatus};
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
        process_state::ENDED if process.status != 0 => WaitStatus(process.status as i32).end(),
        process_state::OPAQUE => Some(ProcessEnd::Opaque),
        _ => process
            .wait_status
            .and_then(|status| WaitStatus(status).end()),
    }
}

/// The first difference between the trace and a replay in which no process lives any more. `processes` are
/// in order of their numbers.
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
    let mut unfinished: BTreeMap<ProcessId, &ThreadState> = BTreeMap::new();
    for thread in threads
        .iter()
        .filter(|thread| thread.events < thread.promised)
    {
        unfinished.entry(thread.process).or_insert(thread);
    }
    for process in trace
        .processes()
        .iter()
        .filter(|process| is_wanted(process.id))
    {
        let id = process.id;
        let recorded = plan.ends.get(&id).copied().unwrap_or(ProcessEnd::Cut);
        let state = processes
            .binary_search_by_key(&id, |state| state.id)
            .ok()
            .and_then(|index| processes.get(index));
        let state = match state.filter(|state| state.state != process_state::FREE) {
            Some(state) => state,
            None => return Some(Difference::NeverStarted { process: id }),
        };
        if matches!(recorded, ProcessEnd::Cut | ProcessEnd::Opaque) {
            continue;
        }
        let end = end_of(state);
        if let Some(thread) = unfinished.get(&id) {
            return Some(Difference::EndedEarly {
                thread: thread.id,
                event: thread.events,
                end,
            });
        }
        match end {
            // What an opaque program does is not part of a replay.
            None | Some(ProcessEnd::Opaque) => {}
            Some(end) if end == recorded => {}
            Some(came) => {
                return Some(Difference::OtherEnd {
                    process: id,
                    recorded,
                    came,
                });
            }
        }
    }
    None
}
