//! What happens by force: threads that make no events are made to yield, or to run a handler, in the
//! middle of their own code.

use crate::signals::{SIGSYS, UNBLOCKABLE, pop_inside, replay_one, run, wanted, write_down};
use crate::state::{Thread, current};
use crate::{blocked, crossings, log_end, reader, replay, spinning, token};
use core::sync::atomic::Ordering;
use wayfarer_entrance::signal_frame::{SIG_SETMASK, UContext};
use wayfarer_entrance::{dispatch, raw};
use wayfarer_runtime_abi::layout::{MODE_RECORD, MODE_REPLAY};
use wayfarer_runtime_abi::record;

const RT_SIGPROCMASK: usize = 14;
/// How long a thread may go without events before a signal is delivered by force.
const FORCE_AFTER_NS: u64 = 10_000_000;
/// Replay: the same before a turn ends by force, which takes two such times.
const YIELD_AFTER_NS: u64 = 5_000_000;
/// Marks the timer of a forced delivery.
const FORCE: u64 = 0x5741_5946_464f_5243;
const TIMER_CODE: i32 = -2;
/// The clock of the timer: a thread that does not get to run is not late.
const THREAD_PROCESSOR_TIME: usize = 3;

/// A SIGSYS that is no dispatched call: our own kicks and timers, or the program's business.
///
/// # Safety
/// Called by the entrance with the kernel's siginfo and ucontext.
pub unsafe extern "C" fn foreign_sigsys(information: *mut u8, context: *mut u8) {
    let thread = current();
    if thread.is_null() {
        return;
    }
    // SAFETY: as the caller says.
    unsafe {
        let thread = &mut *thread;
        let information = information.cast::<u64>();
        let context = context.cast::<UContext>();
        let code = *information.cast::<i32>().add(2);
        let value = *information.add(3);
        let outside = !dispatch::is_own_text((*context).registers.rip);
        if code == token::KICK_CODE && matches!(value, token::KICK | token::KICK_IF_SPINNING) {
            let wanted = value == token::KICK || spinning::is_spinning(thread, &*context);
            if wanted && outside && thread.mode == MODE_RECORD {
                let place = crossings::place_between(thread);
                token::give_way(thread, Some(place));
            }
        } else if code == TIMER_CODE && value == FORCE {
            if outside {
                by_force(thread, &mut *context);
            } else if thread.mode == MODE_REPLAY || thread.pending.load(Ordering::Relaxed) != 0 {
                arm_force(thread);
            }
        } else if wanted(thread, SIGSYS) {
            let action = *thread.process().actions.get_unchecked(SIGSYS as usize);
            let mask = (*context).mask | action.mask;
            let mask = mask & !UNBLOCKABLE;
            raw::syscall6(
                RT_SIGPROCMASK,
                SIG_SETMASK,
                (&raw const mask) as usize,
                0,
                8,
                0,
                0,
            );
            let handler: extern "C" fn(i32, *mut u64, *mut UContext) =
                core::mem::transmute(action.handler);
            handler(SIGSYS as i32, information, context);
        }
    }
}

/// The thread made no event for a slice: its signals are delivered in the middle of its code.
fn by_force(thread: &mut Thread, context: &mut UContext) {
    if thread.mode == MODE_REPLAY {
        if let Some(next) = reader::peek(thread)
            && replay::is_forced(&next)
        {
            if next.tag == record::SIGNAL {
                replay_one(thread, context, true);
            } else if crossings::ends_between(thread) {
                token::replay_yield(thread);
            } else {
                arm_force(thread);
                return;
            }
            replay::after(thread, None);
        } else if log_end::was_killed_in_its_turn(thread) {
            log_end::reached(thread);
        }
        return;
    }
    thread.pending.store(0, Ordering::Release);
    while let Some(mut waiting) = pop_inside(thread, context) {
        if wanted(thread, waiting.number) && !blocked::went_back(&waiting, context.mask) {
            thread.note(record::note::FORCED_SIGNAL, i64::from(waiting.number), &[]);
            write_down(thread, &waiting, record::place::FORCED);
            run(
                thread,
                waiting.number,
                &mut waiting.information,
                context,
                true,
            );
        }
    }
}

/// Starts the timer after which a signal is delivered by force.
pub fn arm_force(thread: &mut Thread) {
    // SAFETY: all structs live on this stack; a timer of ours raises SIGSYS in this thread only.
    unsafe {
        if !thread.timer_made {
            let tid = raw::syscall6(186, 0, 0, 0, 0, 0, 0) as u64;
            // sigevent: value, signal and notification (SIGEV_THREAD_ID), thread id.
            let event: [u64; 8] = [FORCE, 31 | (4 << 32), tid, 0, 0, 0, 0, 0];
            let result = raw::syscall6(
                222,
                THREAD_PROCESSOR_TIME,
                (&raw const event) as usize,
                (&raw mut thread.timer) as usize,
                0,
                0,
                0,
            );
            if result != 0 {
                return;
            }
            thread.timer_made = true;
        }
        let after = if crossings::expects_end(thread) {
            YIELD_AFTER_NS
        } else {
            FORCE_AFTER_NS
        };
        let when: [u64; 4] = [0, 0, 0, after];
        raw::syscall6(
            223,
            thread.timer as usize,
            0,
            (&raw const when) as usize,
            0,
            0,
            0,
        );
    }
}
