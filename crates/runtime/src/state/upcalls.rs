//! What a lower room has done by a higher one: the few places where knowledge would point up.
//!
//! Each is set once, before anything can ask for it. Until then, and in tests, nothing is done.

use super::Thread;
use core::cell::UnsafeCell;
use wayfarer_entrance::signal_frame::UContext;

/// The functions of higher rooms, with the reason of each.
#[derive(Clone, Copy)]
pub struct Upcalls {
    /// Recording, parallel mode: an event is about to be written. Its place among those of the process is noted first,
    /// and to note it may take records of its own, in the same log.
    pub order_event: fn(&mut Thread),
    /// Recording: a thread that makes many events begins a chunk of its log, as good a moment as any to see whether
    /// dispatch can be switched off; that is noted in the log.
    pub chunk_begins: fn(&mut Thread),
    /// Replay, parallel mode: the thread is about to wait for its turn at an object, and a handler of the program ran
    /// before that in the recording. Handlers wait for turns in their own code.
    pub replay_handler: fn(&mut Thread),
    /// Both modes: answers a fault of an instruction that reads a counter, which is a read like any other. Whether it was
    /// one. The context is that of the fault.
    pub answer_fault: unsafe fn(&mut Thread, *mut UContext) -> bool,
}

struct Cell(UnsafeCell<Upcalls>);

// SAFETY: written only by `set`, whose caller promises that nothing reads it yet.
unsafe impl Sync for Cell {}

static UPCALLS: Cell = Cell(UnsafeCell::new(Upcalls {
    order_event: nothing,
    chunk_begins: nothing,
    replay_handler: nothing,
    answer_fault: no_answer,
}));

fn nothing(_: &mut Thread) {}

/// # Safety
/// None: it looks at nothing.
unsafe fn no_answer(_: &mut Thread, _: *mut UContext) -> bool {
    false
}

/// Sets all of them.
///
/// # Safety
/// Must come before anything of the program is followed, while the process has one thread.
pub unsafe fn set(upcalls: &Upcalls) {
    // SAFETY: nothing reads them yet, by the contract above.
    unsafe { *UPCALLS.0.get() = *upcalls };
}

/// The functions in use.
#[inline(always)]
pub fn up() -> &'static Upcalls {
    // SAFETY: not written any more once anything is followed.
    unsafe { &*UPCALLS.0.get() }
}
