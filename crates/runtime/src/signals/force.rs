//! What happens by force: threads that make no events are made to yield, or to run a handler, in
//! the middle of their own code.
//!
//! The signal for this is SIGSTKFLT and not SIGSYS. One SIGSYS at a time can wait. If ours waits,
//! the one that the kernel raises for a dispatched call is dropped, and the program goes on after a
//! call that was never made. SIGSTKFLT is used by nothing else. The program cannot block it, wait
//! for it or take it away; a program that uses it gets its own.

use crate::kernel::action::{OWN, SIGSYS, UNBLOCKABLE, set_kernel_action};
use crate::log::end as log_end;
use crate::log::reader;
use crate::serial::ahead;
use crate::serial::ends;
use crate::serial::timers::{
    FORCE, LOOK, TIMER_CODE, arm_force, arm_look, drop_timers, look_after_us,
};
use crate::serial::token;
use crate::serial::turns;
use crate::serial::watch;
use crate::session::clocks::own_processor_time;
use crate::session::domain;
use crate::signals::arrivals::signal_arrived;
use crate::signals::blocked;
use crate::signals::delivery::{replay_one, run, write_down};
use crate::signals::queue::pop_inside;
use crate::signals::queue::wanted;
use crate::state::spinning;
use crate::state::spinning::{Spin, Verdict};
use crate::state::{Process, Thread, current};
use wayfarer_calls::Number;
use wayfarer_entrance::signal_frame::{
    SIG_BLOCK, SIG_SETMASK, SIG_UNBLOCK, SIGSTKFLT, SigAction, SigContext, UContext, bit,
};
use wayfarer_entrance::{dispatch, raw};
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::layout::{MODE_RECORD, MODE_REPLAY};
use wayfarer_runtime_abi::record;

/// What an action has for a handler that ignores the signal.
const IGNORED: usize = 1;
/// Recording: after how long a thread that has waited in a loop is looked at again.
const LOOK_AFTER_US: u64 = 50;
/// Recording: the time from one look to the next.
const LOOK_AGAIN_US: u64 = 25;

/// Installs the handler of our own signal. What the program inherited is what it will be told of.
pub fn install(process: &Process) {
    let ours = SigAction {
        handler: stopped as *const () as usize,
        ..dispatch::action()
    };
    let mut before = ours;
    // SAFETY: actions on this stack; the handler obeys the house rules.
    unsafe {
        raw::syscall6(
            Number::RT_SIGACTION,
            OWN as usize,
            (&raw const ours) as usize,
            (&raw mut before) as usize,
            8,
            0,
            0,
        );
    }
    // The image before has blocked it.
    change_mask(SIG_UNBLOCK);
    if before.handler == IGNORED {
        process.signals.action(OWN).handler.set(IGNORED);
    }
}

/// Recording: an exec takes our handler away, and whatever is still on its way would end the program. `stays`: the next
/// image will have one. Gives the thread id, under which the thread cannot be found meanwhile.
pub fn before_exec(thread: &mut Thread, stays: bool) -> u32 {
    let tid = thread.slot().real_tid.swap(0, Ordering::AcqRel);
    drop_timers(thread);
    change_mask(SIG_BLOCK);
    let (ours, at_once) = (bit(SIGSTKFLT), [0u64; 2]);
    // SAFETY: a mask and a time on this stack.
    while unsafe {
        raw::syscall6(
            Number::RT_SIGTIMEDWAIT,
            (&raw const ours) as usize,
            0,
            (&raw const at_once) as usize,
            8,
            0,
            0,
        )
    } > 0
    {}
    if !stays {
        change_mask(SIG_UNBLOCK);
    }
    tid
}

/// The exec has failed.
pub fn after_exec(thread: &mut Thread, tid: u32) {
    thread.slot().real_tid.store(tid, Ordering::Release);
    change_mask(SIG_UNBLOCK);
}

/// Blocks or unblocks our own signal.
fn change_mask(how: usize) {
    let ours = bit(SIGSTKFLT);
    // SAFETY: a mask on this stack.
    unsafe {
        raw::syscall6(
            Number::RT_SIGPROCMASK,
            how,
            (&raw const ours) as usize,
            0,
            8,
            0,
            0,
        )
    };
}

/// Our own signal: kicks and timers, or the program's business.
///
/// # Safety
/// Called by the kernel as a handler, or from one, with a siginfo and a ucontext.
unsafe extern "C" fn stopped(signal: i32, information: *mut u64, context: *mut UContext) {
    let thread = current();
    if thread.is_null() {
        return;
    }
    // SAFETY: the kernel passes a siginfo and a ucontext; the thread is this one.
    unsafe {
        let (thread, interrupted) = (&mut *thread, &mut *context);
        let code = *information.cast::<i32>().add(2);
        let value = *information.add(3);
        let outside = !dispatch::is_own_text(interrupted.registers.rip);
        match (code, value) {
            (watch::KICK_CODE, watch::KICK | watch::KICK_IF_SPINNING) => {
                if outside && thread.mode == MODE_RECORD && thread.serial.holds_token {
                    kicked(thread, &interrupted.registers, value == watch::KICK);
                }
            }
            (TIMER_CODE, LOOK) if thread.mode == MODE_REPLAY => {
                look_for_end(thread, &interrupted.registers, outside);
            }
            (TIMER_CODE, LOOK) => {
                if outside && thread.mode == MODE_RECORD && thread.serial.holds_token {
                    kicked(thread, &interrupted.registers, false);
                }
            }
            (TIMER_CODE, FORCE) if outside && thread.mode == MODE_REPLAY => {
                replay_by_force(thread, interrupted);
            }
            (TIMER_CODE, FORCE) if outside => deliver_by_force(thread, interrupted),
            (TIMER_CODE, FORCE) => {
                if thread.mode == MODE_REPLAY
                    || thread.arrivals.pending.load(Ordering::Relaxed) != 0
                {
                    arm_force(thread);
                }
            }
            _ => foreign(thread, signal, information, context),
        }
    }
}

/// The program uses our signal for a purpose of its own.
///
/// # Safety
/// Called by the kernel as a handler, or from one, with a siginfo and a ucontext.
unsafe fn foreign(thread: &mut Thread, signal: i32, information: *mut u64, context: *mut UContext) {
    const DEFAULT: usize = 0;
    match thread.process().signals.action(OWN).handler.get() {
        DEFAULT => {
            let default = SigAction {
                handler: DEFAULT,
                ..dispatch::action()
            };
            // SAFETY: the program ends as it would have by itself, once the handler returns.
            unsafe {
                set_kernel_action(OWN, &default);
                let tid = raw::syscall6(Number::GETTID, 0, 0, 0, 0, 0, 0) as usize;
                raw::syscall6(Number::TKILL, tid, OWN as usize, 0, 0, 0, 0);
            }
        }
        IGNORED => {}
        // SAFETY: as the caller says.
        _ => unsafe { signal_arrived(signal, information, context) },
    }
}

/// A SIGSYS that is not a dispatched call is the program's business.
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
        let context = context.cast::<UContext>();
        if wanted(thread, SIGSYS) {
            let action = thread.process().signals.action(SIGSYS).get();
            let mask = (*context).mask | action.mask;
            let mask = mask & !UNBLOCKABLE;
            raw::syscall6(
                Number::RT_SIGPROCMASK,
                SIG_SETMASK,
                (&raw const mask) as usize,
                0,
                8,
                0,
                0,
            );
            let handler: extern "C" fn(i32, *mut u64, *mut UContext) =
                core::mem::transmute(action.handler);
            handler(SIGSYS as i32, information.cast(), context);
        }
    }
}

/// Recording: a thread waits for the turn of this one, or it was about to be found in a loop.
fn kicked(thread: &mut Thread, registers: &SigContext, in_any_case: bool) {
    let verdict = look(thread, registers);
    watch::learn(domain::of(thread.process()), verdict);
    match verdict {
        Verdict::Waits(spin) => {
            let place = ends::place_between(thread, Some(spin));
            token::give_way(thread, Some(place));
            // Perhaps it goes on to wait, and no other thread is there to look.
            arm_look(thread, LOOK_AFTER_US);
        }
        _ if in_any_case => {
            let place = ends::place_between(thread, None);
            token::give_way(thread, Some(place));
        }
        Verdict::Perhaps => {
            let same = thread.preemption.looks.same.saturating_sub(1);
            arm_look(thread, spinning::pause_us(LOOK_AGAIN_US, same));
        }
        Verdict::Unknown | Verdict::Computes => {}
    }
}

/// Recording: looks at a thread that was stopped in the middle of its own code.
fn look(thread: &mut Thread, registers: &SigContext) -> Verdict {
    let now_ns = own_processor_time();
    let events = thread.log.events;
    let looks = &mut thread.preemption.looks;
    if looks.is_too_soon(now_ns) {
        return Verdict::Unknown;
    }
    let verdict = spinning::judge(looks, registers, events, now_ns);
    looks.end(own_processor_time());
    verdict
}

/// Replay: the turn ends if the thread waits in the recorded loop.
fn look_for_end(thread: &mut Thread, registers: &SigContext, outside: bool) {
    let spin = thread.preemption.expected.spin;
    if !ends::expects_end(thread) || spin == Spin::default() {
        return;
    }
    if outside && ends::is_behind_end(thread) && thread.preemption.expected.look(registers) {
        turns::replay_yield(thread);
        ahead::after(thread);
    } else {
        let same = thread.preemption.expected.same;
        arm_look(thread, spinning::pause_us(look_after_us(&spin), same));
    }
}

/// Recording: the thread made no event for a slice, so its signals are delivered in the middle of its code.
fn deliver_by_force(thread: &mut Thread, context: &mut UContext) {
    if thread.signals.holds_handlers {
        return;
    }
    thread.arrivals.pending.store(0, Ordering::Release);
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

/// Replay: what was done by force in the recording, if it is the next thing that the log has.
fn replay_by_force(thread: &mut Thread, context: &mut UContext) {
    if let Some(next) = reader::peek(thread)
        && ahead::is_forced(&next)
    {
        if next.tag == record::SIGNAL {
            replay_one(thread, context, true);
        } else if ends::ends_between(thread) {
            turns::replay_yield(thread);
        } else {
            arm_force(thread);
            return;
        }
        ahead::after(thread);
    } else if log_end::was_killed_in_its_turn(thread) {
        log_end::reached(thread);
    }
}
