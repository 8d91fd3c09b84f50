//! The loader, as a part of libc with a state of its own (`library.rs`).
//!
//! `dlopen` and its like look at their caller, so they are jumped to. The loader locks and unlocks
//! by two pointers of its own, which it sets when libc is there. In a parallel process these two
//! are ours: a thread that is about to load something comes in as it takes the loader's first lock,
//! and goes out as it gives that lock back. Locks that the loader takes to bind a function at its
//! first call are left alone: which thread comes first there is a matter of time, and shows
//! nowhere.

use super::real::{Real, address, call1};
use crate::parallel::library;
use crate::program::resolve;
use crate::state::current;
use crate::state::order::OFF;
use wayfarer_calls::Number;
use wayfarer_entrance::modules::Module;
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The pointers are ours.
static READY: AtomicBool = AtomicBool::new(false);

/// The process becomes parallel; it has one thread.
pub fn prepare() {
    let Some(loader) = resolve::loader() else {
        return;
    };
    let pointers = [
        (address(Real::mutex_lock), lock as *const () as usize),
        (address(Real::mutex_unlock), unlock as *const () as usize),
    ];
    let places = pointers.map(|(real, _)| place_of(&loader, real));
    let [Some(first), Some(second)] = places else {
        return;
    };
    for (place, (_, ours)) in [first, second].into_iter().zip(pointers) {
        // SAFETY: the place of the function that ours stands for; there is one thread.
        if !unsafe { replace(&loader, place, ours) } {
            return;
        }
    }
    READY.store(true, Ordering::Relaxed);
}

/// The one place in the loader's data where the address of a function stands.
fn place_of(loader: &Module, function: usize) -> Option<usize> {
    const WORD: usize = size_of::<usize>();
    let mut found = None;
    for (start, length) in loader.data() {
        let mut place = start.next_multiple_of(WORD);
        let end = start.wrapping_add(length);
        while place.wrapping_add(WORD) <= end {
            // SAFETY: inside a writable segment of the loader, which is always mapped.
            if unsafe { (place as *const usize).read() } == function {
                if found.is_some() {
                    return None;
                }
                found = Some(place);
            }
            place = place.wrapping_add(WORD);
        }
    }
    found
}

/// Puts another function there, in memory that the loader may have made read-only.
///
/// # Safety
/// The place must be that of a pointer to a function of the same kind, which nobody reads meanwhile.
unsafe fn replace(loader: &Module, place: usize, function: usize) -> bool {
    const PAGE: usize = 4096;
    const READ: usize = 1;
    const READ_WRITE: usize = 3;
    let page = place & !(PAGE - 1);
    let is_fixed = loader
        .fixed_data()
        .is_some_and(|(start, length)| place.wrapping_sub(start) < length);
    // SAFETY: the page is the loader's; the rest as the caller says.
    unsafe {
        if is_fixed && raw::syscall6(Number::MPROTECT, page, PAGE, READ_WRITE, 0, 0, 0) != 0 {
            return false;
        }
        (*(place as *const AtomicUsize)).store(function, Ordering::Release);
        if is_fixed {
            raw::syscall6(Number::MPROTECT, page, PAGE, READ, 0, 0, 0);
        }
    }
    true
}

/// The program is about to call a function of the loader; where it is.
///
/// # Safety
/// Called by the thread that calls the function.
pub unsafe fn announce(which: Real) -> usize {
    if READY.load(Ordering::Relaxed)
        // SAFETY: the pointer of this very thread.
        && let Some(thread) = unsafe { current().as_mut() }
    {
        thread.library.loads = thread.sync != OFF && library::may_enter(thread);
    }
    address(which)
}

/// The loader locks.
///
/// # Safety
/// Called by the loader, with a mutex of its own.
unsafe extern "C" fn lock(mutex: usize) -> i32 {
    // SAFETY: the pointer of this very thread.
    if let Some(thread) = unsafe { current().as_mut() } {
        if thread.library.loads && library::may_enter(thread) {
            thread.library.loads = false;
            library::enter(thread);
            (thread.library.loader_lock, thread.library.loader_depth) = (mutex, 0);
        }
        if thread.library.loader_lock == mutex {
            thread.library.loader_depth += 1;
        }
    }
    // SAFETY: a mutex of the loader's.
    unsafe { call1(Real::mutex_lock, mutex) }
}

/// The loader unlocks.
///
/// # Safety
/// Called by the loader, with a mutex of its own.
unsafe extern "C" fn unlock(mutex: usize) -> i32 {
    // SAFETY: as above.
    let result = unsafe { call1(Real::mutex_unlock, mutex) };
    // SAFETY: as above.
    if let Some(thread) = unsafe { current().as_mut() }
        && thread.library.loader_lock == mutex
    {
        thread.library.loader_depth = thread.library.loader_depth.saturating_sub(1);
        if thread.library.loader_depth == 0 {
            thread.library.loader_lock = 0;
            library::leave(thread);
        }
    }
    result
}
