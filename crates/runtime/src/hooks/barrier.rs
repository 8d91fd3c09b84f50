//! Barriers: arrivals are accesses, noted before the wait; which thread was the last of a round is an outcome.

use super::followed;
use super::real::{Real, call1};
use crate::parallel::order;
use crate::parallel::outcome;
use crate::parallel::runs;
use crate::parallel::table;
use crate::parallel::waits;
use crate::session::solid;
use crate::state::order::{Object, RECORD};
use wayfarer_runtime_abi::record::sync;

/// # Safety
/// As pthread_barrier_wait.
pub unsafe fn wait(address: usize, place: usize) -> i32 {
    // SAFETY: as the caller says.
    unsafe {
        let Some(thread) = followed() else {
            return call1(Real::barrier_wait, address);
        };
        let order = table::order_at(address);
        let object = Object {
            kind: sync::BARRIER,
            shared: false,
            address,
            place,
            stays: true,
            reads: false,
        };
        if thread.sync == RECORD {
            order::note_shared(thread, order, object);
        } else {
            runs::before(thread, order, object);
            runs::after(thread, order);
        }
        let since = waits::begin(thread, true, order);
        let result = call1(Real::barrier_wait, address);
        // Only now: a handler whose record comes first may have run within the wait or after it, and the thread that
        // sent its signal may have waited for us here.
        match outcome::foretell(thread) {
            Some(promised) => {
                // Who goes on first is as open as who came first.
                solid::point(thread);
                promised
            }
            None => {
                outcome::report(thread, result);
                since.end(thread, order);
                result
            }
        }
    }
}
