//! Replay: the host holds one thread back, so that the run can be stopped before a certain event of it.
//!
//! All others go on as far as the recording lets them without that thread, which is the same at each visit: which event
//! waits for which other one is fixed by the trace.

use crate::session::wait;
use crate::state::{Thread, header};
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::layout::waiting;

/// Before anything that belongs to the next event: waits while the host wants no more of them.
#[inline]
pub fn before_event(thread: &mut Thread) {
    if header().held_thread.load(Ordering::Acquire) == thread.number {
        hold(thread);
    }
}

#[cold]
#[inline(never)]
fn hold(thread: &mut Thread) {
    let (own, made) = (thread.number, thread.log.events);
    let may = || {
        let head = header();
        head.held_thread.load(Ordering::Acquire) != own
            || made < head.held_events.load(Ordering::Acquire)
    };
    if !may() {
        wait::until(thread, waiting::HELD, made, &header().held_changes, may);
    }
}
