//! Objects of the program's own: what `wayfarer-sync` tells us of its locks and atomics.

use super::followed;
use crate::parallel::order;
use crate::parallel::outcome;
use crate::parallel::runs;
use crate::parallel::waits;
use crate::state::current;
use crate::state::order::{OFF, Object, RECORD, lock, state_at};
use wayfarer_runtime_abi::record::sync;

/// How an access is noted, in bits 8 and 9 of the kind.
const WAY: u32 = 0x300;
/// After an acquisition that excludes all others.
const EXCLUSIVE_AFTER: u32 = 0;
/// After an operation that others may do at the same time.
const SHARED_AFTER: u32 = 0x100;
/// A read lock: of the kind of read-write locks, with others at the same time.
const READ: u32 = sync::RWLOCK as u32 | SHARED_AFTER;
/// Before a release.
const BEFORE: u32 = 0x200;

/// Not an access yet: a lock was found taken, and its access is about to wait.
const WAITS: u32 = 0x400;

fn object(address: usize, kind: u32, place: usize) -> Object {
    Object {
        kind: kind as u8,
        shared: false,
        address,
        place,
        stays: false,
        reads: kind == READ,
    }
}

/// Before the operation.
///
/// # Safety
/// `state` are 16 bytes of the caller's, zero at first.
pub unsafe fn before(state: usize, kind: u32, place: usize) {
    let Some(thread) = followed() else { return };
    // SAFETY: as the caller says.
    let order = unsafe { state_at(state, state + 8) };
    let object = object(state, kind, place);
    if kind & WAITS != 0 {
        thread.library.user_wait = (state, waits::begin(thread, true, order));
        return;
    }
    if thread.sync != RECORD {
        runs::before(thread, order, object);
        return;
    }
    match kind & WAY {
        EXCLUSIVE_AFTER | SHARED_AFTER => {}
        BEFORE => order::note_shared(thread, order, object),
        _ => lock(order),
    }
}

/// After the operation.
///
/// # Safety
/// As [`before`].
pub unsafe fn after(state: usize, kind: u32, place: usize) {
    let Some(thread) = followed() else { return };
    // SAFETY: as the caller says.
    let order = unsafe { state_at(state, state + 8) };
    let object = object(state, kind, place);
    if thread.sync != RECORD {
        runs::after(thread, order);
        return;
    }
    match kind & WAY {
        EXCLUSIVE_AFTER => order::note_exclusive(thread, order, object),
        SHARED_AFTER => order::note_shared(thread, order, object),
        BEFORE => {}
        _ => order::unlock_noted(thread, order, object),
    }
    if thread.library.user_wait.0 == state {
        thread.library.user_wait.0 = 0;
        match kind & WAY {
            EXCLUSIVE_AFTER => thread.library.user_wait.1.end_alone(thread, order),
            _ => thread.library.user_wait.1.end(thread, order),
        }
    }
}

/// The recorded outcome of a try; `i32::MIN`: there is none, go ahead.
pub fn foretell() -> i32 {
    followed().and_then(outcome::foretell).unwrap_or(i32::MIN)
}

pub fn report(result: i32) {
    if let Some(thread) = followed() {
        outcome::report(thread, result);
    }
}

/// 0 nothing to follow, 1 recording, 2 replay.
pub fn mode() -> u32 {
    let thread = current();
    if thread.is_null() {
        return u32::from(OFF);
    }
    // SAFETY: the pointer of this very thread.
    u32::from(unsafe { (*thread).sync })
}
