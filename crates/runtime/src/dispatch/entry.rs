//! Parallel mode: the entry of a call, and calls that are made for real in both runs (futex calls, `sched_yield`).

use crate::calls::record::call_kernel;
use crate::log::reader;
use crate::memory::user;
use crate::parallel::events;
use crate::parallel::library;
use crate::serial::token;
use crate::session::futex;
use crate::session::solid;
use crate::signals::delivery;
use crate::signals::queue;
use crate::state::{Thread, header};
use wayfarer_calls::Number;
use wayfarer_entrance::frame::Frame;
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::layout::waiting;
use wayfarer_runtime_abi::record;

const EINTR: isize = -4;

/// Recording, at the entry of a call: true when the call has been dealt with.
#[inline(never)]
pub fn enter(thread: &mut Thread, frame: &mut Frame) -> bool {
    match frame.number() {
        Number::FUTEX => {
            wait_for_real(thread, frame);
            return true;
        }
        Number::SCHED_YIELD => {
            thread.parallel.yields.count(thread.log.events);
            yield_really(frame);
            if thread.arrivals.pending.load(Ordering::Relaxed) != 0 {
                delivery::deliver(thread, frame, record::place::YIELD);
            }
            return true;
        }
        _ => {}
    }
    let may_wait = frame.number().call().blocks;
    if may_wait {
        library::call_may_wait(thread);
    }
    token::acquire(thread);
    if may_wait {
        events::note_event(thread);
    }
    false
}

/// A futex call is made as it is, in both runs: which thread waits for which is settled above it.
fn wait_for_real(thread: &mut Thread, frame: &mut Frame) {
    let arguments = frame.arguments();
    if !waits(frame) && !inherits(frame) {
        // SAFETY: the program's own call.
        frame.rax = unsafe { call_kernel(Number::FUTEX, &arguments) } as usize;
        return;
    }
    loop {
        let depth = if waits(frame) {
            library::suspend_for_lock(thread)
        } else {
            0
        };
        // SAFETY: the program's own call.
        let result = unsafe {
            raw::syscall_interruptible(
                Number::FUTEX,
                &arguments,
                (&raw const thread.arrivals.pending).cast(),
            )
        };
        library::resume_from_lock(thread, depth);
        frame.rax = result as usize;
        if thread.arrivals.pending.load(Ordering::Relaxed) == 0 {
            if result != EINTR {
                return;
            }
            continue;
        }
        let restart = result == EINTR && queue::all_restart(thread);
        let place = if thread.library.awaits_once != 0 {
            record::place::ONCE
        } else {
            record::place::ENTRY
        };
        delivery::deliver(thread, frame, place);
        if !restart {
            return;
        }
    }
}

/// Calls that leave no record: no place for a handler that a replay would find again by itself.
pub const fn is_made_for_real(number: Number) -> bool {
    matches!(number, Number::FUTEX | Number::SCHED_YIELD)
}

/// How often a thread looks again before it goes on is a matter of time: not recorded.
fn yield_really(frame: &mut Frame) {
    // SAFETY: sched_yield has no arguments.
    frame.rax = unsafe { raw::syscall6(Number::SCHED_YIELD, 0, 0, 0, 0, 0, 0) } as usize;
}

/// Replay of a call of a parallel process that is made for real and not recorded; whether it is one.
pub fn replay_real(thread: &mut Thread, frame: &mut Frame) -> bool {
    match frame.number() {
        Number::FUTEX => replay_futex(thread, frame),
        Number::SCHED_YIELD => {
            solid::step_aside(thread);
            thread.parallel.yields.count(thread.log.events);
            yield_really(frame);
            replay_handlers_of_yield(thread, frame);
        }
        _ => return false,
    }
    true
}

/// Whether a futex call is one that waits.
fn waits(frame: &Frame) -> bool {
    const WAIT: usize = 0;
    const WAIT_BITSET: usize = 9;
    matches!(command(frame), WAIT | WAIT_BITSET)
}

/// Whether it waits for a lock whose holder gets the priority of the waiting thread.
fn inherits(frame: &Frame) -> bool {
    const LOCK_PI: usize = 6;
    const WAIT_REQUEUE_PI: usize = 11;
    const LOCK_PI2: usize = 13;
    matches!(command(frame), LOCK_PI | WAIT_REQUEUE_PI | LOCK_PI2)
}

fn command(frame: &Frame) -> usize {
    frame.arguments()[1] & 0x7f
}

fn replay_futex(thread: &mut Thread, frame: &mut Frame) {
    let arguments = frame.arguments();
    let waits = waits(frame);
    if waits && thread.library.depth > 0 {
        if library::let_others_in(thread) || replay_handlers(thread, frame) {
            // Woken when the recorded one was; whether it has what it waits for, it looks itself.
            frame.rax = 0;
            return;
        }
        library::stay_if_it_ended_so(thread);
    }
    if waits && solid::is_on(thread) {
        let word = arguments.address(0);
        let expected = arguments[2] as u32;
        solid::wait_until(thread, || user::read::<u32>(word) != Some(expected));
        frame.rax = 0;
        return;
    }
    let slot = thread.slot();
    if waits {
        slot.waiting_for
            .store(arguments[0] as u64, Ordering::Relaxed);
        slot.waiting.store(waiting::FUTEX, Ordering::Release);
    }
    loop {
        // SAFETY: the program's own call.
        let result = unsafe { call_kernel(Number::FUTEX, &arguments) };
        if header().stop.load(Ordering::Acquire) != 0 {
            futex::park(thread);
        }
        if result != EINTR {
            frame.rax = result as usize;
            break;
        }
    }
    if waits {
        slot.waiting.store(waiting::NO, Ordering::Release);
    }
}

/// Replay, at the entry of a call that may wait.
pub fn announce(thread: &mut Thread, frame: &mut Frame) {
    replay_handlers(thread, frame);
    library::call_may_wait(thread);
    events::begin_event(thread);
    events::end_event(thread);
}

/// Replay: handlers that ran before a call; whether there were any.
fn replay_handlers(thread: &mut Thread, frame: &mut Frame) -> bool {
    let mut any = false;
    while let Some(next) = reader::peek(thread)
        && next.tag == record::SIGNAL
        && record::place::kind(next.check) == record::place::ENTRY
    {
        delivery::replay_at(thread, frame);
        any = true;
    }
    any
}

/// Replay: handlers that ran when the thread had yielded so often.
fn replay_handlers_of_yield(thread: &mut Thread, frame: &mut Frame) {
    while let Some(next) = reader::peek(thread)
        && next.tag == record::SIGNAL
        && record::place::kind(next.check) == record::place::YIELD
        && next.value <= thread.parallel.yields.since(thread.log.events)
    {
        delivery::replay_at(thread, frame);
    }
}
