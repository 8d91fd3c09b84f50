//! Barriers: they order by themselves; who was the last is an outcome.

use super::followed;
use super::real::{Real, call1};
use crate::outcome;

/// # Safety
/// As pthread_barrier_wait.
pub unsafe fn wait(address: usize) -> i32 {
    // SAFETY: as the caller says.
    unsafe {
        let Some(thread) = followed() else {
            return call1(Real::barrier_wait, address);
        };
        let result = call1(Real::barrier_wait, address);
        // Only now: a handler whose record comes first may have run within the wait or behind it, and whoever
        // sent its signal may have waited for us here.
        match outcome::foretell(thread) {
            Some(promised) => promised,
            None => {
                outcome::report(thread, result);
                result
            }
        }
    }
}
