//! Parallel mode: threads run at once, and only the order of their accesses to shared objects is
//! kept.
//!
//! The mode of a process is decided when it gets its second thread, by what its code looks like
//! (`survey.rs`), unless the user chose it.
//!
//! All system calls of the process count as accesses of one object of their own, so that what
//! threads tell each other through the kernel keeps its order too. A call that may wait, during
//! which others go on, counts twice: when it begins, for those that see what it does, and when it
//! is over, after those that it waited for. Otherwise a send whose answer another thread has before
//! the sender is back would be noted after that answer. A send is noted before its receipt. Futex
//! calls and `sched_yield` are made for real in both runs and leave no record: how often a thread
//! looks is a matter of time.

pub mod bias;
pub mod handover;
pub mod insides;
pub mod nap;
pub mod order;
pub mod outcome;
pub mod robust;
pub mod runs;
pub mod settle;
pub mod table;
pub mod waits;

use crate::calls::record::call_kernel;
use crate::hooks::library;
use crate::log::reader;
use crate::program::survey;
use crate::serial::token;
use crate::session::futex;
use crate::session::solid;
use crate::signals;
use crate::signals::queue;
use crate::state::order::{OFF, Object, RECORD, REPLAY, owner_of};
use crate::state::{Thread, header};
use wayfarer_calls::Number;
use wayfarer_entrance::frame::Frame;
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::layout::{MODE_RECORD, flags, waiting};
use wayfarer_runtime_abi::record::{self, Head, sync, threads};

const EINTR: isize = -4;

/// The object that stands for all system calls of a process.
const EVENTS: Object = Object {
    kind: sync::EVENTS,
    shared: false,
    address: 0,
    place: 0,
    stays: true,
    reads: false,
};

/// The process is about to have its second thread: how it is followed from now on.
pub fn decide(thread: &mut Thread) {
    let process = thread.process();
    if process.threads.decided.get() {
        return;
    }
    process.threads.decided.set(true);
    if thread.mode == MODE_RECORD {
        let (mode, reason, value) = choose(thread);
        thread.emit_plain(Head::new(record::THREADS, mode, reason, value));
        process.threads.parallel.set(mode == threads::PARALLEL);
    } else if let Some(next) = reader::peek(thread)
        && next.tag == record::THREADS
    {
        reader::advance(thread, next.length);
        process
            .threads
            .parallel
            .set(next.number == threads::PARALLEL);
    }
    if process.threads.parallel.get() {
        adopt(thread);
        solid::start(thread);
        crate::hooks::thread::prepare(thread);
        // Not before: what was just prepared is ours.
        thread.process().code.surveyed.set(true);
    } else if crate::hooks::all_found() {
        crate::hooks::thread::prepare_locks(thread);
    }
}

fn choose(thread: &Thread) -> (u64, u8, i64) {
    let asked = header().flags;
    if asked & flags::SERIAL != 0 {
        return (threads::SERIAL, threads::ASKED, 0);
    }
    if thread.process().threads.shared_domain.get() {
        return (threads::SERIAL, threads::SHARED_MEMORY, 0);
    }
    if !crate::hooks::all_found() {
        return (threads::SERIAL, threads::UNKNOWN_LIBC, 0);
    }
    if asked & flags::PARALLEL != 0 {
        return (threads::PARALLEL, threads::ASKED, 0);
    }
    let verdict = survey::verdict(crate::hooks::cancel::can_follow);
    if verdict.0 == threads::PARALLEL && !thread.library.makes_thread {
        return (threads::SERIAL, threads::THREADS_OF_LIBC, 0);
    }
    verdict
}

/// This thread belongs to a parallel process.
pub fn adopt(thread: &mut Thread) {
    thread.parallel.owner = owner_of(thread.number);
    thread.sync = if !thread.process().threads.parallel.get() {
        OFF
    } else if thread.mode == MODE_RECORD {
        RECORD
    } else {
        REPLAY
    };
}

/// Recording: an event is about to be written down.
#[inline(never)]
pub fn note_event(thread: &mut Thread) {
    if !thread.serial.holds_token {
        // Within a call that lets others go on meanwhile.
        token::acquire(thread);
        note_event(thread);
        token::release(thread);
        return;
    }
    let order = &thread.process().order.events;
    order::note_exclusive(thread, order.order(), EVENTS);
}

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
                signals::deliver(thread, frame, record::place::YIELD);
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
        note_event(thread);
    }
    false
}

/// Recording, at the end of a call.
#[inline(never)]
pub fn leave(thread: &mut Thread) {
    if thread.parallel.keeps == 0 && thread.serial.holds_token {
        token::release(thread);
    }
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
        signals::deliver(thread, frame, place);
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
        let word = arguments[0] as *const wayfarer_runtime_abi::atomic::AtomicU32;
        let expected = arguments[2] as u32;
        // SAFETY: the program gave the kernel this word to look at.
        solid::wait_until(thread, || unsafe {
            (*word).load(Ordering::Acquire) != expected
        });
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

/// Replay: an event of a parallel process comes at its place among the others of the process.
pub fn begin_event(thread: &mut Thread) {
    end_event(thread);
    let order = &thread.process().order.events;
    runs::before(thread, order.order(), EVENTS);
    thread.parallel.in_event = true;
}

/// Replay, at the entry of a call that may wait.
pub fn announce(thread: &mut Thread, frame: &mut Frame) {
    replay_handlers(thread, frame);
    library::call_may_wait(thread);
    begin_event(thread);
    end_event(thread);
}

/// Replay: handlers that ran before a call; whether there were any.
fn replay_handlers(thread: &mut Thread, frame: &mut Frame) -> bool {
    let mut any = false;
    while let Some(next) = reader::peek(thread)
        && next.tag == record::SIGNAL
        && record::place::kind(next.check) == record::place::ENTRY
    {
        signals::replay_at(thread, frame);
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
        signals::replay_at(thread, frame);
    }
}

/// Replay: the event is over.
pub fn end_event(thread: &mut Thread) {
    if thread.parallel.in_event {
        thread.parallel.in_event = false;
        let order = &thread.process().order.events;
        runs::after(thread, order.order());
    }
}

/// Both modes: no event of another thread comes in until [`unkeep`]. Counts as an event's access.
pub fn keep(thread: &mut Thread) {
    match thread.sync {
        RECORD => {
            token::acquire(thread);
            note_event(thread);
        }
        REPLAY => begin_event(thread),
        _ => return,
    }
    thread.parallel.keeps += 1;
}

pub fn unkeep(thread: &mut Thread) {
    match thread.sync {
        RECORD => {
            thread.parallel.keeps = thread.parallel.keeps.saturating_sub(1);
            leave(thread);
        }
        REPLAY => {
            thread.parallel.keeps = thread.parallel.keeps.saturating_sub(1);
            end_event(thread);
        }
        _ => {}
    }
}
