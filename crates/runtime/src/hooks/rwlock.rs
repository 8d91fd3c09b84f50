//! Read-write locks: readers and writers in one order of acquisitions.

use super::mutex::born;
use super::real::{Real, call};
use super::{fast, followed, in_serial_turn};
use crate::parallel::order;
use crate::parallel::outcome;
use crate::parallel::runs;
use crate::parallel::waits;
use crate::session::solid;
use crate::state::order::{Object, Order, RECORD, state_at};
use crate::state::{Thread, current};
use wayfarer_runtime_abi::record::sync;

/// Two words that glibc leaves unused hold the state.
const TAIL_OFFSET: usize = 16;
const SHARED_OFFSET: usize = 28;
const WORD_OFFSET: usize = 40;
const EBUSY: i32 = 16;

/// # Safety
/// There must be a lock of that kind at the address.
unsafe fn parts<'a>(side: Side, address: usize, place: usize) -> (Order<'a>, Object) {
    // SAFETY: the callers have a lock there.
    unsafe {
        let order = state_at(address + WORD_OFFSET, address + TAIL_OFFSET);
        let object = Object {
            kind: sync::RWLOCK,
            shared: *((address + SHARED_OFFSET) as *const i32) != 0,
            address,
            place,
            stays: true,
            reads: side == Side::Reader,
        };
        (order, object)
    }
}

/// Which other acquisitions one lets in.
#[derive(Clone, Copy, PartialEq)]
pub enum Side {
    Reader,
    Writer,
}

impl Side {
    /// The function that waits for the lock.
    fn lock(self) -> Real {
        match self {
            Side::Reader => Real::rwlock_rdlock,
            Side::Writer => Real::rwlock_wrlock,
        }
    }
}

/// pthread_rwlock_rdlock and pthread_rwlock_wrlock
///
/// # Safety
/// As the function itself.
#[inline(always)]
pub unsafe fn lock(side: Side, address: usize, place: usize) -> i32 {
    let thread = current();
    // SAFETY: as the caller says; the thread is this one.
    unsafe {
        let in_place = || match side {
            Side::Reader => fast::read_lock(address),
            Side::Writer => fast::write_lock(address),
        };
        if !thread.is_null() && (*thread).sync == RECORD && in_place() {
            let thread = &mut *thread;
            outcome::usual(thread);
            let word = address + WORD_OFFSET;
            let counted = match side {
                Side::Reader => order::count_biased(thread, true, word, None),
                Side::Writer => order::count_up(thread, word),
            };
            if counted {
                return 0;
            }
            return note_locked(thread, side, address, place);
        }
        if in_serial_turn(thread) {
            if in_place() {
                return 0;
            }
            return call(side.lock(), [address, 0, 0, 0, 0, 0]) as i32;
        }
        lock_slowly(side, address, place)
    }
}

/// Notes an acquisition that begins a run; gives what the function returns.
///
/// # Safety
/// As the function that locks.
#[inline(never)]
unsafe fn note_locked(thread: &mut Thread, side: Side, address: usize, place: usize) -> i32 {
    // SAFETY: as the caller says.
    unsafe { note(thread, side, address, place) };
    0
}

/// # Safety
/// As the function that locks.
#[inline(never)]
unsafe fn lock_slowly(side: Side, address: usize, place: usize) -> i32 {
    let thread = current();
    // SAFETY: as the caller says; the thread is this one.
    unsafe {
        if side == Side::Reader
            && !thread.is_null()
            && (*thread).sync == RECORD
            && fast::read_lock_behind_writer(address)
        {
            outcome::usual(&mut *thread);
            return note_locked(&mut *thread, side, address, place);
        }
    }
    // SAFETY: as the caller says.
    unsafe { acquire(side.lock(), side, [address, 0, 0, 0, 0, 0], place) }
}

/// Recording: the thread has just acquired it.
///
/// # Safety
/// There must be a lock of that kind at the address.
#[inline(always)]
unsafe fn note(thread: &mut Thread, side: Side, address: usize, place: usize) {
    // SAFETY: as the caller says.
    let (order, object) = unsafe { parts(side, address, place) };
    match side {
        Side::Reader => order::note_biased(thread, order, object),
        Side::Writer => order::note_exclusive(thread, order, object),
    }
}

/// Any acquisition. `which` is the function that was called, `a` its arguments.
///
/// # Safety
/// As the function itself.
pub unsafe fn acquire(which: Real, side: Side, a: [usize; 6], place: usize) -> i32 {
    // SAFETY: as the caller says.
    unsafe {
        let Some(thread) = followed() else {
            return call(which, a) as i32;
        };
        if let Some(promised) = outcome::foretell(thread) {
            if promised == 0 {
                replay(thread, side, a[0], place);
            }
            return promised;
        }
        let may_wait = !matches!(which, Real::rwlock_tryrdlock | Real::rwlock_trywrlock);
        let since = waits::begin(thread, may_wait, parts(side, a[0], place).0);
        let result = call(which, a) as i32;
        outcome::report(thread, result);
        if result == 0 {
            note(thread, side, a[0], place);
            let order = parts(side, a[0], place).0;
            match side {
                Side::Reader => since.end(thread, order),
                Side::Writer => since.end_alone(thread, order),
            }
        }
        result
    }
}

/// # Safety
/// As the function that locks.
#[inline(never)]
unsafe fn replay(thread: &mut Thread, side: Side, address: usize, place: usize) {
    // SAFETY: as the caller says.
    unsafe {
        let (order, object) = parts(side, address, place);
        runs::before(thread, order, object);
        let arguments = [address, 0, 0, 0, 0, 0];
        let attempt = match side {
            Side::Reader => Real::rwlock_tryrdlock,
            Side::Writer => Real::rwlock_trywrlock,
        };
        if solid::is_on(thread) {
            while call(attempt, arguments) as i32 == EBUSY {
                solid::pass_on(thread);
            }
        } else {
            call(side.lock(), arguments);
        }
        runs::after(thread, order);
    }
}

/// # Safety
/// As pthread_rwlock_init.
pub unsafe fn init(address: usize, attributes: usize, place: usize) -> i32 {
    // SAFETY: as the caller says; the real function clears the whole lock.
    let result = unsafe { call(Real::rwlock_init, [address, attributes, 0, 0, 0, 0]) as i32 };
    born(address, place);
    result
}
