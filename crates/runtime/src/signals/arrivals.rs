//! Our handler for asynchronous signals: what arrives is queued, and wakes a call that waits.

use crate::serial::timers;
use crate::signals::queue::{hold_when_full, stash};
use crate::state::current;
use wayfarer_entrance::raw;
use wayfarer_entrance::signal_frame::UContext;
use wayfarer_runtime_abi::layout::MODE_RECORD;

/// Our handler for asynchronous signals.
///
/// # Safety
/// Called by the kernel as a handler, with a siginfo and a ucontext.
pub unsafe extern "C" fn signal_arrived(
    signal: i32,
    information: *mut u64,
    context: *mut UContext,
) {
    let thread = current();
    if thread.is_null() {
        return;
    }
    // SAFETY: the kernel passes a siginfo and a ucontext; the thread is this one.
    unsafe {
        stash(&mut *thread, signal as u32, information);
        hold_when_full(&mut *thread, &mut *context);
        let rip = (*context).registers.rip;
        if let Some(instead) = raw::in_interruptible_window(rip) {
            (*context).registers.rip = instead;
        } else if (*thread).mode == MODE_RECORD {
            // Even in our own code: it may have taken its last look at the queue already.
            timers::arm_force(&mut *thread);
        }
    }
}
