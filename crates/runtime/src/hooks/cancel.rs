//! Cancellation of threads.
//!
//! In libc the canceller writes into the other thread's description, at a moment that cannot be
//! ordered. Ours only sends the signal that libc uses for it, and libc's handler marks the thread
//! that it runs in. Signals are recorded, so a replay marks the thread at the same place. From then
//! on libc's own cancellation points do their work. Those that are hooked and do not wait for real
//! in a replay leave an outcome ([`CANCELLED`]) by a clean-up handler, and a replay acts on that
//! alone. A handler takes its place among the system calls of the process, after the call that sent
//! the signal.

use super::mutex::Mutex;
use super::real::{Real, address, call, call1};
use super::{fast, followed};
use crate::parallel::events;
use crate::parallel::outcome;
use crate::program::resolve;
use crate::signals::delivery;
use crate::state::Thread;
use crate::state::order::{RECORD, REPLAY};
use wayfarer_entrance::call as entrance;
use wayfarer_entrance::frame::Frame;
use wayfarer_entrance::tls;
use wayfarer_runtime_abi::atomic::{AtomicBool, Ordering};
use wayfarer_runtime_abi::record;

/// The outcome of a call in which the thread was cancelled (ECANCELED).
pub const CANCELLED: i32 = 125;
const ESRCH: i32 = 3;
/// The signal that libc keeps for cancellation.
const SIGCANCEL: usize = 32;

/// Threads of the program may be cancelled, and the functions for it are there.
static POSSIBLE: AtomicBool = AtomicBool::new(false);
/// Threads may be cancelled, perhaps in a way that is not followed.
static THINKABLE: AtomicBool = AtomicBool::new(false);
/// The handler has been installed.
static READY: AtomicBool = AtomicBool::new(false);

/// The process becomes parallel.
pub fn prepare() {
    let wanted = resolve::program_imports(c"pthread_cancel");
    POSSIBLE.store(wanted && can_follow(), Ordering::Relaxed);
    let thinkable = resolve::anybody_imports(c"pthread_cancel") && can_follow();
    THINKABLE.store(thinkable, Ordering::Relaxed);
}

/// Whether cancellation can be recorded in parallel mode.
pub fn can_follow() -> bool {
    let needed = [
        Real::cancel,
        Real::testcancel,
        Real::cleanup_push,
        Real::cleanup_pop,
        Real::getpid,
        Real::tgkill,
    ];
    fast::is_known() && needed.iter().all(|which| address(*which) != 0)
}

/// pthread_cancel
///
/// # Safety
/// As the function itself.
pub unsafe fn cancel(target: usize) -> i32 {
    fast::cancels();
    entrance::switch_off();
    // SAFETY: as the caller says.
    unsafe {
        let Some(thread) = followed() else {
            return call1(Real::cancel, target);
        };
        let offset = thread.process().libc.tid_offset.get();
        if !POSSIBLE.load(Ordering::Relaxed) || target == tls::fs_base() || offset == 0 {
            return call1(Real::cancel, target);
        }
        events::keep(thread);
        if !READY.swap(true, Ordering::Relaxed) {
            // Libc installs its handler, which is all that is wanted.
            cancel_nobody(offset, 1);
        }
        events::unkeep(thread);
        let tid = match outcome::foretell(thread) {
            Some(promised) => promised,
            None => {
                let tid = *((target + offset) as *const i32);
                outcome::report(thread, tid);
                tid
            }
        };
        if tid <= 0 {
            return cancel_nobody(offset, tid);
        }
        let process = call(Real::getpid, [0; 6]);
        call(Real::tgkill, [process, tid as usize, SIGCANCEL, 0, 0, 0]);
        0
    }
}

/// More than the description of a thread has.
const DESCRIPTION: usize = 0x1000;

/// Lets libc cancel a thread that does not exist; what libc says to it. (Versions differ in what they say of a thread that
/// has ended, whose id is 0.)
///
/// # Safety
/// The offset must be that of the id in a thread's description.
unsafe fn cancel_nobody(tid_offset: usize, id: i32) -> i32 {
    let mut nobody = [0i32; DESCRIPTION / 4];
    let mut result = ESRCH;
    if let Some(tid) = nobody.get_mut(tid_offset / 4) {
        *tid = id;
        // SAFETY: libc marks the description, and sends no signal to a thread that is in no system call.
        result = unsafe { call1(Real::cancel, (&raw mut nobody) as usize) };
    }
    core::hint::black_box(&nobody);
    result
}

/// What a cancelled thread leaves behind, and libc's buffer for a clean-up handler.
#[repr(C)]
struct Guard {
    buffer: [usize; 4],
    mutex: usize,
    place: usize,
}

/// Recording: calls a cancellation point. A thread that is cancelled in it leaves an outcome behind, and the
/// acquisition of the mutex that it holds again.
///
/// # Safety
/// As the function itself.
#[inline(always)]
pub unsafe fn within(which: Real, a: [usize; 6], mutex: usize, place: usize) -> usize {
    // SAFETY: as the caller says; the guard lives until it is taken away again.
    unsafe {
        if !POSSIBLE.load(Ordering::Relaxed) {
            return call(which, a);
        }
        let mut guard = Guard {
            buffer: [0; 4],
            mutex,
            place,
        };
        let (buffer, whole) = ((&raw mut guard.buffer) as usize, (&raw mut guard) as usize);
        let routine = on_cancelled as *const () as usize;
        call(Real::cleanup_push, [buffer, routine, whole, 0, 0, 0]);
        let result = call(which, a);
        call(Real::cleanup_pop, [buffer, 0, 0, 0, 0, 0]);
        result
    }
}

/// Both modes: calls a cancellation point. In a thread that is cancelled there, `undo` is called with `argument`.
///
/// # Safety
/// As the functions themselves.
#[inline(always)]
pub unsafe fn undoing(undo: Real, argument: usize, which: Real, a: [usize; 6]) -> usize {
    // SAFETY: as the caller says; the buffer lives until it is taken away again.
    unsafe {
        if !THINKABLE.load(Ordering::Relaxed) {
            return call(which, a);
        }
        let mut buffer = [0usize; 4];
        let place = (&raw mut buffer) as usize;
        call(
            Real::cleanup_push,
            [place, address(undo), argument, 0, 0, 0],
        );
        let result = call(which, a);
        call(Real::cleanup_pop, [place, 0, 0, 0, 0, 0]);
        result
    }
}

/// # Safety
/// Called by libc as a clean-up handler, with the guard that `within` pushed.
unsafe extern "C" fn on_cancelled(guard: *mut Guard) {
    let Some(thread) = followed() else { return };
    outcome::report(thread, CANCELLED);
    // SAFETY: the guard of this very thread, whose stack is still there; the mutex is the program's.
    unsafe {
        if (*guard).mutex != 0 {
            Mutex::at((*guard).mutex, (*guard).place).note_taken(thread);
        }
    }
}

/// Replay: the thread was cancelled here. It has marked itself before.
///
/// # Safety
/// Where the program may be cancelled.
#[cold]
#[inline(never)]
pub unsafe fn act(thread: &mut Thread) -> ! {
    // SAFETY: as the caller says.
    unsafe { call(Real::testcancel, [0; 6]) };
    // It did not end: the replay is not the recorded run.
    crate::log::end::reached(thread)
}

/// pthread_testcancel
///
/// # Safety
/// As the function itself.
pub unsafe fn test() {
    // SAFETY: as the caller says.
    unsafe {
        let Some(thread) = followed() else {
            call(Real::testcancel, [0; 6]);
            return;
        };
        if !POSSIBLE.load(Ordering::Relaxed) {
            call(Real::testcancel, [0; 6]);
            return;
        }
        if thread.sync == REPLAY {
            if outcome::foretell(thread) == Some(CANCELLED) {
                act(thread);
            }
            return;
        }
        if thread.arrivals.pending.load(Ordering::Relaxed) != 0 {
            // SAFETY: all fields are plain numbers; there is no call whose registers it could show.
            let mut frame: Frame = core::mem::zeroed();
            delivery::deliver(thread, &mut frame, record::place::ENTRY);
        }
        within(Real::testcancel, [0; 6], 0, 0);
        outcome::report(thread, 0);
    }
}

/// Within a hook that is a cancellation point and waits by itself.
///
/// # Safety
/// Where the program may be cancelled.
pub unsafe fn test_here(thread: &mut Thread) {
    if !POSSIBLE.load(Ordering::Relaxed) {
        return;
    }
    // SAFETY: as the caller says.
    unsafe {
        if thread.sync == RECORD {
            within(Real::testcancel, [0; 6], 0, 0);
        } else if outcome::takes(thread, CANCELLED) {
            act(thread);
        }
    }
}
