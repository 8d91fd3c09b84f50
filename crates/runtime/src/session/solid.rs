//! Solid replay: the threads of a parallel process run one at a time under a fixed rule.
//!
//! The running thread goes on until it has to wait; then it is the turn of the next in a ring. That
//! is nearly how they ran in the recording: an event is noted when its call is over, so the code
//! after it ran right then. After each access lies a *point*, and the points of a process are
//! numbered. At points that the host names (*delays*) the thread steps aside until others have made
//! so many accesses, or until none of them can go on. Nothing in the rule depends on time, so
//! unsynchronised accesses come out the same in every replay with the same delays.
//!
//! Threads change only at accesses. A race that needs a change in the middle of code without any
//! access (two threads that count without a lock and without calls) is not found.

use crate::session::futex;
use crate::state::order::REPLAY;
use crate::state::{Process, Thread, header};
use wayfarer_runtime_abi::atomic::{Ordering, spin_loop};
use wayfarer_runtime_abi::layout::{
    DELAYS_OFFSET, Delay, MAX_DELAYS, MAX_TURN_ENDS, SESSION_BASE, TURN_ENDS_OFFSET, flags, waiting,
};

/// After this many rounds without progress of any thread, the one that asks sleeps a little.
const PATIENT_ROUNDS: u32 = 64;
/// Of no thread that stepped aside is it known when to come back.
const NEVER: u32 = u32::MAX;

#[inline(always)]
pub fn is_on(thread: &Thread) -> bool {
    thread.sync == REPLAY && thread.process().solid.ring_length.get() != 0
}

/// The process has just become parallel.
pub fn start(thread: &mut Thread) {
    if thread.sync != REPLAY || header().flags & flags::SOLID == 0 {
        return;
    }
    let process = thread.process();
    process.solid.ring_length.set(1);
    process.solid.ring[0].set(thread.number, 0);
    process.solid.points.set(0);
    process.solid.due.set(NEVER);
    process.solid.delay_next.set(
        delays()
            .iter()
            .position(|delay| u32::from(delay.process) == process.id.get())
            .unwrap_or(MAX_DELAYS),
    );
    process
        .solid
        .ring_now
        .store(thread.number, Ordering::Release);
}

fn delays() -> &'static [Delay] {
    let count = (header().solid_delays as usize).min(MAX_DELAYS);
    // SAFETY: part of the session mapping; the host wrote it before the first process began.
    unsafe {
        core::slice::from_raw_parts(
            (SESSION_BASE + DELAYS_OFFSET as usize) as *const Delay,
            count,
        )
    }
}

/// A thread is about to be born.
pub fn born(thread: &mut Thread, number: u32) {
    if !is_on(thread) {
        return;
    }
    let process = thread.process();
    if let Some(place) = process.solid.ring.get(process.solid.ring_length.get()) {
        place.set(number, 0);
        process
            .solid
            .ring_length
            .set(process.solid.ring_length.get() + 1);
    }
}

/// The first thing a new thread does.
pub fn first_turn(thread: &mut Thread) {
    if is_on(thread) {
        await_turn(thread);
    }
}

/// The thread ends: the word and value that give its turn to the next. The caller stores them when nothing of
/// the thread is left, so that no other one runs beside its end.
pub fn leave(thread: &mut Thread) -> Option<(usize, u32)> {
    if !is_on(thread) {
        return None;
    }
    let process = thread.process();
    let index = index_of(process, thread.number)?;
    let next = successor(process, index);
    let mut at = index;
    while at + 1 < process.solid.ring_length.get()
        && let Some(follower) = process.solid.ring.get(at + 1)
    {
        if let Some(place) = process.solid.ring.get(at) {
            place.set(follower.thread.get(), follower.back.get());
        }
        at += 1;
    }
    process
        .solid
        .ring_length
        .set(process.solid.ring_length.get().saturating_sub(1).max(1));
    Some(((&raw const process.solid.ring_now) as usize, next))
}

/// The thread will never go on.
pub fn retire(thread: &mut Thread) {
    if let Some((_, next)) = leave(thread) {
        give(thread.process(), next);
    }
}

fn index_of(process: &Process, number: u32) -> Option<usize> {
    let ring = process.solid.ring.get(..process.solid.ring_length.get())?;
    ring.iter().position(|place| place.thread.get() == number)
}

fn successor(process: &Process, index: usize) -> u32 {
    let next = if index + 1 < process.solid.ring_length.get() {
        index + 1
    } else {
        0
    };
    process
        .solid
        .ring
        .get(next)
        .map_or(0, |place| place.thread.get())
}

fn give(process: &Process, number: u32) {
    process.solid.ring_now.store(number, Ordering::Release);
    futex::wake(&process.solid.ring_now, u32::MAX >> 1);
}

fn await_turn(thread: &mut Thread) {
    let (process, number) = (thread.process(), thread.number);
    let mut looks = 0;
    loop {
        let now = process.solid.ring_now.load(Ordering::Acquire);
        if now == number {
            return;
        }
        if header().stop.load(Ordering::Acquire) != 0 {
            futex::park(thread);
        }
        looks += 1;
        if looks > 50 {
            futex::wait(&process.solid.ring_now, now, 100);
        } else {
            spin_loop();
        }
    }
}

fn pass(thread: &mut Thread) {
    let process = thread.process();
    if let Some(index) = index_of(process, thread.number) {
        let next = successor(process, index);
        if next != thread.number {
            give(process, next);
            await_turn(thread);
        }
    }
}

/// The thread cannot go on now: the next one's turn.
pub fn pass_on(thread: &mut Thread) {
    if header().stop.load(Ordering::Acquire) != 0 {
        futex::park(thread);
    }
    pass(thread);
}

/// The thread asks for others to run.
pub fn step_aside(thread: &mut Thread) {
    if is_on(thread) {
        pass_on(thread);
    }
}

/// An access is about to be made: perhaps a thread that stepped aside comes back first.
#[inline(always)]
pub fn step(thread: &mut Thread) {
    let process = thread.process();
    if process.solid.ring_length.get() > 1 && process.solid.points.get() >= process.solid.due.get()
    {
        let_back(thread);
    }
}

#[cold]
#[inline(never)]
fn let_back(thread: &mut Thread) {
    let process = thread.process();
    let due = process.solid.due.get();
    let ring = process
        .solid
        .ring
        .get(..process.solid.ring_length.get())
        .unwrap_or(&[]);
    if let Some(place) = ring.iter().find(|place| place.back.get() == due)
        && place.thread.get() != thread.number
    {
        give(process, place.thread.get());
        await_turn(thread);
    }
}

/// An access is over: perhaps the thread steps aside here.
#[inline(always)]
pub fn point(thread: &mut Thread) {
    if thread.process().solid.ring_length.get() != 0 {
        reach_point(thread);
    }
}

#[inline(never)]
fn reach_point(thread: &mut Thread) {
    let process = thread.process();
    let point = process.solid.points.get();
    process.solid.points.set(point.wrapping_add(1));
    thread.parallel.last_point = point;
    if let Some(delay) = delays().get(process.solid.delay_next.get())
        && u32::from(delay.process) == process.id.get()
        && delay.point == point
    {
        process
            .solid
            .delay_next
            .set(process.solid.delay_next.get() + 1);
        delayed(thread, u32::from(delay.others));
    }
}

/// Lets others go first until they have made `others` accesses, or none of them can go on.
fn delayed(thread: &mut Thread, others: u32) {
    let process = thread.process();
    let back = match others {
        0 => NEVER,
        others => process.solid.points.get().saturating_add(others),
    };
    set_back(process, thread.number, back);
    loop {
        let before = process.solid.points.get();
        pass(thread);
        if process.solid.points.get() >= back || process.solid.points.get() == before {
            break;
        }
    }
    set_back(process, thread.number, 0);
}

fn set_back(process: &Process, number: u32, back: u32) {
    if let Some(index) = index_of(process, number)
        && let Some(place) = process.solid.ring.get(index)
    {
        place.back.set(back);
    }
    let ring = process
        .solid
        .ring
        .get(..process.solid.ring_length.get())
        .unwrap_or(&[]);
    let waiting = ring.iter().map(|place| place.back.get());
    process
        .solid
        .due
        .set(waiting.filter(|back| *back != 0).min().unwrap_or(NEVER));
}

/// Tells the host after which point the thread came to where it has to wait.
fn note_turn_end(thread: &Thread) {
    let number = header().solid_turn_ends.fetch_add(1, Ordering::Relaxed);
    let end = Delay {
        point: thread.parallel.last_point,
        process: thread.process().id.get() as u16,
        others: 0,
    };
    let table = (SESSION_BASE + TURN_ENDS_OFFSET as usize) as *mut Delay;
    // SAFETY: part of the session mapping; the index is reduced.
    unsafe { table.add(number as usize % MAX_TURN_ENDS).write(end) };
}

/// Lets the others run until `ready`.
pub fn wait_until(thread: &mut Thread, ready: impl Fn() -> bool) {
    let mut rounds = 0u32;
    while !ready() {
        if rounds == 0 {
            note_turn_end(thread);
        }
        if rounds == PATIENT_ROUNDS {
            thread
                .slot()
                .waiting
                .store(waiting::SYNC, Ordering::Release);
        }
        if rounds >= PATIENT_ROUNDS {
            // Nobody gets on: the host will notice.
            let never = wayfarer_runtime_abi::atomic::AtomicU32::new(0);
            futex::wait(&never, 0, 1);
        }
        rounds += 1;
        if header().stop.load(Ordering::Acquire) != 0 {
            futex::park(thread);
        }
        pass(thread);
    }
    if rounds >= PATIENT_ROUNDS {
        thread.slot().waiting.store(waiting::NO, Ordering::Release);
    }
}
