//! Serial mode: one thread of a domain at a time, and the order in which they took turns.
//!
//! A domain is a process with several threads, or all processes that share memory with each other.
//! While recording, the token is a lock; a thread that takes it from another owner writes a `TURN`
//! record. In a replay the turns are simply counted through (`turns.rs`).
//!
//! A thread that keeps its turn finds a request in its own slot. It does not look at the token
//! itself, whose memory moves to every thread that wants it: each lock of the program would have to
//! fetch it back. For the same reason the token is released by a look and a store instead of an
//! exchange. A thread that begins to wait between the two is woken by its own time limit.
//!
//! # Processes that share memory share one token
//!
//! Atomics and semaphores in shared memory are not seen, so their order must come from the turns.
//! Such processes form the *shared domain* and do not run in parallel.
//!
//! A process may join that domain when it already has threads (`join_shared_domain`). The thread
//! that joins takes the other domain's token before it releases its own, so that no sibling has a
//! turn there before it. It moves the count of turns past that of the old domain, so that a sibling
//! in a replay that still looks at the old token never takes one number for the other.

use crate::program::disarm;
use crate::program::late;
use crate::serial::turns::first_turn;
use crate::serial::watch;
use crate::serial::watch::Watch;
use crate::session::clocks::own_processor_time;
use crate::session::domain::{of, pass};
use crate::session::futex;
use crate::state::crossings::Place;
use crate::state::{Thread, header};
use wayfarer_calls::Number;
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::atomic::{Ordering, spin_loop, tries};
use wayfarer_runtime_abi::layout::{MODE_RECORD, Token, process_flags, waiting};
use wayfarer_runtime_abi::record::threads;

/// How often a thread looks for the token before it sleeps: a few microseconds, as long as others have it between two
/// calls. Measured with memcached: 1.6 % more requests than with a fourth of it, and with three times as much, which
/// takes processors from others.
const SPINS: u32 = tries(350);
/// Recording: lets the token go before a call that may wait.
#[inline(always)]
pub fn let_go(thread: &mut Thread) {
    if thread.serial.holds_token {
        release(thread);
    }
}

/// Recording: takes the token back.
#[inline(always)]
pub fn take(thread: &mut Thread) {
    if thread.process().threads.serial.get() {
        acquire(thread);
    }
}

/// Recording: takes the token back after a call that was announced. Until then the log says that the call has not come
/// back: if the process ends meanwhile, the turn that others took was this thread's up to that call, and no further.
pub fn take_back(thread: &mut Thread, announced: bool) {
    let turn = if thread.process().threads.serial.get() && !thread.serial.holds_token {
        lock(thread)
    } else {
        None
    };
    if announced {
        thread.came_back();
    }
    if let Some(turn) = turn {
        begin_in_log(thread, turn);
    }
}

#[inline(never)]
pub fn release(thread: &mut Thread) {
    thread.serial.holds_token = false;
    unlock(of(thread.process()));
}

/// Looks first and stores then, instead of an exchange, which would hold the owner up until the token's memory has come
/// back from the thread that looked at it. A thread that begins to wait in between is not woken; the kernel lets it sleep only if
/// it is faster than our store, and then for a moment at most (`watch.rs`).
fn unlock(token: &Token) {
    let is_waited_for = token.state.load(Ordering::Relaxed) == 2;
    token.state.store(0, Ordering::Release);
    if is_waited_for {
        wake_one(token);
    }
}

#[cold]
#[inline(never)]
fn wake_one(token: &Token) {
    futex::wake(&token.state, 1);
}

#[inline(never)]
pub fn acquire(thread: &mut Thread) {
    if thread.serial.holds_token {
        return;
    }
    if let Some(turn) = lock(thread) {
        begin_in_log(thread, turn);
    }
}

fn begin_in_log(thread: &mut Thread, turn: u32) {
    thread.emit_turn(turn);
    // Only a thread that had the token could decide otherwise.
    disarm::keep_up(thread);
}

/// Takes the token; the number of the turn that begins with it, if others had theirs since.
#[inline]
pub fn lock(thread: &mut Thread) -> Option<u32> {
    let token = loop {
        let token = of(thread.process());
        if token
            .state
            .compare_exchange(0, 1, Ordering::AcqRel, Ordering::Relaxed)
            .is_err()
        {
            wait_for(thread, token);
        }
        // Another thread may have taken the process into another domain meanwhile.
        if core::ptr::eq(token, thread.process().token.get()) {
            break token;
        }
        unlock(token);
    };
    thread.serial.holds_token = true;
    if thread.process().threads.parallel.get() {
        return None;
    }
    let me = thread.number + 1;
    if token.owner.load(Ordering::Relaxed) == me {
        return None;
    }
    let turn = begin_turn(thread, token);
    if token.nappers.load(Ordering::Relaxed) != 0
        && !thread.preemption.spun.has_just(thread.log.events)
    {
        watch::wake_nappers(token);
    }
    Some(turn)
}

/// The token is this thread's, and was another's before.
#[inline(always)]
fn begin_turn(thread: &mut Thread, token: &Token) -> u32 {
    token.owner.store(thread.number + 1, Ordering::Relaxed);
    let turn = token.turn.load(Ordering::Relaxed).wrapping_add(1);
    token.turn.store(turn, Ordering::Relaxed);
    thread.serial.turn = turn;
    turn
}

#[cold]
#[inline(never)]
fn wait_for(thread: &mut Thread, token: &Token) {
    let mut spins = 0;
    while spins < SPINS {
        if token.state.load(Ordering::Relaxed) == 0
            && token
                .state
                .compare_exchange(0, 1, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok()
        {
            return;
        }
        spin_loop();
        spins += 1;
    }
    let mut watch = Watch::begin(thread, token);
    let in_vain = thread.preemption.vain.is_too_much(thread.log.events);
    loop {
        if in_vain {
            ask_owner(thread, token);
        }
        if token.state.swap(2, Ordering::AcqRel) == 0 {
            return;
        }
        let before = token.turn.load(Ordering::Relaxed);
        let slice_us = watch.slice_us(token);
        futex::wait_us(&token.state, 2, slice_us);
        if token.state.load(Ordering::Relaxed) != 2 || token.turn.load(Ordering::Relaxed) != before
        {
            watch = Watch::begin(thread, token);
            continue;
        }
        // A parallel process keeps it for moments only, and does not say who has it.
        if !thread.process().threads.parallel.get() {
            watch.overdue(thread, token, slice_us);
        }
    }
}

/// Recording, at the end of an event: yields if another thread has waited for long.
#[inline(always)]
pub fn yield_if_asked(thread: &mut Thread) {
    if thread.serial.holds_token && is_asked(thread) {
        give_way(thread, None);
    }
}

fn ask_owner(thread: &Thread, token: &Token) {
    let owner = token.owner.load(Ordering::Relaxed);
    if owner != 0 && owner != thread.number + 1 {
        watch::ask(owner - 1);
    }
}

/// Recording: another thread has waited for long. Never so in a thread that runs in a replay.
#[inline(always)]
pub fn is_asked(thread: &Thread) -> bool {
    thread.slot().waiting.load(Ordering::Relaxed) != waiting::NO
}

/// Recording: the token goes to a waiting thread, and comes back later; `between`: where between two events.
#[inline(never)]
pub fn give_way(thread: &mut Thread, between: Option<Place>) {
    if !thread.serial.holds_token {
        return;
    }
    let token = of(thread.process());
    thread.slot().waiting.store(waiting::NO, Ordering::Relaxed);
    thread.emit_yield(between);
    let turn = token.turn.load(Ordering::Relaxed);
    release(thread);
    if let Some(spin) = between.and_then(|place| place.spin) {
        watch::nap(thread, token, turn, spin);
    } else {
        let_others_win(token, turn);
    }
    acquire(thread);
    thread.preemption.spun.back(own_processor_time());
    if token.turn.load(Ordering::Relaxed) == turn {
        // No thread wanted it after all: a turn of our own keeps the log well formed.
        token.turn.store(turn.wrapping_add(1), Ordering::Relaxed);
        thread.serial.turn = turn.wrapping_add(1);
        thread.emit_turn(thread.serial.turn);
    }
}

/// The lock is not fair by itself.
fn let_others_win(token: &Token, turn: u32) {
    let mut tries = 0;
    while token.turn.load(Ordering::Relaxed) == turn && tries < 50 {
        // SAFETY: sched_yield has no arguments.
        unsafe { raw::syscall6(Number::SCHED_YIELD, 0, 0, 0, 0, 0, 0) };
        tries += 1;
    }
}

/// The process shares memory with others from now on: it joins their domain. Runs in both modes.
///
/// Its threads may wait for turns by now. While recording, none of them has one in the new domain before this one has. A
/// thread of a replay that waits for a turn in the new domain may still look at the old one, so no number stands for a
/// turn in both.
pub fn join_shared_domain(thread: &mut Thread) {
    let process = thread.process();
    if process.threads.parallel.get() {
        late::tell(thread, threads::SHARED_MEMORY);
        return;
    }
    if process.threads.shared_domain.get() {
        return;
    }
    let (old, new) = (of(process), &header().shared_domain);
    let (held, last) = (thread.serial.holds_token, thread.serial.turn);
    if thread.mode == MODE_RECORD {
        if new
            .state
            .compare_exchange(0, 1, Ordering::AcqRel, Ordering::Relaxed)
            .is_err()
        {
            wait_for(thread, new);
        }
        let turn = begin_turn(thread, new);
        thread.emit_turn(turn);
    }
    process.threads.shared_domain.set(true);
    process.threads.serial.set(true);
    process.token.set(new);
    let flags = &process.slot().flags;
    flags.fetch_or(process_flags::SHARED_DOMAIN, Ordering::Relaxed);
    // A thread that waits for the old token finds that it leads nowhere, and comes to the new one.
    if thread.mode == MODE_RECORD {
        thread.serial.holds_token = true;
        if held {
            unlock(old);
        }
    } else {
        thread.serial.holds_token = false;
        if held {
            old.turn.store(last.wrapping_add(1), Ordering::Release);
            futex::wake(&old.turn, u32::MAX >> 1);
        }
        first_turn(thread);
    }
    if held {
        thread.serial.turn = thread.serial.turn.max(last.wrapping_add(2));
        new.turn.store(thread.serial.turn, Ordering::Release);
    }
}

/// Both modes: the thread leaves its domain for good (exec, exit); the next one takes a turn.
pub fn leave(thread: &mut Thread) {
    if !thread.serial.holds_token {
        return;
    }
    if thread.mode == MODE_RECORD {
        of(thread.process()).owner.store(0, Ordering::Relaxed);
        release(thread);
    } else {
        pass(thread);
    }
}
