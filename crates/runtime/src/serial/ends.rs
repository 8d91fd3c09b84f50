//! Where a turn ends between two events: noted while recording, expected in a replay.

use crate::state::Thread;
use crate::state::crossings::Place;
use crate::state::expected::Expected;
use crate::state::spinning::Spin;
use wayfarer_runtime_abi::record::Record;

/// Recording: the place of a thread that is stopped in the middle of its code.
pub fn place_between(thread: &Thread, spin: Option<Spin>) -> Place {
    Place {
        passed: thread.serial.crossings.passed,
        exact: false,
        spin,
    }
}

/// Replay: the next record is the end of a turn between two events.
pub fn expect_end(thread: &mut Thread, record: &Record<'_>) {
    let place = Place::of(record);
    thread.serial.crossings.due = place.map_or(0, |place| place.passed.wrapping_add(1));
    thread.serial.crossings.exact = place.is_some_and(|place| place.exact);
    thread.serial.crossings.rang = 0;
    let spin = place.and_then(|place| place.spin);
    thread.preemption.expected = spin.map(Expected::new).unwrap_or_default();
}

/// Replay: whether the turn is to end between two events.
pub fn expects_end(thread: &Thread) -> bool {
    thread.serial.crossings.due != 0
}

/// Replay: the turn that was expected to end has ended.
pub fn ended(thread: &mut Thread) {
    thread.serial.crossings.due = 0;
}

/// Replay: whether the thread is at the crossing after which its turn ends, or after it.
pub fn is_behind_end(thread: &Thread) -> bool {
    let now = thread.serial.crossings.passed.wrapping_add(1);
    if thread.serial.crossings.exact {
        now > thread.serial.crossings.due
    } else {
        now >= thread.serial.crossings.due
    }
}

/// Replay: the thread has used some processor time in the middle of its code; whether its turn ends here. Not
/// at the first ring after the right crossing, where it may still be inside of what that one locked.
pub fn ends_between(thread: &mut Thread) -> bool {
    let now = thread.serial.crossings.passed.wrapping_add(1);
    let rang = core::mem::replace(&mut thread.serial.crossings.rang, now);
    is_behind_end(thread) && rang == now
}
