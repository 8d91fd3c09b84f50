//! Semaphores. The state lies after the 16 bytes that glibc uses; the last four of these are padding, where the
//! posts of the current run are counted.

use super::cancel::{self, CANCELLED};
use super::mutex::born;
use super::real::{Real, call, call1, errno, set_errno};
use super::{fast, followed, in_serial_turn};
use crate::parallel::insides::{SEMAPHORE_STATE, posts};
use crate::parallel::order;
use crate::parallel::outcome;
use crate::parallel::runs;
use crate::parallel::waits;
use crate::session::solid;
use crate::state::order::{Object, Order, RECORD, state_at};
use crate::state::{Thread, current};
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::record::sync;

const SHARED_OFFSET: usize = 8;
const EAGAIN: i32 = 11;
const EINTR: i32 = 4;

/// # Safety
/// There must be a semaphore at the address.
unsafe fn parts<'a>(address: usize, place: usize) -> (Order<'a>, Object) {
    // SAFETY: the callers have a semaphore there.
    unsafe {
        let order = state_at(address + SEMAPHORE_STATE, address + SEMAPHORE_STATE + 8);
        let object = Object {
            kind: sync::SEMAPHORE,
            shared: *((address + SHARED_OFFSET) as *const i32) != 0,
            address,
            place,
            stays: true,
            reads: false,
        };
        (order, object)
    }
}

/// sem_wait
///
/// # Safety
/// As the function itself.
#[inline(always)]
pub unsafe fn wait(address: usize, place: usize) -> i32 {
    let thread = current();
    // SAFETY: as the caller says; the thread is this one.
    unsafe {
        if !thread.is_null() && (*thread).sync == RECORD && fast::take_semaphore(address) {
            let thread = &mut *thread;
            outcome::usual(thread);
            if order::count_biased(thread, false, address + SEMAPHORE_STATE, None) {
                return 0;
            }
            return note_taken(thread, address, place);
        }
        if in_serial_turn(thread) {
            if fast::take_semaphore(address) {
                return 0;
            }
            return call1(Real::sem_wait, address);
        }
        attempt(Real::sem_wait, [address, 0, 0, 0, 0, 0], place)
    }
}

/// Notes a wait that was over at once, in another run than the last; gives what the function returns.
///
/// # Safety
/// As the function itself.
#[inline(never)]
unsafe fn note_taken(thread: &mut Thread, address: usize, place: usize) -> i32 {
    // SAFETY: as the caller says.
    let (order, object) = unsafe { parts(address, place) };
    order::note_biased(thread, order, object);
    0
}

/// sem_wait, when it may take longer, and its kin.
///
/// # Safety
/// As the function itself.
#[inline(never)]
pub unsafe fn attempt(which: Real, a: [usize; 6], place: usize) -> i32 {
    // SAFETY: as the caller says.
    unsafe {
        let Some(thread) = followed() else {
            return call(which, a) as i32;
        };
        if let Some(promised) = outcome::foretell(thread) {
            if promised == 0 {
                replay(thread, a[0], place);
                return 0;
            }
            if promised == CANCELLED {
                cancel::act(thread);
            }
            set_errno(promised);
            return -1;
        }
        let may_wait = !matches!(which, Real::sem_trywait);
        let since = waits::begin(thread, may_wait, parts(a[0], place).0);
        let result = cancel::within(which, a, 0, place) as i32;
        outcome::report(thread, if result == 0 { 0 } else { errno() });
        if result == 0 {
            let (order, object) = parts(a[0], place);
            order::note_biased(thread, order, object);
            since.end(thread, order);
        }
        result
    }
}

/// # Safety
/// As the function itself.
#[inline(never)]
unsafe fn replay(thread: &mut Thread, address: usize, place: usize) {
    // SAFETY: as the caller says.
    unsafe {
        let (order, object) = parts(address, place);
        runs::before(thread, order, object);
        let arguments = [address, 0, 0, 0, 0, 0];
        if solid::is_on(thread) {
            while call(Real::sem_trywait, arguments) as i32 != 0 && errno() == EAGAIN {
                solid::pass_on(thread);
            }
        } else {
            while call(Real::sem_wait, arguments) as i32 != 0 && errno() == EINTR {}
        }
        runs::after(thread, order);
    }
}

/// sem_post: noted before it is done, so that no wait that it ends is noted earlier.
///
/// # Safety
/// As the function itself.
#[inline(always)]
pub unsafe fn post(address: usize, place: usize) -> i32 {
    let thread = current();
    // SAFETY: as the caller says; the thread is this one.
    unsafe {
        if !thread.is_null()
            && (*thread).sync == RECORD
            && order::count_biased(
                &*thread,
                false,
                address + SEMAPHORE_STATE,
                Some(posts(address)),
            )
        {
            if fast::post_semaphore(address) {
                return 0;
            }
            return call1(Real::sem_post, address);
        }
        if in_serial_turn(thread) {
            if fast::post_semaphore(address) {
                return 0;
            }
            return call1(Real::sem_post, address);
        }
        post_slowly(address, place)
    }
}

/// # Safety
/// As the function itself.
#[inline(never)]
unsafe fn post_slowly(address: usize, place: usize) -> i32 {
    // SAFETY: as the caller says.
    unsafe {
        if let Some(thread) = followed() {
            let (order, object) = parts(address, place);
            if thread.sync == RECORD {
                order::note_post(thread, order, object, posts(address));
            } else {
                runs::before(thread, order, object);
                runs::after(thread, order);
            }
        }
        call1(Real::sem_post, address)
    }
}

/// sem_getvalue: the value is an outcome.
///
/// # Safety
/// As the function itself.
pub unsafe fn value(address: usize, into: usize) -> i32 {
    // SAFETY: as the caller says.
    unsafe {
        let result = call(Real::sem_getvalue, [address, into, 0, 0, 0, 0]) as i32;
        if let Some(thread) = followed() {
            let place = into as *mut i32;
            match outcome::foretell(thread) {
                Some(promised) => *place = promised,
                None => outcome::report(thread, *place),
            }
        }
        result
    }
}

/// # Safety
/// As sem_init.
pub unsafe fn init(address: usize, shared: usize, value: usize, place: usize) -> i32 {
    // SAFETY: as the caller says.
    unsafe {
        let result = call(Real::sem_init, [address, shared, value, 0, 0, 0]) as i32;
        if result == 0 {
            // The real function leaves these bytes as they were.
            order::forget(parts(address, place).0);
            posts(address).store(0, Ordering::Relaxed);
            born(address, place);
        }
        result
    }
}
