//! Threads: making one, joining one and the end of one come in one order, so that libc finds the
//! same stacks free. Their lock comes before that of libc's state, and that before the one of the
//! heap.
//!
//! A thread keeps this lock and the heap's from its last destructor until it is gone, because libc
//! gives back its caches and its stack in between. Making and joining a thread that does nothing
//! takes some 1.8 times as long as without us, in either mode. The unwinder that `pthread_exit` and
//! exceptions through libc load is loaded before the second thread.
//!
//! `pthread_kill` looks into the other thread's description, so it is in this order too. Handlers
//! that arrive while a thread holds it wait until it is through, because they may send signals
//! themselves, or never return.

use super::library::within;
use super::real::{Real, call};
use super::{cancel, fast, followed, heap, loader};
use crate::parallel::events;
use crate::parallel::guarded::Guarded;
use crate::parallel::library;
use crate::parallel::outcome;
use crate::parallel::settle;
use crate::program::resolve;
use crate::session::futex;
use crate::session::wait;
use crate::signals::delivery;
use crate::signals::queue;
use crate::state::order::{OFF, REPLAY};
use crate::state::{Thread, current, header};
use wayfarer_calls::Number;
use wayfarer_entrance::frame::Frame;
use wayfarer_entrance::{raw, tls};
use wayfarer_runtime_abi::atomic::{AtomicU32, Ordering};
use wayfarer_runtime_abi::layout::{flags, waiting};
use wayfarer_runtime_abi::record::{self, note, sync};

static THREADS: Guarded = Guarded::new(sync::THREADS);

/// The thread ends: the word to store last, and its value, so that a thread that makes or joins one comes
/// after it.
pub fn last_leave(thread: &mut Thread) -> Option<(usize, u32)> {
    if !thread.ending.ends {
        return None;
    }
    THREADS.last_leave(thread)
}

pub fn reset() {
    THREADS.reset();
}

/// pthread_create and thrd_create.
///
/// # Safety
/// As the functions themselves.
pub unsafe fn create(which: Real, a: [usize; 6]) -> i32 {
    let thread = current();
    // SAFETY: as the caller says; the thread is this one.
    unsafe {
        if thread.is_null() {
            return call(which, a) as i32;
        }
        if !(*thread).process().threads.decided.get() {
            load_unwinder();
            look_at_memory();
        }
        let routine = match which {
            Real::thrd_create => a[1],
            _ => a[2],
        };
        let thread = &mut *thread;
        thread.note(note::THREAD_ROUTINE, routine as i64, &[]);
        if thread.sync == OFF {
            thread.library.makes_thread = true;
            let result = call(which, a) as i32;
            thread.library.makes_thread = false;
            return result;
        }
        let depth = library::suspend(thread);
        enter(thread);
        library::resume(thread, depth);
        thread.library.makes_thread = true;
        // Libc needs a lock of its loader for it.
        let result = within(thread, which, a) as i32;
        thread.library.makes_thread = false;
        leave(thread);
        result
    }
}

/// A thread that ends by `pthread_exit` or is cancelled, or an exception that passes through libc, makes libc load a
/// library, under a lock of the loader that is not seen. Where that may happen it is done while there is one thread.
fn load_unwinder() {
    let users = [c"pthread_exit", c"pthread_cancel", c"backtrace"];
    // SAFETY: no library is loaded meanwhile: there is one thread.
    let is_loaded = || unsafe { resolve::next(c"_Unwind_RaiseException") } != 0;
    if header().flags & flags::SERIAL != 0
        || !is_loaded() && !users.iter().any(|name| resolve::program_imports(name))
    {
        return;
    }
    let mut frames = [0usize; 2];
    // SAFETY: writes at most one address; libc loads its unwinder for it.
    unsafe { call(Real::backtrace, [(&raw mut frames) as usize, 1, 0, 0, 0, 0]) };
    core::hint::black_box(&frames);
}

/// The first large `qsort` makes libc ask how much memory there is; several threads may do so at once. It is done before.
fn look_at_memory() {
    /// More bytes than libc sorts without that.
    const LARGE: usize = 300;
    /// # Safety
    /// None: it is unsafe because libc's `qsort` takes such a function.
    unsafe extern "C" fn compare(_left: usize, _right: usize) -> i32 {
        0
    }
    let users = [c"qsort", c"qsort_r"];
    if header().flags & flags::SERIAL != 0
        || !users.iter().any(|name| resolve::anybody_imports(name))
    {
        return;
    }
    let mut values = [0u32; LARGE];
    let (place, compare) = ((&raw mut values) as usize, compare as *const () as usize);
    // SAFETY: sorts an array of this function's.
    unsafe { call(Real::qsort, [place, LARGE, size_of::<u32>(), compare, 0, 0]) };
    core::hint::black_box(&values);
}

/// Something quick whose order among the events of the process matters.
///
/// # Safety
/// As the function itself.
pub unsafe fn in_order(which: Real, a: [usize; 6]) -> i32 {
    let thread = followed();
    // SAFETY: as the caller says.
    unsafe {
        let Some(thread) = thread else {
            return call(which, a) as i32;
        };
        events::keep(thread);
        let result = call(which, a) as i32;
        events::unkeep(thread);
        result
    }
}

/// pthread_join and thrd_join: the joined thread's stack goes back at an ordered place.
///
/// # Safety
/// As the functions themselves.
pub unsafe fn join(which: Real, a: [usize; 6]) -> i32 {
    // SAFETY: as the caller says.
    unsafe {
        let Some(thread) = followed() else {
            return call(which, a) as i32;
        };
        let offset = thread.process().libc.tid_offset.get();
        if offset == 0 || a[0] == tls::fs_base() {
            let result = call(which, a) as i32;
            settle();
            return result;
        }
        wait_for_end(thread, a[0] + offset);
        // Handlers that run from now on are not of the wait.
        outcome::usual(thread);
        among_threads(thread, which, a)
    }
}

/// Joins a thread that has ended, or does something else that others must not come between.
///
/// # Safety
/// As the function that is called.
unsafe fn among_threads(thread: &mut Thread, which: Real, a: [usize; 6]) -> i32 {
    let depth = library::suspend(thread);
    enter(thread);
    // SAFETY: as the caller says.
    let result = unsafe { call(which, a) } as i32;
    leave(thread);
    library::resume(thread, depth);
    result
}

/// pthread_kill and pthread_sigqueue: whether the other thread is there to get it, libc looks up in its description,
/// which the end of a thread changes.
///
/// # Safety
/// As the functions themselves.
pub unsafe fn signal(which: Real, a: [usize; 6]) -> i32 {
    // SAFETY: as the caller says.
    unsafe {
        match followed() {
            // Not in a handler that interrupted a use of the heap, whose lock comes last, or the very end of this
            // thread, which has all others wait.
            Some(thread)
                if a[0] != tls::fs_base() && library::may_enter(thread) && !thread.ending.ends =>
            {
                among_threads(thread, which, a)
            }
            _ => call(which, a) as i32,
        }
    }
}

/// Handlers wait meanwhile: they may stay, or send signals themselves.
fn enter(thread: &mut Thread) {
    queue::hold_handlers(thread);
    THREADS.enter(thread);
    thread.library.holds_others_up = true;
}

fn leave(thread: &mut Thread) {
    thread.library.holds_others_up = false;
    THREADS.leave(thread);
    queue::let_handlers_run(thread);
}

/// Waits until the id in a thread's description is cleared, without giving anything back yet.
///
/// # Safety
/// The address must be that of the id in the description of a thread that was not joined yet.
unsafe fn wait_for_end(thread: &mut Thread, address: usize) {
    // SAFETY: the description lives until the thread is joined.
    let word = unsafe { &*(address as *const AtomicU32) };
    if thread.sync == REPLAY {
        settle::before_outcome(thread);
        // SAFETY: joining is a cancellation point.
        unsafe { cancel::test_here(thread) };
        let ended = || word.load(Ordering::Acquire) as i32 <= 0;
        wait::until(thread, waiting::FUTEX, address as u64, word, ended);
        return;
    }
    loop {
        let id = word.load(Ordering::Acquire);
        if id as i32 <= 0 {
            return;
        }
        // SAFETY: joining is a cancellation point.
        unsafe { cancel::test_here(thread) };
        let arguments = [address, 0, id as usize, 0, 0, 0];
        let depth = library::suspend(thread);
        // SAFETY: waits on a word of the description; a signal ends it.
        unsafe {
            raw::syscall_interruptible(
                Number::FUTEX,
                &arguments,
                (&raw const thread.arrivals.pending).cast(),
            );
        }
        library::resume_from_lock(thread, depth);
        if thread.arrivals.pending.load(Ordering::Relaxed) != 0 {
            // SAFETY: all fields are plain numbers; there is no call whose registers it could show.
            let mut frame: Frame = unsafe { core::mem::zeroed() };
            delivery::deliver(thread, &mut frame, record::place::ENTRY);
        }
    }
}

/// Keys of thread-specific data below this need no memory of their own.
const FIRST_KEYS: usize = 32;
/// How often libc goes through all destructors.
const ROUNDS: usize = 4;

/// The process becomes parallel: a key of our own, and the place of the id in a thread's description.
pub fn prepare(thread: &mut Thread) {
    prepare_locks(thread);
    loader::prepare();
    let process = thread.process();
    cancel::prepare();
    let mut key = 0u32;
    let destructor = at_exit as *const () as usize;
    // SAFETY: makes a key whose destructor obeys the house rules.
    let result = unsafe {
        call(
            Real::key_create,
            [(&raw mut key) as usize, destructor, 0, 0, 0, 0],
        )
    };
    process
        .libc
        .exit_key
        .set(if result as i32 == 0 && (key as usize) < FIRST_KEYS {
            key as usize + 1
        } else {
            0
        });
    // The first thread may end before the others, too.
    started(thread);
}

/// From now on locks are taken in place where that is possible.
pub fn prepare_locks(thread: &mut Thread) {
    let process = thread.process();
    process.libc.tid_offset.set(find_tid(thread.tid));
    fast::prepare(process.libc.tid_offset.get());
}

/// Where in the description of this thread its id stands.
fn find_tid(tid: u32) -> usize {
    const FROM: usize = 0x200;
    const TO: usize = 0x400;
    let base = tls::fs_base();
    // SAFETY: the description of a thread is larger than that.
    let holds = |offset: &usize| unsafe { *((base + offset) as *const u32) } == tid;
    (FROM..TO).step_by(4).find(holds).unwrap_or(0)
}

/// A new thread of a parallel process: our destructor will run at its end.
pub fn started(thread: &mut Thread) {
    let key = thread.process().libc.exit_key.get();
    if thread.sync != OFF && key != 0 {
        // SAFETY: the key is one of the first, so that nothing is allocated.
        unsafe { call(Real::setspecific, [key - 1, 1, 0, 0, 0, 0]) };
    }
}

/// Runs once in each round of destructors. What libc gives back after the last round (its caches of the
/// heap, the stack) must come in order: both are kept until the thread is gone.
///
/// # Safety
/// Called by libc as a destructor, in the thread that ends.
unsafe extern "C" fn at_exit(round: usize) {
    let Some(thread) = followed() else { return };
    library::leave_for_good(thread);
    let key = thread.process().libc.exit_key.get();
    if round < ROUNDS && key != 0 {
        // SAFETY: as above.
        unsafe { call(Real::setspecific, [key - 1, round + 1, 0, 0, 0, 0]) };
    } else {
        thread.ending.ends = true;
        THREADS.enter(thread);
        thread.library.holds_others_up = true;
        heap::enter(thread);
    }
}

fn settle() {
    if let Some(thread) = followed() {
        events::keep(thread);
        events::unkeep(thread);
    }
}

/// Joins that may give up: when (`None`: at once) and by which clock.
///
/// # Safety
/// As the functions themselves.
pub unsafe fn attempt_join(which: Real, a: [usize; 6], until: Option<(usize, usize)>) -> i32 {
    // SAFETY: as the caller says.
    unsafe {
        let Some(thread) = followed() else {
            return call(which, a) as i32;
        };
        let offset = thread.process().libc.tid_offset.get();
        if let Some(promised) = outcome::foretell(thread) {
            if promised != 0 {
                return promised;
            }
            return join(Real::join, a);
        }
        if offset == 0 {
            let result = call(which, a) as i32;
            outcome::report(thread, result);
            settle();
            return result;
        }
        let word = &*((a[0] + offset) as *const AtomicU32);
        let mut result = 0;
        while word.load(Ordering::Acquire) as i32 > 0 {
            match until {
                None => result = EBUSY,
                Some((clock, time)) if is_past(clock, time) => result = ETIMEDOUT,
                Some(_) => {
                    let depth = library::suspend(thread);
                    futex::wait(word, word.load(Ordering::Acquire), 1);
                    library::resume_from_lock(thread, depth);
                    continue;
                }
            }
            break;
        }
        outcome::report(thread, result);
        if result == 0 {
            result = join(Real::join, a);
        }
        result
    }
}

const EBUSY: i32 = 16;
const ETIMEDOUT: i32 = 110;

/// Whether the moment at `time` has passed on that clock.
///
/// # Safety
/// There must be a timespec at `time`.
unsafe fn is_past(clock: usize, time: usize) -> bool {
    let mut now = [0i64; 2];
    // SAFETY: as the callers say; the other timespec lies on this stack.
    unsafe {
        let until = *(time as *const [i64; 2]);
        raw::syscall6(
            Number::CLOCK_GETTIME,
            clock,
            (&raw mut now) as usize,
            0,
            0,
            0,
            0,
        );
        now >= until
    }
}
