//! Solid replay: the threads of a parallel process run one at a time under a fixed rule.
//!
//! The thread that runs goes on until it has to wait, or until a number drawn from the seed says so;
//! then it is the turn of the next in a ring. Nothing in the rule depends on time, so unsynchronised
//! accesses come out the same in every replay with the same seed.

use crate::futex;
use crate::order::REPLAY;
use crate::state::{Process, Thread, header};
use core::sync::atomic::Ordering;
use wayfarer_runtime_abi::layout::{flags, waiting};

/// Threads of one process that a solid replay can hold.
pub const MAX_RING: usize = 4096;
/// Of this many accesses one ends the turn, on average.
const ONE_IN: u64 = 16;
/// After this many rounds without anybody getting on, the thread that asks sleeps a little.
const PATIENT_ROUNDS: u32 = 64;

#[inline(always)]
pub fn is_on(thread: &Thread) -> bool {
    thread.sync == REPLAY && thread.process().ring_length != 0
}

/// The process has just become parallel.
pub fn start(thread: &mut Thread) {
    let head = header();
    if thread.sync != REPLAY || head.flags & flags::SOLID == 0 {
        return;
    }
    let process = thread.process();
    process.ring_length = 1;
    process.ring[0] = thread.number;
    process.ring_now.store(thread.number, Ordering::Release);
    process.ring_random = u64::from(head.solid_seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
}

/// A thread is about to be born.
pub fn born(thread: &mut Thread, number: u32) {
    if !is_on(thread) {
        return;
    }
    let process = thread.process();
    if let Some(place) = process.ring.get_mut(process.ring_length) {
        *place = number;
        process.ring_length += 1;
    }
}

/// The first thing a new thread does.
pub fn first_turn(thread: &mut Thread) {
    if is_on(thread) {
        await_turn(thread);
    }
}

/// The thread ends, or will never go on.
pub fn leave(thread: &mut Thread) {
    if !is_on(thread) {
        return;
    }
    let process = thread.process();
    let Some(index) = index_of(process, thread.number) else {
        return;
    };
    let next = successor(process, index);
    let mut at = index;
    while at + 1 < process.ring_length {
        let follower = process.ring.get(at + 1).copied().unwrap_or(0);
        if let Some(place) = process.ring.get_mut(at) {
            *place = follower;
        }
        at += 1;
    }
    process.ring_length = process.ring_length.saturating_sub(1).max(1);
    give(process, next);
}

fn index_of(process: &Process, number: u32) -> Option<usize> {
    let ring = process.ring.get(..process.ring_length)?;
    ring.iter().position(|entry| *entry == number)
}

fn successor(process: &Process, index: usize) -> u32 {
    let next = if index + 1 < process.ring_length {
        index + 1
    } else {
        0
    };
    process.ring.get(next).copied().unwrap_or(0)
}

fn give(process: &Process, number: u32) {
    process.ring_now.store(number, Ordering::Release);
    futex::wake(&process.ring_now, u32::MAX >> 1);
}

fn await_turn(thread: &mut Thread) {
    let (process, number) = (thread.process(), thread.number);
    let mut looks = 0;
    loop {
        let now = process.ring_now.load(Ordering::Acquire);
        if now == number {
            return;
        }
        if header().stop.load(Ordering::Acquire) != 0 {
            futex::park(thread);
        }
        looks += 1;
        if looks > 50 {
            futex::wait(&process.ring_now, now, 100);
        } else {
            core::hint::spin_loop();
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

/// An access: perhaps the turn ends here.
#[inline(always)]
pub fn step(thread: &mut Thread) {
    if thread.process().ring_length > 1 {
        draw(thread);
    }
}

#[inline(never)]
fn draw(thread: &mut Thread) {
    let random = &mut thread.process().ring_random;
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    if random.is_multiple_of(ONE_IN) {
        pass(thread);
    }
}

/// Lets the others run until `ready`.
pub fn wait_until(thread: &mut Thread, ready: impl Fn() -> bool) {
    let mut rounds = 0u32;
    while !ready() {
        if rounds == PATIENT_ROUNDS {
            thread
                .slot()
                .waiting
                .store(waiting::SYNC, Ordering::Release);
        }
        if rounds >= PATIENT_ROUNDS {
            // Whatever it waits for comes from another process.
            let never = core::sync::atomic::AtomicU32::new(0);
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
