//! Outcomes of calls that may or may not succeed: tries, timed waits, which thread was the last at a barrier.
//!
//! The usual outcome is 0 and costs a counter. Any other is an `OUTCOME` record that says how many calls
//! with the usual outcome the thread made since the record of this kind before.

use crate::log::reader;
use crate::parallel::settle;
use crate::state::Thread;
use crate::state::order::{RECORD, REPLAY};
use wayfarer_runtime_abi::record::{self, Head};

/// Recording: the call gave this result.
#[inline(always)]
pub fn report(thread: &mut Thread, result: i32) {
    if thread.sync != RECORD {
        return;
    }
    if result == 0 {
        usual(thread);
    } else {
        report_other(thread, result);
    }
}

/// Recording: the call gave the usual result.
#[inline(always)]
pub fn usual(thread: &mut Thread) {
    thread.parallel.skipped = thread.parallel.skipped.wrapping_add(1);
}

#[cold]
#[inline(never)]
fn report_other(thread: &mut Thread, result: i32) {
    let skipped = thread.parallel.skipped;
    thread.parallel.skipped = 0;
    let result = i64::from(result);
    thread.emit_plain(Head::new(record::OUTCOME, skipped, 0, result));
}

/// Replay: what the call gave while it was recorded. `None`: not a replay.
#[inline(always)]
pub fn foretell(thread: &mut Thread) -> Option<i32> {
    if thread.sync != REPLAY {
        return None;
    }
    Some(promised(thread))
}

#[inline(never)]
fn promised(thread: &mut Thread) -> i32 {
    settle::before_outcome(thread);
    let skipped = thread.parallel.skipped;
    match reader::peek(thread) {
        Some(next) if next.tag == record::OUTCOME && next.number == skipped => {
            reader::advance(thread, next.length);
            thread.parallel.skipped = 0;
            next.value as i32
        }
        _ => {
            thread.parallel.skipped = skipped.wrapping_add(1);
            0
        }
    }
}

/// Replay: whether the thread's next record is this outcome, of this very call. Takes it if so; if not, the
/// call does not count.
pub fn takes(thread: &mut Thread, outcome: i32) -> bool {
    settle::before_outcome(thread);
    match reader::peek(thread) {
        Some(next)
            if next.tag == record::OUTCOME
                && next.number == thread.parallel.skipped
                && next.value as i32 == outcome =>
        {
            reader::advance(thread, next.length);
            thread.parallel.skipped = 0;
            true
        }
        _ => false,
    }
}
