//! C11 threads: the same objects under other names and with other results.

use super::real::{Real, call};
use super::{condition, followed, mutex};

const EBUSY: i32 = 16;
const ENOMEM: i32 = 12;
const ETIMEDOUT: i32 = 110;

/// A result of pthread's in the words of C11.
fn translate(result: i32) -> i32 {
    match result {
        0 => 0,
        EBUSY => 1,
        ENOMEM => 3,
        ETIMEDOUT => 4,
        _ => 2,
    }
}

/// # Safety
/// As mtx_lock.
pub unsafe fn lock(address: usize, place: usize) -> i32 {
    // SAFETY: as the caller says; the objects are pthread's.
    translate(unsafe { mutex::lock(address, place) })
}

/// # Safety
/// As mtx_trylock.
pub unsafe fn trylock(address: usize, place: usize) -> i32 {
    // SAFETY: as above.
    translate(unsafe { mutex::trylock(address, place) })
}

/// # Safety
/// As mtx_timedlock.
pub unsafe fn timedlock(address: usize, time: usize, place: usize) -> i32 {
    // SAFETY: as above.
    translate(unsafe { mutex::timedlock(address, time, place) })
}

/// # Safety
/// As mtx_init.
pub unsafe fn init(address: usize, kind: usize, place: usize) -> i32 {
    // SAFETY: as the caller says.
    let result = unsafe { call(Real::mtx_init, [address, kind, 0, 0, 0, 0]) as i32 };
    mutex::born(address, place);
    result
}

/// # Safety
/// As cnd_wait.
pub unsafe fn wait(condition: usize, mutex: usize, place: usize) -> i32 {
    // SAFETY: as the caller says.
    unsafe {
        match followed() {
            None => call(Real::cnd_wait, [condition, mutex, 0, 0, 0, 0]) as i32,
            Some(_) => translate(condition::wait(condition, mutex, place)),
        }
    }
}

/// # Safety
/// As cnd_timedwait.
pub unsafe fn timedwait(condition: usize, mutex: usize, time: usize, place: usize) -> i32 {
    // SAFETY: as the caller says.
    unsafe {
        match followed() {
            None => call(Real::cnd_timedwait, [condition, mutex, time, 0, 0, 0]) as i32,
            Some(_) => translate(condition::timedwait(condition, mutex, time, place)),
        }
    }
}
