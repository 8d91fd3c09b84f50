//! Mutexes. The state lies in the words of the list of robust mutexes, which others do not use.

use super::real::{self, Real, call, call1};
use super::{fast, followed, in_serial_turn};
use crate::parallel::order;
use crate::parallel::outcome;
use crate::parallel::runs;
use crate::parallel::runs::{LOOKS, announce_unlocked, count_down, goes_on, look_away};
use crate::parallel::table;
use crate::parallel::waits;
use crate::serial::crossings;
use crate::session::solid;
use crate::state::order::{OFF, Object, Order, RECORD, REPLAY, state_at};
use crate::state::thread::Since;
use crate::state::{Thread, current};
use wayfarer_runtime_abi::atomic::{AtomicU32, Ordering};
use wayfarer_runtime_abi::record::sync;

const OWNER_OFFSET: usize = 8;
const KIND_OFFSET: usize = 16;
const STATE_OFFSET: usize = 24;
const TYPE: i32 = 3;
const ERROR_CHECKING: i32 = 2;
const ROBUST: i32 = 0x10;
const SHARED: i32 = 0x80;
const EBUSY: i32 = 16;
const ETIMEDOUT: i32 = 110;
const EOWNERDEAD: i32 = 130;

/// A mutex as the hooks see it.
#[derive(Clone, Copy)]
pub struct Mutex<'a> {
    pub order: Order<'a>,
    pub object: Object,
    address: usize,
    /// A plain lock of it may fail.
    may_fail: bool,
    /// The state is in the table, where several objects may share one.
    in_table: bool,
}

impl Mutex<'_> {
    /// # Safety
    /// There must be a mutex.
    #[inline(always)]
    pub unsafe fn at(address: usize, place: usize) -> Self {
        // SAFETY: as the caller says.
        unsafe {
            let kind = *((address + KIND_OFFSET) as *const i32);
            let in_table = kind & ROBUST != 0;
            let order = if in_table {
                table::order_at(address)
            } else {
                state_at(address + STATE_OFFSET, address + STATE_OFFSET + 8)
            };
            Mutex {
                order,
                object: Object {
                    kind: sync::MUTEX,
                    shared: kind & SHARED != 0 && !in_table,
                    address,
                    place,
                    stays: true,
                    reads: false,
                },
                address,
                may_fail: in_table || kind & TYPE == ERROR_CHECKING,
                in_table,
            }
        }
    }

    /// Recording: the thread has just acquired it.
    #[inline(always)]
    pub fn note_taken(&self, thread: &mut Thread) {
        if self.in_table {
            order::note_shared(thread, self.order, self.object);
        } else {
            order::note_exclusive(thread, self.order, self.object);
        }
    }

    /// Recording: the thread that has just acquired it had waited since then.
    fn end_wait(&self, thread: &mut Thread, since: Since) {
        if self.in_table {
            since.end(thread, self.order);
        } else {
            since.end_alone(thread, self.order);
        }
    }

    /// Another thread has it at this moment.
    fn is_taken(&self, thread: &Thread) -> bool {
        // SAFETY: there is a mutex; its first word is 0 while it is free, and another says who has it.
        unsafe {
            let word = |offset| &*((self.address + offset) as *const AtomicU32);
            word(0).load(Ordering::Relaxed) != 0
                && word(OWNER_OFFSET).load(Ordering::Relaxed) != thread.tid
        }
    }

    /// Replay: acquires it at its turn.
    pub fn acquire(&self, thread: &mut Thread) -> i32 {
        runs::before(thread, self.order, self.object);
        // SAFETY: whoever made this said that there is one.
        let result = unsafe { lock_really(thread, self.address) };
        runs::after_lock(thread, self.order);
        result
    }
}

/// Replay: the real lock; its owner will release it.
///
/// # Safety
/// There must be a mutex.
pub unsafe fn lock_really(thread: &mut Thread, address: usize) -> i32 {
    // SAFETY: as the caller says.
    unsafe {
        if solid::is_on(thread) {
            let mut result = call1(Real::mutex_trylock, address);
            while result == EBUSY {
                solid::pass_on(thread);
                result = call1(Real::mutex_trylock, address);
            }
            return result;
        }
        // It is this thread's turn: the owner is about to release the lock.
        let mut looks = 0;
        while looks < LOOKS {
            let result = call1(Real::mutex_trylock, address);
            if result != EBUSY {
                return result;
            }
            let word = &*(address as *const AtomicU32);
            while looks < LOOKS && word.load(Ordering::Relaxed) != 0 {
                look_away(thread, &mut looks, 1);
            }
            look_away(thread, &mut looks, 1);
        }
        call1(Real::mutex_lock, address)
    }
}

fn acquired(result: i32) -> bool {
    result == 0 || result == EOWNERDEAD
}

/// pthread_mutex_lock
///
/// # Safety
/// As the function itself.
#[inline(always)]
pub unsafe fn lock(address: usize, place: usize) -> i32 {
    let thread = current();
    // SAFETY: as the caller says; the thread is this one.
    unsafe {
        if thread.is_null() {
            return lock_slowly(address, place);
        }
        if (*thread).sync == OFF {
            if !crossings::pass(&mut *thread) {
                return lock_in_next_turn(&mut *thread, address);
            }
            if (*thread).serial.holds_token && fast::lock_mutex_in_turn(address) {
                return 0;
            }
            return call1(Real::mutex_lock, address);
        }
        if (*thread).sync == RECORD && fast::lock_mutex(address) {
            if order::count_up(&*thread, address + STATE_OFFSET) {
                return 0;
            }
            return record_lock(&mut *thread, address, place, 0);
        }
        if (*thread).sync == REPLAY
            && goes_on(&*thread, address + STATE_OFFSET)
            && fast::lock_mutex(address)
        {
            count_down(address + STATE_OFFSET);
            return 0;
        }
        lock_slowly(address, place)
    }
}

/// Serial mode: the thread's turn ends before it has the lock.
///
/// # Safety
/// As the function itself.
#[cold]
#[inline(never)]
unsafe fn lock_in_next_turn(thread: &mut Thread, address: usize) -> i32 {
    crossings::end_turn(thread);
    // SAFETY: as the caller says.
    unsafe { call1(Real::mutex_lock, address) }
}

/// # Safety
/// As the function itself.
#[inline(never)]
unsafe fn lock_slowly(address: usize, place: usize) -> i32 {
    // SAFETY: as the caller says.
    unsafe {
        let Some(thread) = followed() else {
            return call1(Real::mutex_lock, address);
        };
        if thread.sync == REPLAY {
            return replay_lock(thread, address, place);
        }
        if fast::lock_mutex_soon(address) {
            return record_lock(thread, address, place, 0);
        }
        let mutex = Mutex::at(address, place);
        let since = waits::begin(thread, mutex.is_taken(thread), mutex.order);
        let result = call1(Real::mutex_lock, address);
        record_lock(thread, address, place, result);
        if acquired(result) {
            mutex.end_wait(thread, since);
        }
        result
    }
}

/// # Safety
/// There must be a mutex at the address, and `result` is what locking it gave.
#[inline(never)]
unsafe fn record_lock(thread: &mut Thread, address: usize, place: usize, result: i32) -> i32 {
    // SAFETY: as the caller says.
    let mutex = unsafe { Mutex::at(address, place) };
    if mutex.may_fail {
        outcome::report(thread, result);
    }
    if acquired(result) {
        mutex.note_taken(thread);
    }
    result
}

/// # Safety
/// As the function itself.
#[inline(never)]
unsafe fn replay_lock(thread: &mut Thread, address: usize, place: usize) -> i32 {
    // SAFETY: as the caller says.
    let mutex = unsafe { Mutex::at(address, place) };
    let promised = if mutex.may_fail {
        outcome::foretell(thread).unwrap_or(0)
    } else {
        0
    };
    if acquired(promised) {
        mutex.acquire(thread);
    }
    promised
}

/// A lock that may give up: trylock, timedlock, clocklock.
///
/// # Safety
/// As the function itself.
unsafe fn attempt(which: Real, a: [usize; 6], place: usize) -> i32 {
    let address = a[0];
    // SAFETY: as the caller says.
    unsafe {
        let Some(thread) = followed() else {
            return call(which, a) as i32;
        };
        if let Some(promised) = outcome::foretell(thread) {
            if acquired(promised) {
                Mutex::at(address, place).acquire(thread);
            }
            return promised;
        }
        let mutex = Mutex::at(address, place);
        let may_wait = !matches!(which, Real::mutex_trylock);
        let since = waits::begin(thread, may_wait && mutex.is_taken(thread), mutex.order);
        let result = call(which, a) as i32;
        outcome::report(thread, result);
        if acquired(result) {
            mutex.note_taken(thread);
            mutex.end_wait(thread, since);
        }
        result
    }
}

/// pthread_mutex_unlock
///
/// # Safety
/// As the function itself.
#[inline(always)]
pub unsafe fn unlock(address: usize) -> i32 {
    let thread = current();
    // SAFETY: as the caller says; the thread is this one.
    unsafe {
        let done = if thread.is_null() {
            false
        } else if (*thread).sync == OFF {
            (*thread).serial.holds_token && fast::unlock_mutex_in_turn(address)
        } else if (*thread).sync == RECORD {
            fast::unlock_mutex(address)
        } else {
            return replay_unlock(&mut *thread, address);
        };
        if done {
            return 0;
        }
        call1(Real::mutex_unlock, address)
    }
}

/// The next thread is told when there is something to come for.
///
/// # Safety
/// As the function itself.
#[inline(always)]
unsafe fn replay_unlock(thread: &mut Thread, address: usize) -> i32 {
    // SAFETY: as the caller says.
    unsafe {
        let result = if fast::unlock_mutex(address) {
            0
        } else {
            call1(Real::mutex_unlock, address)
        };
        announce_unlocked(thread);
        result
    }
}

/// # Safety
/// As the functions themselves.
#[inline(always)]
pub unsafe fn trylock(address: usize, place: usize) -> i32 {
    let thread = current();
    // SAFETY: as the caller says; the thread is this one.
    unsafe {
        if in_serial_turn(thread) {
            if fast::lock_mutex_in_turn(address) {
                return 0;
            }
            return call1(Real::mutex_trylock, address);
        }
        try_slowly(address, place)
    }
}

/// # Safety
/// As the function itself.
#[inline(never)]
unsafe fn try_slowly(address: usize, place: usize) -> i32 {
    // SAFETY: as the caller says.
    unsafe { attempt(Real::mutex_trylock, [address, 0, 0, 0, 0, 0], place) }
}

/// # Safety
/// As the function itself.
pub unsafe fn timedlock(address: usize, time: usize, place: usize) -> i32 {
    // SAFETY: as the caller says.
    unsafe { attempt(Real::mutex_timedlock, [address, time, 0, 0, 0, 0], place) }
}

/// # Safety
/// As the function itself.
pub unsafe fn clocklock(address: usize, clock: usize, time: usize, place: usize) -> i32 {
    // SAFETY: as the caller says.
    unsafe {
        attempt(
            Real::mutex_clocklock,
            [address, clock, time, 0, 0, 0],
            place,
        )
    }
}

/// # Safety
/// As pthread_mutex_init.
pub unsafe fn init(address: usize, attributes: usize, place: usize) -> i32 {
    let mut plain = 0u32;
    let mut attributes = attributes;
    if attributes != 0 {
        // SAFETY: the program's own attributes, which are one word.
        plain = without_inheritance(unsafe { *(attributes as *const u32) });
        attributes = (&raw mut plain) as usize;
    }
    // SAFETY: as the caller says; the real function clears the whole mutex, our words included.
    let result = unsafe { call(Real::mutex_init, [address, attributes, 0, 0, 0, 0]) as i32 };
    core::hint::black_box(&plain);
    born(address, place);
    result
}

/// Attributes of a mutex without priority inheritance. The kernel would write into the words of such a mutex
/// while its owner runs, at a moment that cannot be ordered; all that the program loses is a matter of time.
fn without_inheritance(attributes: u32) -> u32 {
    const PROTOCOL: u32 = 3 << 28;
    const INHERIT: u32 = 1 << 28;
    if attributes & PROTOCOL == INHERIT {
        attributes & !PROTOCOL
    } else {
        attributes
    }
}

/// Remembers who initialised an object; only a recording asks for it.
pub fn born(address: usize, place: usize) {
    let thread = crate::state::current();
    if !thread.is_null() {
        table::note_birth(address, place);
    }
}

/// # Safety
/// As pthread_mutex_destroy.
pub unsafe fn destroy(address: usize, place: usize) -> i32 {
    // SAFETY: as the caller says.
    unsafe {
        if let Some(thread) = followed() {
            let mutex = Mutex::at(address, place);
            order::retire(thread, mutex.order);
        }
        call1(Real::mutex_destroy, address)
    }
}

/// Whether a condition wait with this result holds the mutex again.
pub fn wait_ended(result: i32) -> bool {
    acquired(result) || result == ETIMEDOUT
}

/// Unlocks a mutex for real.
///
/// # Safety
/// As pthread_mutex_unlock.
pub unsafe fn unlock_really(address: usize) -> i32 {
    // SAFETY: as the caller says.
    unsafe { real::call1(Real::mutex_unlock, address) }
}
