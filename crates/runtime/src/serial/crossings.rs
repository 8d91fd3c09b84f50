//! Serial mode: where a turn ends that was taken away from a thread between two of its events.
//!
//! Calls of hooked functions (locks, the heap) are not events in serial mode, but they are places
//! that a replay finds again: *crossings*, counted since the thread's last event. A thread that is
//! asked for its turn gives it away at its next crossing, exactly, and races come out the same.
//!
//! A thread without crossings is stopped in the middle of its code by a signal, after 20 ms of
//! processor time. Then the trace says between which two crossings that was. A replay ends the turn
//! there: before the second one at the latest, otherwise by a timer of processor time. The exact
//! place does not matter to a program that locks what it shares. It does matter to others (GNU sort
//! moves the bounds of its merges under another lock than it reads them), so no thread is stopped
//! without need: a thread that only computes goes on for up to 250 ms if all that wait for a turn
//! were woken by another thread and have no time limit.

use crate::calls::replay;
use crate::serial::expected::Expected;
use crate::serial::spinning::Spin;
use crate::serial::token;
use crate::state::Thread;
use wayfarer_runtime_abi::encode::{MAX_VARINT, get_varint, put_varint};
use wayfarer_runtime_abi::layout::MODE_RECORD;
use wayfarer_runtime_abi::record::Record;

/// What a thread knows of its crossings; all zero at first.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Crossings {
    /// How many since the thread's last event.
    passed: u64,
    /// Replay: after how many the turn ends, plus one; 0: nothing is known of an end.
    due: u64,
    /// Replay: the turn ends at the next crossing, not on the way to it.
    exact: bool,
    /// Replay: how many there were when the timer of force last rang, plus one.
    rang: u64,
}

/// After which crossing a turn ended.
#[derive(Clone, Copy)]
pub struct Place {
    pub passed: u64,
    /// At the next crossing, not on the way to it.
    pub exact: bool,
    /// In which loop the thread waited for others.
    pub spin: Option<Spin>,
}

impl Place {
    const EXACT: u64 = 1;
    const SPIN: u64 = 2;
    pub const ENCODED: usize = MAX_VARINT + Spin::ENCODED;

    /// # Safety
    /// There is room for [`Place::ENCODED`] bytes.
    pub unsafe fn encode(&self, place: *mut u8) -> *mut u8 {
        let mut word = self.passed << 2;
        if self.exact {
            word |= Self::EXACT;
        }
        if self.spin.is_some() {
            word |= Self::SPIN;
        }
        // SAFETY: as the caller says.
        unsafe {
            let end = put_varint(place, word);
            self.spin.map_or(end, |spin| spin.encode(end))
        }
    }

    fn of(record: &Record<'_>) -> Option<Place> {
        let (word, end) = get_varint(record.payload, 0)?;
        let spin = match word & Self::SPIN {
            0 => None,
            _ => Some(Spin::decode(record.payload.get(end..)?)?),
        };
        Some(Place {
            passed: word >> 2,
            exact: word & Self::EXACT != 0,
            spin,
        })
    }
}

impl Crossings {
    /// Bytes at the beginning that each crossing looks at.
    pub const HOT: usize = 16;

    /// An event: counting begins anew.
    #[inline(always)]
    pub fn begin(&mut self) {
        self.passed = 0;
    }
}

/// Recording: the place of a thread that is stopped in the middle of its code.
pub fn place_between(thread: &Thread, spin: Option<Spin>) -> Place {
    Place {
        passed: thread.serial.crossings.passed,
        exact: false,
        spin,
    }
}

/// Both modes: the program calls a hooked function.
#[inline(always)]
pub fn cross(thread: &mut Thread) {
    if !pass(thread) {
        end_turn(thread);
    }
}

/// The same; if it says no, the turn ends at this crossing, and [`end_turn`] is for the caller to call.
#[inline(always)]
pub fn pass(thread: &mut Thread) -> bool {
    if !thread.serial.holds_token {
        return true;
    }
    // No turn is due in a recording, and nobody asks for it in a replay; both count.
    let next = thread.serial.crossings.passed.wrapping_add(1);
    if thread.serial.crossings.due == next || token::is_asked(thread) {
        return false;
    }
    thread.serial.crossings.passed = next;
    true
}

/// The turn ends at this crossing.
#[cold]
#[inline(never)]
pub fn end_turn(thread: &mut Thread) {
    let passed = thread.serial.crossings.passed;
    if thread.mode == MODE_RECORD {
        let place = Place {
            passed,
            exact: true,
            spin: None,
        };
        token::give_way(thread, Some(place));
    } else {
        while thread.serial.crossings.due == passed.wrapping_add(1) {
            token::replay_yield(thread);
            replay::after(thread, None);
        }
    }
    thread.serial.crossings.passed = passed.wrapping_add(1);
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
