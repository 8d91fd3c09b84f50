//! Replay of a parallel process: handlers run where they ran, also between calls that leave no
//! record.
//!
//! A signal that found the thread in `sched_yield` was recorded with the number of such calls since
//! the last event; one that found it waiting for a `pthread_once`, with that object; one that found
//! it at another wait, with the number of calls of the usual outcome before. So a replay runs the
//! handler before the same access, and not before an earlier one that left no record. Calls that
//! only wake others run no handlers, because a replay may not make them.

use super::library;
use crate::log::reader;
use crate::state::Thread;
use crate::state::upcalls::up;
use wayfarer_runtime_abi::record::{self, Birth, Record, place};

/// Handlers that ran before the next access to a sync object, and others that were let in.
pub fn before_access(thread: &mut Thread) {
    those(thread, |_, _| true);
}

/// The same before a call whose usual outcome leaves no record: handlers that ran after it are not for it.
pub fn before_outcome(thread: &mut Thread) {
    those(thread, |thread, next| {
        if place::kind(next.check) == place::ENTRY {
            return next.value == thread.parallel.skipped as i64;
        }
        let behind = reader::peek_behind(thread, next.length);
        behind.is_some_and(|behind| {
            behind.tag == record::OUTCOME && behind.number == thread.parallel.skipped
        })
    });
}

/// The same before the thread does what is done once, or waits for another one to do it.
pub fn before_once(thread: &mut Thread, address: usize) {
    those(thread, |thread, next| {
        if place::kind(next.check) == place::ONCE {
            return next.value == address as i64;
        }
        let behind = reader::peek_behind(thread, next.length);
        behind.is_some_and(|behind| is_once_at(&behind, address))
    });
}

fn those(thread: &mut Thread, here: impl Fn(&Thread, &Record<'_>) -> bool) {
    loop {
        match reader::peek(thread) {
            Some(next) if next.tag == record::SIGNAL && place::kind(next.check) != place::EXIT => {
                if !here(thread, &next) {
                    return;
                }
                (up().replay_handler)(thread);
            }
            _ if library::let_others_in(thread) => {}
            _ => return,
        }
    }
}

/// Replay: whether it is this thread that does it, and how many others gave it up before.
pub fn is_once(thread: &mut Thread, address: usize) -> Option<u32> {
    before_once(thread, address);
    let next = reader::peek(thread)?;
    if !is_once_at(&next, address) {
        return None;
    }
    reader::advance(thread, next.length);
    u32::try_from(next.value).ok()
}

/// Whether a record says that its thread does what is done once for the object at `address`.
fn is_once_at(record: &Record<'_>, address: usize) -> bool {
    record.tag == record::OBJECT
        && Birth::decode(record.payload).is_some_and(|birth| birth.address == address as u64)
}
