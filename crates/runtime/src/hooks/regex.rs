//! Regular expressions: each compiled one has a lock of libc's own, and memory that grows with what
//! it has matched. So each is an object of its own whose uses come in a kept order, and threads
//! that match with different ones do not wait for each other.

use super::followed;
use super::real::{Real, call};
use crate::parallel::guarded::Guarded;
use crate::parallel::library;
use wayfarer_runtime_abi::record::sync;

/// Expressions share these by their addresses, so that threads with one of their own rarely wait for each other.
const PLACES: usize = 64;
static EXPRESSIONS: [Guarded; PLACES] = [const { Guarded::new(sync::LIBRARY) }; PLACES];

/// regexec
///
/// # Safety
/// As the function itself.
pub unsafe fn execute(a: [usize; 6]) -> i32 {
    // SAFETY: as the caller says; places are reduced.
    unsafe {
        let Some(thread) = followed().filter(|thread| library::may_enter(thread)) else {
            return call(Real::regexec, a) as i32;
        };
        let expression = EXPRESSIONS.get_unchecked(place_of(a[0]));
        expression.enter(thread);
        let result = call(Real::regexec, a) as i32;
        expression.leave(thread);
        result
    }
}

/// Neighbours on a stack or in an array lie some words apart, pieces of the heap and variables some more.
const fn place_of(address: usize) -> usize {
    ((address >> 4) ^ (address >> 10)) % PLACES
}

/// The child of a fork: the thread that used one is not there.
pub fn reset() {
    for expression in &EXPRESSIONS {
        expression.reset();
    }
}
