//! What happens by force: threads that make no events are made to yield, or to run a handler, in
//! the middle of their own code.
//!
//! The signal for this is SIGSTKFLT and not SIGSYS. One SIGSYS at a time can wait. If ours waits,
//! the one that the kernel raises for a dispatched call is dropped, and the program goes on after a
//! call that was never made. SIGSTKFLT is used by nothing else. The program cannot block it, wait
//! for it or take it away; a program that uses it gets its own.

use crate::calls::replay;
use crate::kernel::action::{OWN, SIGSYS, UNBLOCKABLE, set_kernel_action};
use crate::log::end as log_end;
use crate::log::reader;
use crate::serial::token;
use crate::serial::watch;
use crate::session::clocks::own_processor_time;
use crate::session::domain;
use crate::signals::blocked;
use crate::signals::queue::pop_inside;
use crate::signals::{replay_one, run, signal_arrived, wanted, write_down};
use crate::state::crossings;
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
/// How long a thread may go without events before a signal is delivered by force.
const FORCE_AFTER_NS: u64 = 10_000_000;
/// Replay: the same before a turn ends by force, which takes two such times.
const YIELD_AFTER_NS: u64 = 5_000_000;
/// Replay: the same where the turn ended in a loop, which should be met much sooner.
const NO_LOOP_AFTER_NS: u64 = 50_000_000;
/// Recording: after how long a thread that has waited in a loop is looked at again.
const LOOK_AFTER_US: u64 = 50;
/// Recording: the time from one look to the next.
const LOOK_AGAIN_US: u64 = 25;
/// Replay: the same, and how much shorter it is than all looks in the recording took.
const SHORTEST_LOOK_US: u64 = 25;
const LONGEST_LOOK_US: u64 = 60;
const LOOKS_FASTER: u64 = 3;
/// Marks the timer of a forced delivery.
const FORCE: u64 = 0x5741_5946_464f_5243;
/// Marks the timer of a look.
const LOOK: u64 = FORCE + 1;
const TIMER_CODE: i32 = -2;
/// The clock of the timer: a thread that does not get to run is not late.
const THREAD_PROCESSOR_TIME: usize = 3;
/// The same for looks, which come sooner than clocks of processor time tick.
const MONOTONIC: usize = 1;

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
            (TIMER_CODE, FORCE) if outside => by_force(thread, interrupted),
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
            let place = crossings::place_between(thread, Some(spin));
            token::give_way(thread, Some(place));
            // Perhaps it goes on to wait, and no other thread is there to look.
            arm_look(thread, LOOK_AFTER_US);
        }
        _ if in_any_case => {
            let place = crossings::place_between(thread, None);
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
    if !crossings::expects_end(thread) || spin == Spin::default() {
        return;
    }
    if outside && crossings::is_behind_end(thread) && thread.preemption.expected.look(registers) {
        token::replay_yield(thread);
        replay::after(thread, None);
    } else {
        let same = thread.preemption.expected.same;
        arm_look(thread, spinning::pause_us(look_after_us(&spin), same));
    }
}

/// Replay: the time between looks. The turn must not end later than in the recording: a loop may go on elsewhere after
/// so many rounds. It took as many looks there.
fn look_after_us(spin: &Spin) -> u64 {
    (u64::from(spin.after_us) / LOOKS_FASTER).clamp(SHORTEST_LOOK_US, LONGEST_LOOK_US)
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

/// Starts the timer after which a signal is delivered by force.
pub fn arm_force(thread: &mut Thread) {
    let after_ns = if !crossings::expects_end(thread) {
        FORCE_AFTER_NS
    } else if thread.preemption.expected.spin == Spin::default() {
        YIELD_AFTER_NS
    } else {
        arm_look(thread, look_after_us(&thread.preemption.expected.spin));
        NO_LOOP_AFTER_NS
    };
    start(
        &mut thread.preemption.force_timer,
        THREAD_PROCESSOR_TIME,
        FORCE,
        after_ns,
    );
}

/// Starts the timer after which the thread is looked at.
fn arm_look(thread: &mut Thread, after_us: u64) {
    start(
        &mut thread.preemption.look_timer,
        MONOTONIC,
        LOOK,
        after_us * 1000,
    );
}

/// The thread ends: the kernel would keep its timers for as long as the process lives.
pub fn drop_timers(thread: &mut Thread) {
    for timer in [
        &mut thread.preemption.force_timer,
        &mut thread.preemption.look_timer,
    ] {
        if *timer != 0 {
            // SAFETY: a timer of ours.
            unsafe {
                raw::syscall6(
                    Number::TIMER_DELETE,
                    timer.wrapping_sub(1) as usize,
                    0,
                    0,
                    0,
                    0,
                    0,
                )
            };
            *timer = 0;
        }
    }
}

/// Starts a timer that raises our signal in this thread; `timer`: its number, plus one, and 0 before it is made.
fn start(timer: &mut i32, clock: usize, mark: u64, after_ns: u64) {
    // SAFETY: all structs live on this stack; a timer of ours raises our signal in this thread only.
    unsafe {
        if *timer == 0 {
            let tid = raw::syscall6(Number::GETTID, 0, 0, 0, 0, 0, 0) as u64;
            // sigevent: value, signal and notification (SIGEV_THREAD_ID), thread id.
            let event: [u64; 8] = [mark, u64::from(OWN) | (4 << 32), tid, 0, 0, 0, 0, 0];
            let mut number = 0i32;
            let result = raw::syscall6(
                Number::TIMER_CREATE,
                clock,
                (&raw const event) as usize,
                (&raw mut number) as usize,
                0,
                0,
                0,
            );
            if result != 0 {
                return;
            }
            *timer = number.wrapping_add(1);
        }
        let when: [u64; 4] = [0, 0, 0, after_ns];
        raw::syscall6(
            Number::TIMER_SETTIME,
            timer.wrapping_sub(1) as usize,
            0,
            (&raw const when) as usize,
            0,
            0,
            0,
        );
    }
}
