//! A thread of a replay has come to the end of its log: what the recording's end was for it.

use crate::kernel::action;
use crate::log::reader;
use crate::session::domain;
use crate::session::futex;
use crate::session::solid;
use crate::state::Thread;
use wayfarer_calls::Number;
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::layout::{process_state, waiting};

/// Whether the recording ended for this thread here, in code of its own, by a signal that the code itself does
/// not raise again: others wait for the turn that it will never give away.
pub fn was_killed_in_its_turn(thread: &mut Thread) -> bool {
    let status = thread.process().slot().end_status.get();
    let signal = status & 0x7f;
    thread.serial.holds_token
        && status & 0x8000_0000 != 0
        && signal != 0
        && !action::is_fault(signal)
        && reader::peek(thread).is_none()
}

/// The log of this thread is at its end: it was killed here, or the process ended around it.
pub fn reached(thread: &mut Thread) -> ! {
    let slot = thread.process().slot();
    thread.slot().waiting.store(waiting::END, Ordering::Release);
    domain::pass(thread);
    solid::retire(thread);
    let parked = slot.threads_parked.fetch_add(1, Ordering::AcqRel) + 1;
    let status = slot.end_status.get();
    if parked >= slot.threads_live.load(Ordering::Acquire)
        && status & 0x8000_0000 != 0
        && status & 0x7f != 0
    {
        slot.status.store(status & 0xffff, Ordering::Relaxed);
        slot.state.store(process_state::ENDED, Ordering::Release);
        futex::wake(&slot.state, u32::MAX >> 1);
        die(status & 0x7f);
    }
    futex::rest()
}

/// Ends the process by a signal.
pub fn die(signal: u32) {
    action::die_of(signal);
    let none = 0u64;
    // SAFETY: the mask lives on this stack; the signal ends this process only.
    unsafe {
        raw::syscall6(
            Number::RT_SIGPROCMASK,
            2,
            (&raw const none) as usize,
            0,
            8,
            0,
            0,
        );
        let pid = raw::syscall6(Number::GETPID, 0, 0, 0, 0, 0, 0) as usize;
        raw::syscall6(Number::KILL, pid, signal as usize, 0, 0, 0, 0);
    }
}
