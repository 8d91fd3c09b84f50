//! Locks of streams, taken at their turns.

use super::cancel;
use super::real::{Real, call};
use crate::parallel::order;
use crate::parallel::outcome;
use crate::parallel::runs;
use crate::parallel::table;
use crate::session::solid;
use crate::state::Thread;
use crate::state::order::{Object, RECORD};
use wayfarer_runtime_abi::record::sync;

pub const EBUSY: i32 = 16;

pub fn object(stream: usize) -> Object {
    Object {
        kind: sync::STREAM,
        shared: false,
        address: stream,
        place: 0,
        stays: true,
        reads: false,
    }
}

/// Locks the stream at its turn.
///
/// # Safety
/// There must be a stream at the address.
pub unsafe fn enter(thread: &mut Thread, stream: usize) {
    let order = table::order_at(stream);
    let arguments = [stream, 0, 0, 0, 0, 0];
    // SAFETY: a stream of the program.
    unsafe {
        if thread.sync == RECORD {
            call(Real::flockfile, arguments);
            order::note_shared(thread, order, object(stream));
            return;
        }
        runs::before(thread, order, object(stream));
        if solid::is_on(thread) {
            while call(Real::ftrylockfile, arguments) as i32 != 0 {
                solid::pass_on(thread);
            }
        } else {
            call(Real::flockfile, arguments);
        }
        runs::after(thread, order);
    }
}

/// A function that uses a stream that this thread has just locked; unlocks it.
///
/// # Safety
/// As the function itself.
pub unsafe fn use_locked(which: Real, stream: usize, a: [usize; 6]) -> usize {
    // SAFETY: as the caller says.
    unsafe {
        let result = cancel::undoing(Real::funlockfile, stream, which, a);
        call(Real::funlockfile, [stream, 0, 0, 0, 0, 0]);
        result
    }
}

/// Locks the stream if no other thread has it; whether it is locked now.
///
/// # Safety
/// A stream of the program.
pub unsafe fn try_enter(thread: &mut Thread, stream: usize) -> bool {
    // SAFETY: as the caller says.
    unsafe {
        match outcome::foretell(thread) {
            Some(0) => enter(thread, stream),
            Some(_) => return false,
            None => {
                if call(Real::ftrylockfile, [stream, 0, 0, 0, 0, 0]) as i32 != 0 {
                    outcome::report(thread, EBUSY);
                    return false;
                }
                outcome::report(thread, 0);
                order::note_shared(thread, table::order_at(stream), object(stream));
            }
        }
    }
    true
}
