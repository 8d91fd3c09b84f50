//! What glibc does to a lock that no other thread wants, done in place: a call less on each
//! acquisition.
//!
//! The words (lock, owner, users) are changed as glibc changes them, so that all of its own
//! functions go on from there. This is done only for versions whose sources say so, and where a
//! trial leaves the expected words; otherwise, and for anything but the common case, the real
//! function is called. In serial mode the thread that has its turn needs no atomic operation: no
//! other thread of the program runs, and no turn is taken away inside of our own code.
//!
//! A mutex that is taken is looked at a few times, microseconds in all, before the kernel is asked.
//! The way there is longer while recording, and fewer hand-overs make a shorter trace and a faster
//! replay.

use super::real::{Real, address, call, call1};
use core::arch::asm;
use core::ffi::CStr;
use wayfarer_calls::Number;
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::atomic::{
    AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering, spin_loop,
};

/// Minor versions of glibc 2 with these layouts and algorithms.
const KNOWN: core::ops::RangeInclusive<u32> = 31..=40;

/// Where in a thread's description its id stands; 0: nothing is done in place.
static TID_OFFSET: AtomicUsize = AtomicUsize::new(0);
/// A thread was cancelled: calls that notice it must be made.
static CANCELS: AtomicBool = AtomicBool::new(false);

// pthread_mutex_t
const OWNER: usize = 8;
const USERS: usize = 12;
const KIND: usize = 16;

// pthread_rwlock_t
const PHASE_FUTEX: usize = 8;
const WRITERS_FUTEX: usize = 12;
const CURRENT_WRITER: usize = 24;
const SHARED: usize = 28;
const FLAGS: usize = 48;
/// A thread sleeps, or slept, on a futex word.
const FUTEX_USED: u32 = 2;
const WRITE_PHASE: u32 = 1;
const WRITE_LOCKED: u32 = 2;
const READER: u32 = 8;
/// With this many readers glibc looks closer.
const MANY_READERS: u32 = 1 << 30;

// sem_t: the value below, the number of waiters above.
const VALUE: u64 = u32::MAX as u64;
const MOST: u64 = i32::MAX as u64;

const WAKE: usize = 1;
const PRIVATE: usize = 128;

/// # Safety
/// There must be an object of libc's at the address, whose word is accessed atomically only.
#[inline(always)]
unsafe fn word<'a>(address: usize) -> &'a AtomicU32 {
    // SAFETY: the callers have an object there.
    unsafe { &*(address as *const AtomicU32) }
}

/// The id that glibc writes into what this thread owns.
#[inline(always)]
fn own_id(offset: usize) -> u32 {
    let id: u32;
    // SAFETY: reads a word of the thread's description, whose place was found before.
    unsafe {
        asm!("mov {id:e}, dword ptr fs:[{offset}]", id = out(reg) id, offset = in(reg) offset,
             options(nostack, readonly, preserves_flags));
    }
    id
}

/// pthread_mutex_lock of an ordinary mutex that is free; whether it was one.
///
/// # Safety
/// There must be a mutex.
#[inline(always)]
pub unsafe fn lock_mutex(address: usize) -> bool {
    let offset = TID_OFFSET.load(Ordering::Relaxed);
    // SAFETY: as the caller says.
    unsafe {
        if offset == 0
            || word(address + KIND).load(Ordering::Relaxed) != 0
            || !swap(word(address), 0, 1)
        {
            return false;
        }
        own_mutex(address, offset);
    }
    true
}

/// The same in serial mode, by the thread that has its turn. No other thread of the program runs, and no turn is taken away
/// inside of our own code: a comparison and a store do what would else keep the processor from going on until all
/// earlier stores, those to the log among them, have reached the cache.
///
/// # Safety
/// There must be a mutex, and the thread must hold the token.
#[inline(always)]
pub unsafe fn lock_mutex_in_turn(address: usize) -> bool {
    let offset = TID_OFFSET.load(Ordering::Relaxed);
    // SAFETY: as the caller says.
    unsafe {
        if offset == 0
            || word(address + KIND).load(Ordering::Relaxed) != 0
            || word(address).load(Ordering::Relaxed) != 0
        {
            return false;
        }
        word(address).store(1, Ordering::Relaxed);
        own_mutex(address, offset);
    }
    true
}

/// pthread_mutex_unlock of an ordinary mutex that no thread waits for, in serial mode, by the thread that has its turn;
/// whether it was one.
///
/// # Safety
/// As [`lock_mutex_in_turn`].
#[inline(always)]
pub unsafe fn unlock_mutex_in_turn(address: usize) -> bool {
    // SAFETY: as the caller says.
    unsafe {
        if TID_OFFSET.load(Ordering::Relaxed) == 0
            || word(address + KIND).load(Ordering::Relaxed) != 0
            || word(address).load(Ordering::Relaxed) != 1
        {
            return false;
        }
        disown_mutex(address);
        word(address).store(0, Ordering::Release);
    }
    true
}

/// pthread_mutex_unlock of an ordinary mutex; whether it was one.
///
/// # Safety
/// There must be a mutex, and it must be the caller's to unlock.
#[inline(always)]
pub unsafe fn unlock_mutex(address: usize) -> bool {
    // SAFETY: as the caller says.
    unsafe {
        if TID_OFFSET.load(Ordering::Relaxed) == 0
            || word(address + KIND).load(Ordering::Relaxed) != 0
        {
            return false;
        }
        disown_mutex(address);
        if word(address).swap(0, Ordering::Release) > 1 {
            wake_one(address);
        }
    }
    true
}

/// # Safety
/// The address must be mapped.
#[cold]
#[inline(never)]
unsafe fn wake_one(address: usize) {
    // SAFETY: waking changes nothing but who runs; the word need not be there any more.
    unsafe { raw::syscall6(Number::FUTEX, address, WAKE | PRIVATE, 1, 0, 0, 0) };
}

/// What glibc writes into an ordinary mutex beside the lock.
///
/// # Safety
/// There must be a mutex at the address, which this thread has just locked.
#[inline(always)]
unsafe fn own_mutex(address: usize, tid_offset: usize) {
    // SAFETY: as the callers say.
    unsafe {
        word(address + OWNER).store(own_id(tid_offset), Ordering::Relaxed);
        let users = word(address + USERS);
        let more = users.load(Ordering::Relaxed).wrapping_add(1);
        users.store(more, Ordering::Relaxed);
    }
}

/// # Safety
/// There must be a mutex at the address, which this thread owns.
#[inline(always)]
unsafe fn disown_mutex(address: usize) {
    // SAFETY: as the callers say.
    unsafe {
        word(address + OWNER).store(0, Ordering::Relaxed);
        let users = word(address + USERS);
        let fewer = users.load(Ordering::Relaxed).wrapping_sub(1);
        users.store(fewer, Ordering::Relaxed);
    }
}

/// How often [`lock_mutex_soon`] looks, and the pauses before each look: together about as long as the way to the
/// kernel and back. Shorter ones would take the lock from its owner at each access, which is slower for both.
const LOOKS: u32 = 2;
const PAUSES: u32 = 96;

/// pthread_mutex_lock of an ordinary mutex whose owner is about to release it; whether it was one. The way to
/// the kernel, which is longer while recording, would take more time than most owners need.
///
/// # Safety
/// There must be a mutex.
#[inline(always)]
pub unsafe fn lock_mutex_soon(address: usize) -> bool {
    // SAFETY: as the caller says.
    unsafe {
        if TID_OFFSET.load(Ordering::Relaxed) == 0
            || word(address + KIND).load(Ordering::Relaxed) != 0
        {
            return false;
        }
        let mut looks = 0;
        while looks < LOOKS {
            let mut pauses = PAUSES;
            while pauses > 0 {
                spin_loop();
                pauses -= 1;
            }
            if word(address).load(Ordering::Relaxed) == 0 && lock_mutex(address) {
                return true;
            }
            looks += 1;
        }
    }
    false
}

#[inline(always)]
fn swap(word: &AtomicU32, from: u32, to: u32) -> bool {
    word.compare_exchange(from, to, Ordering::Acquire, Ordering::Relaxed)
        .is_ok()
}

/// pthread_rwlock_rdlock of a lock that has readers at most; whether it was one.
///
/// # Safety
/// There must be a read-write lock.
#[inline(always)]
pub unsafe fn read_lock(address: usize) -> bool {
    // SAFETY: as the caller says.
    unsafe {
        let readers = word(address).load(Ordering::Relaxed);
        TID_OFFSET.load(Ordering::Relaxed) != 0
            && readers & (READER - 1) == 0
            && readers < MANY_READERS
            && word(address + FLAGS).load(Ordering::Relaxed) == 0
            && swap(word(address), readers, readers + READER)
    }
}

/// pthread_rwlock_rdlock of a free lock that had a writer last, as glibc's function that only tries does it;
/// whether it was one.
///
/// # Safety
/// There must be a read-write lock.
pub unsafe fn read_lock_behind_writer(address: usize) -> bool {
    const ALL: usize = i32::MAX as usize;
    // SAFETY: as the caller says; waking changes nothing but who runs.
    unsafe {
        if TID_OFFSET.load(Ordering::Relaxed) == 0
            || word(address + FLAGS).load(Ordering::Relaxed) != 0
            || !swap(word(address), WRITE_PHASE, READER)
        {
            return false;
        }
        // The thread that begins a phase of readers has to tell those that sleep until there is one.
        let phase = address + PHASE_FUTEX;
        if word(phase).swap(0, Ordering::Relaxed) & FUTEX_USED != 0 {
            let is_shared = word(address + SHARED).load(Ordering::Relaxed) != 0;
            let operation = if is_shared { WAKE } else { WAKE | PRIVATE };
            raw::syscall6(Number::FUTEX, phase, operation, ALL, 0, 0, 0);
        }
    }
    true
}

/// pthread_rwlock_wrlock of a lock that is free; whether it was.
///
/// # Safety
/// There must be a read-write lock.
#[inline(always)]
pub unsafe fn write_lock(address: usize) -> bool {
    let offset = TID_OFFSET.load(Ordering::Relaxed);
    // SAFETY: as the caller says.
    unsafe {
        let readers = word(address).load(Ordering::Relaxed);
        if offset == 0
            || readers & !WRITE_PHASE != 0
            || word(address + FLAGS).load(Ordering::Relaxed) != 0
            || !swap(word(address), readers, WRITE_PHASE | WRITE_LOCKED)
        {
            return false;
        }
        word(address + WRITERS_FUTEX).store(1, Ordering::Relaxed);
        if readers & WRITE_PHASE == 0 {
            word(address + PHASE_FUTEX).store(1, Ordering::Relaxed);
        }
        word(address + CURRENT_WRITER).store(own_id(offset), Ordering::Relaxed);
    }
    true
}

/// # Safety
/// There must be an object of libc's at the address, whose word is accessed atomically only.
#[inline(always)]
unsafe fn value<'a>(address: usize) -> &'a AtomicU64 {
    // SAFETY: the callers have a semaphore there.
    unsafe { &*(address as *const AtomicU64) }
}

/// sem_wait of a semaphore that lets a thread through; whether it did.
///
/// # Safety
/// There must be a semaphore.
#[inline(always)]
pub unsafe fn take_semaphore(address: usize) -> bool {
    // SAFETY: as the caller says.
    unsafe {
        let found = value(address).load(Ordering::Relaxed);
        found & VALUE != 0
            && TID_OFFSET.load(Ordering::Relaxed) != 0
            && !CANCELS.load(Ordering::Relaxed)
            && value(address)
                .compare_exchange(found, found - 1, Ordering::Acquire, Ordering::Relaxed)
                .is_ok()
    }
}

/// sem_post of a semaphore that no thread waits for; whether it was one.
///
/// # Safety
/// There must be a semaphore.
#[inline(always)]
pub unsafe fn post_semaphore(address: usize) -> bool {
    // SAFETY: as the caller says.
    unsafe {
        let found = value(address).load(Ordering::Relaxed);
        found < MOST
            && TID_OFFSET.load(Ordering::Relaxed) != 0
            && value(address)
                .compare_exchange(found, found + 1, Ordering::Release, Ordering::Relaxed)
                .is_ok()
    }
}

/// A thread is about to be cancelled.
pub fn cancels() {
    CANCELS.store(true, Ordering::Relaxed);
}

/// The process gets a second thread; `tid_offset` is the place of the id in a thread's description.
pub fn prepare(tid_offset: usize) {
    if tid_offset == 0 || !is_known() {
        return;
    }
    TID_OFFSET.store(tid_offset, Ordering::Relaxed);
    // SAFETY: objects of this function, which nothing else sees.
    if !unsafe { try_out(tid_offset) } {
        TID_OFFSET.store(0, Ordering::Relaxed);
    }
}

/// Whether the running glibc is one whose sources are known.
pub fn is_known() -> bool {
    if address(Real::libc_version) == 0 {
        return false;
    }
    // SAFETY: the function has no arguments and gives a text that stays.
    let text = unsafe { CStr::from_ptr(call(Real::libc_version, [0; 6]) as *const i8) };
    let Some(minor) = text.to_bytes().strip_prefix(b"2.") else {
        return false;
    };
    let digits = minor.iter().take_while(|byte| byte.is_ascii_digit());
    let number = digits.fold(0u32, |number, digit| {
        number
            .wrapping_mul(10)
            .wrapping_add(u32::from(digit.wrapping_sub(b'0')))
    });
    KNOWN.contains(&number)
}

const WORDS: usize = 8;
type Trial = [u64; WORDS];

/// The real function and ours must leave the same words behind, and the real counterpart must find
/// nothing amiss.
///
/// # Safety
/// The real functions must have been found.
unsafe fn try_out(tid_offset: usize) -> bool {
    let is_ours = |trial: &Trial| trial.get(1).map(|word| *word as u32) == Some(own_id(tid_offset));
    // SAFETY: zeroed words are free locks and an empty semaphore; each call gets its own object.
    unsafe {
        let mutex = agrees(
            &[],
            Real::mutex_lock,
            |at| lock_mutex(at),
            Real::mutex_unlock,
        );
        let unlocks = unlocks_agree();
        let reads = agrees(
            &[],
            Real::rwlock_rdlock,
            |at| read_lock(at),
            Real::rwlock_unlock,
        );
        let reads_behind_writer = agrees(
            &[Real::rwlock_wrlock, Real::rwlock_unlock],
            Real::rwlock_rdlock,
            |at| read_lock_behind_writer(at),
            Real::rwlock_unlock,
        );
        let writes = agrees(
            &[],
            Real::rwlock_wrlock,
            |at| write_lock(at),
            Real::rwlock_unlock,
        );
        let posts = agrees(&[], Real::sem_post, |at| post_semaphore(at), Real::sem_wait);
        let mut locked: Trial = [0; WORDS];
        lock_mutex((&raw mut locked) as usize);
        let mut full: Trial = [1, 0, 0, 0, 0, 0, 0, 0];
        let takes = take_semaphore((&raw mut full) as usize) && full == [0; WORDS];
        mutex
            && unlocks
            && reads
            && reads_behind_writer
            && writes
            && posts
            && takes
            && is_ours(&locked)
    }
}

/// The ways to lock and unlock a mutex in place leave the same words behind as the real functions.
///
/// # Safety
/// The real functions must be those of the libc that was looked at.
unsafe fn unlocks_agree() -> bool {
    let ways: [unsafe fn(usize) -> bool; 2] = [unlock_mutex, unlock_mutex_in_turn];
    ways.into_iter().all(|unlock| {
        // SAFETY: zeroed words are a free mutex, which nothing else sees.
        unsafe {
            let (mut expected, mut found): (Trial, Trial) = ([0; WORDS], [0; WORDS]);
            let (first, second) = ((&raw mut expected) as usize, (&raw mut found) as usize);
            call1(Real::mutex_lock, first) == 0
                && lock_mutex_in_turn(second)
                && same(first, second)
                && call1(Real::mutex_unlock, first) == 0
                && unlock(second)
                && same(first, second)
        }
    })
}

/// # Safety
/// There must be trials.
unsafe fn same(first: usize, second: usize) -> bool {
    // SAFETY: as the caller says.
    unsafe { (first as *const Trial).read_volatile() == (second as *const Trial).read_volatile() }
}

/// `ahead`: what happened to both objects before, by the real functions.
///
/// # Safety
/// The real functions must be those of the libc that was looked at.
unsafe fn agrees(ahead: &[Real], theirs: Real, ours: impl Fn(usize) -> bool, back: Real) -> bool {
    let mut expected: Trial = [0; WORDS];
    let mut found: Trial = [0; WORDS];
    let (first, second) = ((&raw mut expected) as usize, (&raw mut found) as usize);
    // SAFETY: as the caller says.
    unsafe {
        let known = |which: &Real| address(*which) != 0;
        ahead.iter().chain(&[theirs, back]).all(known)
            && ahead
                .iter()
                .all(|which| call1(*which, first) == 0 && call1(*which, second) == 0)
            && call1(theirs, first) == 0
            && ours(second)
            && same(first, second)
            && call1(back, first) == 0
            && call1(back, second) == 0
            && same(first, second)
    }
}
