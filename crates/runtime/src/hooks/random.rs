//! `rand` and `random`, which keep one state for all threads.

use super::followed;
use super::real::{Real, call};
use crate::parallel::guarded::Guarded;
use wayfarer_runtime_abi::record::sync;

static RANDOM: Guarded = Guarded::new(sync::RANDOM);

/// # Safety
/// As the function itself.
pub unsafe fn use_random(which: Real, a: usize) -> usize {
    let arguments = [a, 0, 0, 0, 0, 0];
    // SAFETY: as the caller says.
    unsafe {
        let Some(thread) = followed() else {
            return call(which, arguments);
        };
        RANDOM.enter(thread);
        let result = call(which, arguments);
        RANDOM.leave(thread);
        result
    }
}

pub fn reset() {
    RANDOM.reset();
}
