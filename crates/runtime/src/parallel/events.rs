//! The system calls of a parallel process as one object: an event is an access of it.

use crate::parallel::{order, runs};
use crate::serial::token;
use crate::state::Thread;
use crate::state::order::{Object, RECORD, REPLAY};
use wayfarer_runtime_abi::record::sync;

/// The object that stands for all system calls of a process.
const EVENTS: Object = Object {
    kind: sync::EVENTS,
    shared: false,
    address: 0,
    place: 0,
    stays: true,
    reads: false,
};

/// Recording: an event is about to be written down.
#[inline(never)]
pub fn note_event(thread: &mut Thread) {
    if !thread.serial.holds_token {
        // Within a call that lets others go on meanwhile.
        token::acquire(thread);
        note_event(thread);
        token::release(thread);
        return;
    }
    let order = &thread.process().order.events;
    order::note_exclusive(thread, order.order(), EVENTS);
}

/// Recording, at the end of a call.
#[inline(never)]
pub fn leave(thread: &mut Thread) {
    if thread.parallel.keeps == 0 && thread.serial.holds_token {
        token::release(thread);
    }
}

/// Replay: an event of a parallel process comes at its place among the others of the process.
pub fn begin_event(thread: &mut Thread) {
    end_event(thread);
    let order = &thread.process().order.events;
    runs::before(thread, order.order(), EVENTS);
    thread.parallel.in_event = true;
}

/// Replay: the event is over.
pub fn end_event(thread: &mut Thread) {
    if thread.parallel.in_event {
        thread.parallel.in_event = false;
        let order = &thread.process().order.events;
        runs::after(thread, order.order());
    }
}

/// Both modes: no event of another thread comes in until [`unkeep`]. Counts as an event's access.
pub fn keep(thread: &mut Thread) {
    match thread.sync {
        RECORD => {
            token::acquire(thread);
            note_event(thread);
        }
        REPLAY => begin_event(thread),
        _ => return,
    }
    thread.parallel.keeps += 1;
}

pub fn unkeep(thread: &mut Thread) {
    match thread.sync {
        RECORD => {
            thread.parallel.keeps = thread.parallel.keeps.saturating_sub(1);
            leave(thread);
        }
        REPLAY => {
            thread.parallel.keeps = thread.parallel.keeps.saturating_sub(1);
            end_event(thread);
        }
        _ => {}
    }
}
