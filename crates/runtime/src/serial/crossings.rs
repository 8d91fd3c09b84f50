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

use crate::serial::ahead;
use crate::serial::token;
use crate::serial::turns;
use crate::state::Thread;
use crate::state::crossings::Place;
use wayfarer_runtime_abi::layout::MODE_RECORD;

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
            turns::replay_yield(thread);
            ahead::after(thread);
        }
    }
    thread.serial.crossings.passed = passed.wrapping_add(1);
}
