//! Spinlocks, which have no room for a state.

use super::followed;
use super::real::{Real, call, call1};
use crate::parallel::order;
use crate::parallel::outcome;
use crate::parallel::runs;
use crate::parallel::table;
use crate::parallel::waits;
use crate::session::solid;
use crate::state::Thread;
use crate::state::order::{Object, REPLAY};
use wayfarer_runtime_abi::record::sync;

const EBUSY: i32 = 16;

fn object(address: usize, place: usize) -> Object {
    Object {
        kind: sync::SPINLOCK,
        shared: false,
        address,
        place,
        stays: true,
        reads: false,
    }
}

/// # Safety
/// As pthread_spin_lock.
pub unsafe fn lock(address: usize, place: usize) -> i32 {
    // SAFETY: as the caller says.
    unsafe {
        let Some(thread) = followed() else {
            return call1(Real::spin_lock, address);
        };
        if thread.sync == REPLAY {
            replay(thread, address, place);
            return 0;
        }
        let order = table::order_at(address);
        let mut result = call1(Real::spin_trylock, address);
        if result != EBUSY {
            order::note_shared(thread, order, object(address, place));
            return result;
        }
        let since = waits::begin(thread, true, order);
        result = call1(Real::spin_lock, address);
        order::note_shared(thread, order, object(address, place));
        since.end(thread, order);
        result
    }
}

/// # Safety
/// As pthread_spin_trylock.
pub unsafe fn trylock(address: usize, place: usize) -> i32 {
    // SAFETY: as the caller says.
    unsafe {
        let Some(thread) = followed() else {
            return call1(Real::spin_trylock, address);
        };
        if let Some(promised) = outcome::foretell(thread) {
            if promised == 0 {
                replay(thread, address, place);
            }
            return promised;
        }
        let result = call1(Real::spin_trylock, address);
        outcome::report(thread, result);
        if result == 0 {
            order::note_shared(thread, table::order_at(address), object(address, place));
        }
        result
    }
}

/// # Safety
/// As the function that locks.
unsafe fn replay(thread: &mut Thread, address: usize, place: usize) {
    let order = table::order_at(address);
    runs::before(thread, order, object(address, place));
    // SAFETY: as the caller says.
    unsafe {
        if solid::is_on(thread) {
            while call1(Real::spin_trylock, address) == EBUSY {
                solid::pass_on(thread);
            }
        } else {
            call1(Real::spin_lock, address);
        }
    }
    runs::after(thread, order);
}

/// # Safety
/// As pthread_spin_init.
pub unsafe fn init(address: usize, shared: usize, place: usize) -> i32 {
    super::mutex::born(address, place);
    // SAFETY: as the caller says.
    unsafe { call(Real::spin_init, [address, shared, 0, 0, 0, 0]) as i32 }
}
