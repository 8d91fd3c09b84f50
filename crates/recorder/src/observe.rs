//! Reads the state of a running replay out of its session.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering::{Acquire, Relaxed};

use wayfarer_model::{ObjectId, ProcessId, ThreadId};
use wayfarer_replay::{Met, Plan, ProcessState, ThreadState, Wait};
use wayfarer_runtime_abi::layout::{ThreadSlot, process_state, waiting};

use crate::session::Session;

/// Divergence states of the header.
const COMPLETE: u32 = 2;

/// All threads of the session. A thread lives when it has begun and its process has not ended.
pub fn threads(session: &Session, plan: &Plan) -> Vec<ThreadState> {
    session
        .thread_ids()
        .filter_map(|id| {
            let slot = session.thread(id)?;
            let running =
                session.process(slot.process)?.state.load(Acquire) == process_state::RUNNING;
            Some(ThreadState {
                id: ThreadId(id),
                process: ProcessId(slot.process),
                live: running && slot.real_tid.load(Acquire) != 0,
                events: slot.events.load(Relaxed),
                promised: plan.events.get(&ThreadId(id)).copied().unwrap_or(0),
                wait: wait(session, slot),
            })
        })
        .collect()
}

fn wait(session: &Session, slot: &ThreadSlot) -> Wait {
    let argument = slot.waiting_for.load(Relaxed);
    match slot.waiting.load(Acquire) {
        waiting::STREAM => {
            let (object, direction) = ((argument / 2) as u32, (argument % 2) as u8);
            let writer = session.object(object).map_or(0, |object| {
                object.directions[usize::from(direction)]
                    .writer
                    .load(Relaxed)
            });
            Wait::Stream {
                object: ObjectId(object),
                direction,
                writer: (writer != 0).then_some(ThreadId(writer)),
            }
        }
        waiting::TURN => Wait::Turn(argument),
        waiting::OUTPUT => Wait::Output(argument as u32),
        waiting::CHILD => Wait::Child(ProcessId(argument as u32)),
        waiting::SYNC => Wait::Sync {
            object: (argument >> 32) as u32,
            run: argument as u32,
        },
        waiting::FUTEX => Wait::Futex(argument),
        waiting::END => Wait::End,
        waiting::STOPPED => Wait::Stopped,
        _ => Wait::No,
    }
}

/// All processes; `ended`: wait statuses that the host collected.
pub fn processes(session: &Session, ended: &BTreeMap<ProcessId, i32>) -> Vec<ProcessState> {
    session
        .process_ids()
        .filter_map(|id| {
            let slot = session.process(id)?;
            Some(ProcessState {
                id: ProcessId(id),
                state: slot.state.load(Acquire),
                status: slot.status.load(Relaxed),
                wait_status: ended.get(&ProcessId(id)).copied(),
            })
        })
        .collect()
}

/// The first divergence, once it is fully written.
pub fn divergence(session: &Session) -> Option<Met> {
    let found = &session.header().divergence;
    if found.state.load(Acquire) != COMPLETE {
        return None;
    }
    let text = found
        .text
        .split(|&byte| byte == 0)
        .next()
        .unwrap_or_default();
    Some(Met {
        kind: found.kind,
        process: ProcessId(found.process),
        thread: ThreadId(found.thread),
        event: found.event,
        promised_tag: found.promised_tag as u8,
        promised_check: found.promised_check as u8,
        promised_number: found.promised_nr,
        promised_result: found.promised_result,
        came_number: found.came_nr,
        came_check: found.came_check as u8,
        came_arguments: found.came_arguments,
        detail: found.detail,
        text: String::from_utf8_lossy(text).into_owned(),
    })
}

/// A number that changes whenever any thread has moved.
pub fn progress(threads: &[ThreadState]) -> u64 {
    threads.iter().fold(0, |sum: u64, thread| {
        // Threads that only take locks make no events, but wait for ever new runs.
        let waits = match thread.wait {
            Wait::No => 0,
            Wait::Sync { object, run } => u64::from(object) << 32 | u64::from(run),
            _ => 1,
        };
        sum.wrapping_mul(31)
            .wrapping_add(thread.events)
            .wrapping_add(waits << 1 | u64::from(thread.live))
    })
}
