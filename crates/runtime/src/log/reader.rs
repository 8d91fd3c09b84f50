//! Reading a thread's log in a replay.

use crate::state::Thread;
use wayfarer_entrance::call as entrance;
use wayfarer_runtime_abi::record::{self, Record, note, sync};

/// The record at the start of `bytes`; one copy of the code for all who read.
#[inline(never)]
fn read(bytes: &[u8]) -> Option<Record<'_>> {
    record::read(bytes).ok()
}

/// The rest of the log.
fn rest(thread: &Thread) -> &'static [u8] {
    let length = (thread.replay.end as usize).wrapping_sub(thread.replay.cursor as usize);
    // SAFETY: both pointers lie in the log of this thread in the session mapping, in this order.
    unsafe { core::slice::from_raw_parts(thread.replay.cursor, length) }
}

/// Records that tell about the recording but promise nothing of this thread.
fn only_for_readers(record: &Record<'_>) -> bool {
    match record.tag {
        record::NOTE | record::FINAL | record::WAIT | record::POSTS => true,
        record::OBJECT => record.check != sync::ONCE,
        _ => false,
    }
}

/// The next record, or `None` at the end (a log that cannot be read ends there; the host has verified
/// it, so that does not happen by damage).
#[inline]
pub fn peek(thread: &mut Thread) -> Option<Record<'static>> {
    loop {
        let record = read(rest(thread))?;
        if !only_for_readers(&record) {
            return Some(record);
        }
        advance(thread, record.length);
        if record.tag == record::NOTE {
            act_on(thread, record.number);
        }
    }
}

/// The notes that a replay acts on.
#[cold]
fn act_on(thread: &mut Thread, note: u64) {
    match note {
        note::CALLS_BY_LIBC => entrance::switch_off(),
        note::WAITS_INSIDE => thread.replay.waited_inside = thread.replay.cursor,
        _ => {}
    }
}

/// The record `skip` bytes further on, those only for readers left out.
pub fn peek_behind(thread: &Thread, skip: usize) -> Option<Record<'static>> {
    let mut skip = skip;
    loop {
        let record = read(rest(thread).get(skip..)?)?;
        if !only_for_readers(&record) {
            return Some(record);
        }
        skip += record.length;
    }
}

/// Whether the record `skip` bytes further on is a certain note.
pub fn is_note_behind(thread: &Thread, skip: usize, which: u64) -> bool {
    rest(thread)
        .get(skip..)
        .and_then(read)
        .is_some_and(|record| record.tag == record::NOTE && record.number == which)
}

#[inline(always)]
pub fn advance(thread: &mut Thread, length: usize) {
    // SAFETY: a record of that length was read at `read`.
    thread.replay.cursor = unsafe { thread.replay.cursor.add(length) };
}

/// Passes over the next record.
pub fn consume(thread: &mut Thread) {
    if let Some(record) = peek(thread) {
        advance(thread, record.length);
    }
}
