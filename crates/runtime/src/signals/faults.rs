//! Faults: our own guarded reads, a full disk under the log, the program's business, or the end.

use crate::kernel::action::{SIGBUS, SIGSEGV, die_of, is_guarded, set_kernel_action};
use crate::log;
use crate::log::reader;
use crate::session::diverge;
use crate::session::futex;
use crate::signals::arrivals::signal_arrived;
use crate::signals::queue::wanted;
use crate::state::upcalls::up;
use crate::state::{Thread, current, header};
use wayfarer_calls::Number;
use wayfarer_entrance::signal_frame::{
    SA_NODEFER, SA_RESETHAND, SA_RESTORER, SA_SIGINFO, SigAction, UContext, bit,
};
use wayfarer_entrance::{dispatch, guard, raw};
use wayfarer_runtime_abi::Broken;
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::layout::{
    MODE_RECORD, MODE_REPLAY, SESSION_BASE, SESSION_SIZE, divergence, flags, process_state,
};

/// Takes SIGSEGV and SIGBUS before anything of the program is read.
pub fn install() {
    for signal in [SIGBUS, SIGSEGV] {
        let action = SigAction {
            handler: fault_arrived as *const () as usize,
            flags: SA_SIGINFO | SA_RESTORER | SA_NODEFER,
            restorer: dispatch::restorer(),
            mask: 0,
        };
        // SAFETY: the handler obeys the house rules.
        unsafe { set_kernel_action(signal, &action) };
    }
}

/// Our handler for faults.
///
/// # Safety
/// Called by the kernel as a handler, with a siginfo and a ucontext.
pub unsafe extern "C" fn fault_arrived(signal: i32, information: *mut u64, context: *mut UContext) {
    let thread = current();
    if thread.is_null() {
        die_of(signal as u32);
        return;
    }
    // SAFETY: the kernel passes a siginfo and a ucontext; the thread is this one.
    unsafe {
        let thread = &mut *thread;
        let code = *information.cast::<i32>().add(2);
        let address = *information.add(2) as usize;
        let guarded = is_guarded(signal as u32) && header().flags & flags::NO_GUARD == 0;
        if guarded && guard::redirect(context.cast(), &raw mut thread.guard) {
            return;
        }
        if signal as u32 == SIGSEGV && code > 0 && (up().answer_fault)(thread, context) {
            return;
        }
        if signal as u32 == SIGBUS
            && code > 0
            && address.wrapping_sub(SESSION_BASE) < SESSION_SIZE as usize
        {
            // The disk under the log is full: put memory in place of the page and step aside.
            log::break_off(Broken::DiskFull, 28);
            raw::syscall6(Number::MMAP, address & !4095, 4096, 3, 0x32, usize::MAX, 0);
            return;
        }
        if code <= 0 {
            if thread.mode == MODE_RECORD {
                if wanted(thread, signal as u32) {
                    signal_arrived(signal, information, context);
                } else {
                    die_of(signal as u32);
                    raw::syscall6(
                        Number::TGKILL,
                        thread_group(),
                        raw::syscall6(Number::GETTID, 0, 0, 0, 0, 0, 0) as usize,
                        signal as usize,
                        0,
                        0,
                        0,
                    );
                }
            }
            return;
        }
        let kept = thread.process().signals.action(signal as u32);
        let action = kept.get();
        // A fault that the program has blocked ends it, handler or not.
        if action.handler > 1 && thread.signals.believed_blocked & bit(signal) == 0 {
            if action.flags & SA_RESETHAND != 0 {
                kept.handler.set(0);
            }
            let handler: extern "C" fn(i32, *mut u64, *mut UContext) =
                core::mem::transmute(action.handler);
            handler(signal, information, context);
            return;
        }
        if thread.mode == MODE_REPLAY {
            fault_in_replay(thread, signal as u32, address, (*context).registers.rip);
        }
        // Unmasked and default: the instruction faults again and ends the process.
        die_of(signal as u32);
    }
}

fn thread_group() -> usize {
    // SAFETY: getpid has no arguments.
    unsafe { raw::syscall6(Number::GETPID, 0, 0, 0, 0, 0, 0) as usize }
}

/// Replay: the process is about to die of a fault. It did so in the recording, or it diverged.
fn fault_in_replay(thread: &mut Thread, signal: u32, address: usize, rip: usize) {
    let slot = thread.process().slot();
    let status = slot.end_status.get();
    let expected = status & 0x8000_0000 != 0 && status & 0x7f == signal;
    if !expected || reader::peek(thread).is_some() {
        let next = reader::peek(thread);
        diverge::details([u64::from(signal), address as u64, rip as u64, 0]);
        diverge::report(thread, divergence::FAULT, -1, 0, &[0; 6], next.as_ref());
    }
    slot.status.store(status & 0xffff, Ordering::Relaxed);
    slot.state.store(process_state::ENDED, Ordering::Release);
    futex::wake(&slot.state, u32::MAX >> 1);
}
