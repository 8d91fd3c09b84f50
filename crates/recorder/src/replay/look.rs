//! Looks at a running replay: its state out of the session, and what the kernel adds to it.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering::{Acquire, Relaxed};

use wayfarer_model::{ObjectId, ProcessId, ThreadId};
use wayfarer_replay::observed::{Answers, Life, ProcessorUse, Questions};
use wayfarer_replay::{Met, Observation, Plan, ProcessState, ThreadState, Wait};
use wayfarer_runtime_abi::layout::{ThreadSlot, process_state, waiting};
use wayfarer_runtime_abi::word::Word;

use crate::children::{self, Stat};
use crate::session::Session;

/// Divergence states of the header.
const COMPLETE: u32 = 2;

/// The replay as it is now.
pub fn observe(
    session: &Session,
    plan: &Plan,
    anybody_left: bool,
    questions: &Questions,
) -> Observation {
    // A divergence first: the threads are shown as they are once it is known.
    let met = divergence(session);
    Observation {
        anybody_left,
        met,
        threads: threads(session, plan),
        output_turn: session.header().output_turn.load(Acquire),
        answers: answers(session, questions),
    }
}

/// All threads of the session. A thread lives when it has begun and its process has not ended.
pub fn threads(session: &Session, plan: &Plan) -> Vec<ThreadState> {
    session
        .thread_ids()
        .filter_map(|id| thread(session, plan, ThreadId(id)))
        .collect()
}

/// One of them.
pub fn thread(session: &Session, plan: &Plan, id: ThreadId) -> Option<ThreadState> {
    let slot = session.thread(id.0)?;
    let running =
        session.process(slot.process.get())?.state.load(Acquire) == process_state::RUNNING;
    Some(ThreadState {
        id,
        process: ProcessId(slot.process.get()),
        live: running && slot.real_tid.load(Acquire) != 0,
        events: slot.events.load(Relaxed),
        promised: plan.events.get(&id).copied().unwrap_or(0),
        wait: wait(session, slot),
    })
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
        waiting::HELD => Wait::Held,
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
fn divergence(session: &Session) -> Option<Met> {
    let found = &session.header().divergence;
    if found.state.load(Acquire) != COMPLETE {
        return None;
    }
    let text = found.text.iter().map(Word::get);
    let text: Vec<u8> = text.take_while(|byte| *byte != 0).collect();
    Some(Met {
        kind: found.kind.get(),
        process: ProcessId(found.process.get()),
        thread: ThreadId(found.thread.get()),
        event: found.event.get(),
        promised_tag: found.promised_tag.get() as u8,
        promised_check: found.promised_check.get() as u8,
        promised_number: found.promised_nr.get(),
        promised_result: found.promised_result.get(),
        came_number: found.came_nr.get(),
        came_check: found.came_check.get() as u8,
        came_arguments: found.came_arguments.each_ref().map(Word::get),
        detail: found.detail.each_ref().map(Word::get),
        text: String::from_utf8_lossy(&text).into_owned(),
    })
}

/// What the kernel knows of processes and threads of the replay.
fn answers(session: &Session, questions: &Questions) -> Answers {
    Answers {
        processes: questions
            .processes
            .iter()
            .map(|id| (*id, life(session, *id)))
            .collect(),
        threads: questions
            .threads
            .iter()
            .map(|id| (*id, processor_use(session, *id)))
            .collect(),
    }
}

fn life(session: &Session, process: ProcessId) -> Life {
    let Some(pid) = real_pid(session, process) else {
        return Life::Lives;
    };
    match Stat::read(pid) {
        Some(stat) if stat.state != 'Z' => Life::Lives,
        dead => Life::Died(dead.map(|stat| stat.exit_code)),
    }
}

fn processor_use(session: &Session, thread: ThreadId) -> Option<ProcessorUse> {
    let slot = session.thread(thread.0)?;
    let pid = real_pid(session, ProcessId(slot.process.get()))?;
    let (time, would_run) = children::processor_use(pid, slot.real_tid.load(Acquire) as i32)?;
    Some(ProcessorUse { time, would_run })
}

/// The kernel's number of a process of the replay, once it has begun.
pub fn real_pid(session: &Session, id: ProcessId) -> Option<i32> {
    let pid = session.process(id.0)?.real_pid.load(Acquire) as i32;
    (pid > 0).then_some(pid)
}

/// The process of the replay that has this number of the kernel.
pub fn process_of(session: &Session, pid: i32) -> Option<ProcessId> {
    // Numbers of the kernel are used again: the youngest process of that number is the one.
    let mut ids = session.process_ids().rev().map(ProcessId);
    ids.find(|id| real_pid(session, *id) == Some(pid))
}

/// How many events a thread has made.
pub fn events_of(session: &Session, thread: ThreadId) -> Option<u64> {
    Some(session.thread(thread.0)?.events.load(Relaxed))
}

/// The kernel's number of a thread, once it has begun.
pub fn tid_of(session: &Session, thread: ThreadId) -> Option<i32> {
    let tid = session.thread(thread.0)?.real_tid.load(Acquire) as i32;
    (tid > 0).then_some(tid)
}

/// The thread of the replay that has this number of the kernel.
pub fn thread_of(session: &Session, tid: i32) -> Option<ThreadId> {
    // As for processes: the youngest is the one.
    let slot = |id| session.thread(id).map(|slot| slot.real_tid.load(Acquire));
    let mut ids = session.thread_ids().rev();
    ids.find(|id| slot(*id) == Some(tid as u32)).map(ThreadId)
}
