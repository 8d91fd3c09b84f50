//! Serial mode: one thread of a domain at a time, and the order in which they took turns.
//!
//! A domain is a process with several threads, or all processes that share memory with each other.
//! While recording the token is a lock; whoever takes it from another owner writes a `TURN` record. In
//! a replay the turns are simply counted through: a thread whose next record is a `TURN` lets the
//! others go first.

use crate::crossings::Place;
use crate::futex;
use crate::state::{Process, Thread, header, process_slot, thread_slot};
use crate::{crossings, disarm, log_end, reader};
use core::sync::atomic::Ordering;
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::layout::{MODE_RECORD, Token, process_flags, waiting};

/// After how long a waiting thread asks the owner to yield.
const SLICE_MS: u64 = 10;
/// What a thread that is asked for its turn finds in its slot.
const ASKED: u32 = 1;
/// Marks our own kicks among the SIGSYS that arrive.
pub const KICK: u64 = 0x5741_5946_4152_4552;
/// The same: whoever only computes may go on.
pub const KICK_IF_SPINNING: u64 = KICK + 1;
pub const KICK_CODE: i32 = -1;

fn token(process: &Process) -> &'static Token {
    // SAFETY: points into the session mapping since the process was set up.
    unsafe { &*process.token }
}

/// Recording: lets the token go before a call that may wait.
#[inline(always)]
pub fn let_go(thread: &mut Thread) {
    if thread.holds_token {
        release(thread);
    }
}

/// Recording: takes the token back.
#[inline(always)]
pub fn take(thread: &mut Thread) {
    if thread.process().serial {
        acquire(thread);
    }
}

#[inline(never)]
pub fn release(thread: &mut Thread) {
    thread.holds_token = false;
    unlock(token(thread.process()));
}

/// Looks first and stores then, instead of an exchange, which would hold the owner up until the token's memory has come
/// back from whoever looked at it. A thread that begins to wait in between is not woken; the kernel lets it sleep only if
/// it is faster than our store, and then for a slice at most.
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
    if thread.holds_token {
        return;
    }
    if let Some(turn) = lock(thread) {
        thread.emit_turn(turn);
        // Only a thread that had the token could decide otherwise.
        disarm::keep_up(thread);
    }
}

/// Takes the token; the number of the turn that begins with it, if others had theirs since.
#[inline]
pub fn lock(thread: &mut Thread) -> Option<u32> {
    let token = loop {
        let token = token(thread.process());
        if token
            .state
            .compare_exchange(0, 1, Ordering::AcqRel, Ordering::Relaxed)
            .is_err()
        {
            wait_for(thread, token);
        }
        // Another thread may have taken the process into another domain meanwhile.
        // SAFETY: another thread may change it; a plain word read anew each time.
        if core::ptr::eq(token, unsafe {
            (&raw const thread.process().token).read_volatile()
        }) {
            break token;
        }
        unlock(token);
    };
    thread.holds_token = true;
    if thread.process().parallel {
        return None;
    }
    let me = thread.number + 1;
    if token.owner.load(Ordering::Relaxed) == me {
        return None;
    }
    token.owner.store(me, Ordering::Relaxed);
    let turn = token.turn.load(Ordering::Relaxed).wrapping_add(1);
    token.turn.store(turn, Ordering::Relaxed);
    thread.turn = turn;
    Some(turn)
}

#[cold]
#[inline(never)]
fn wait_for(thread: &mut Thread, token: &Token) {
    let mut spins = 0;
    while spins < 100 {
        if token.state.load(Ordering::Relaxed) == 0
            && token
                .state
                .compare_exchange(0, 1, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok()
        {
            return;
        }
        core::hint::spin_loop();
        spins += 1;
    }
    let mut watched = Watched {
        owner: 0,
        events: 0,
        since_ns: 0,
    };
    loop {
        if token.state.swap(2, Ordering::AcqRel) == 0 {
            return;
        }
        let before = token.turn.load(Ordering::Relaxed);
        futex::wait(&token.state, 2, SLICE_MS);
        let owner = token.owner.load(Ordering::Relaxed);
        if token.state.load(Ordering::Relaxed) != 2 || token.turn.load(Ordering::Relaxed) != before
        {
            continue;
        }
        // A parallel process keeps it for moments only, and does not say who has it.
        if owner != 0 && owner != thread.number + 1 && !thread.process().parallel {
            // The owner kept it for a whole slice: ask it to yield at its next event, and if it makes
            // none, by a signal.
            ask(owner - 1);
            watch(thread, token, owner - 1, &mut watched);
        }
    }
}

/// An owner that makes no events, and since when in its own processor time.
struct Watched {
    owner: u32,
    events: u64,
    since_ns: u64,
}

/// How much processor time an owner may use without an event. Not wall time: on a busy machine it may
/// just not get to run, and a yield by force is a place that a replay can only guess.
const PATIENCE_NS: u64 = 20_000_000;
/// The same where all that waits is a thread that another one woke, no matter when: it can wait for an owner that
/// computes. One that spins, perhaps for this very thread, is found out by its registers (`spinning.rs`).
const LONG_PATIENCE_NS: u64 = 250_000_000;
/// How much processor time lies between two looks at the registers.
const LOOK_AFTER_NS: u64 = 8_000_000;

fn watch(thread: &Thread, token: &Token, owner: u32, watched: &mut Watched) {
    // SAFETY: slots are part of the session mapping.
    let slot = unsafe { &*thread_slot(owner) };
    let events = slot.events.load(Ordering::Relaxed);
    let tid = slot.real_tid.load(Ordering::Relaxed);
    // SAFETY: as above.
    let pid = unsafe {
        (*process_slot(slot.process))
            .real_pid
            .load(Ordering::Relaxed)
    };
    let used = processor_time(slot.process == thread.process().id, pid, tid);
    if owner != watched.owner || events != watched.events || used.is_none() {
        *watched = Watched {
            owner,
            events,
            since_ns: used.unwrap_or(0),
        };
        if used.is_some() {
            return;
        }
    }
    if is_dead(tid) {
        // Only one of those who notice it; the owner is another one afterwards.
        if token
            .owner
            .compare_exchange(owner + 1, 0, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
        {
            token.state.store(0, Ordering::Release);
            futex::wake(&token.state, 1);
        }
        return;
    }
    let idle_ns = used.map_or(u64::MAX, |used| used.wrapping_sub(watched.since_ns));
    let patience_ns = if thread.patient {
        LONG_PATIENCE_NS
    } else {
        PATIENCE_NS
    };
    if idle_ns > patience_ns {
        kick(pid, tid, KICK);
    } else if thread.patient && idle_ns > LOOK_AFTER_NS {
        kick(pid, tid, KICK_IF_SPINNING);
    }
}

/// Whether a thread has ended. One that was killed may stay for long as a zombie, which takes signals and has
/// a processor time; what it has no longer is memory.
fn is_dead(tid: u32) -> bool {
    const PROCESS_VM_READV: usize = 310;
    const ESRCH: isize = -3;
    let mut byte = 0u8;
    let here: [usize; 2] = [(&raw mut byte) as usize, 1];
    let there: [usize; 2] = [core::ptr::from_ref(header()) as usize, 1];
    // SAFETY: one byte into this stack; the other side is only read.
    let result = unsafe {
        raw::syscall6(
            PROCESS_VM_READV,
            tid as usize,
            (&raw const here) as usize,
            1,
            (&raw const there) as usize,
            1,
            0,
        )
    };
    result == ESRCH
}

/// Processor time of a thread of this process, or of another process; `None` when it is gone.
fn processor_time(same_process: bool, pid: u32, tid: u32) -> Option<u64> {
    const PER_THREAD: u32 = 4;
    const SCHEDULED: u32 = 2;
    let clock = if same_process {
        !tid << 3 | PER_THREAD | SCHEDULED
    } else {
        !pid << 3 | SCHEDULED
    };
    let mut time = [0u64; 2];
    // SAFETY: a timespec on this stack.
    let result = unsafe {
        raw::syscall6(
            228,
            clock as i32 as usize,
            (&raw mut time) as usize,
            0,
            0,
            0,
            0,
        )
    };
    (result == 0).then_some(time[0].wrapping_mul(1_000_000_000).wrapping_add(time[1]))
}

/// Sends our own SIGSYS to a thread that keeps the token without making events.
fn kick(pid: u32, tid: u32, what: u64) {
    // SAFETY: the siginfo lies on this stack.
    unsafe {
        let mut information = [0u64; 16];
        information[0] = 31;
        information[1] = u64::from(KICK_CODE as u32);
        information[3] = what;
        raw::syscall6(
            297,
            pid as usize,
            tid as usize,
            31,
            (&raw mut information) as usize,
            0,
            0,
        );
    }
}

/// Recording, at the end of an event: yields if somebody has waited for a slice.
#[inline(always)]
pub fn yield_if_asked(thread: &mut Thread) {
    if thread.holds_token && is_asked(thread) {
        give_way(thread, None);
    }
}

/// Recording: asks a thread for its turn. It looks at a word of its own, not at the token: that line of memory moves
/// to whoever wants a turn, and every lock and heap call of the program would have to fetch it back.
fn ask(owner: u32) {
    // SAFETY: slots are part of the session mapping.
    let slot = unsafe { &*thread_slot(owner) };
    slot.waiting.store(ASKED, Ordering::Release);
}

/// Recording: somebody has waited for a slice. Never so in a thread that runs in a replay.
#[inline(always)]
pub fn is_asked(thread: &Thread) -> bool {
    thread.slot().waiting.load(Ordering::Relaxed) != waiting::NO
}

/// Recording: the token goes to whoever waits, and comes back later; `between`: where between two events.
#[inline(never)]
pub fn give_way(thread: &mut Thread, between: Option<Place>) {
    if !thread.holds_token {
        return;
    }
    let token = token(thread.process());
    thread.slot().waiting.store(waiting::NO, Ordering::Relaxed);
    thread.emit_yield(between);
    let turn = token.turn.load(Ordering::Relaxed);
    release(thread);
    // Let the waiter win: the lock is not fair by itself.
    let mut tries = 0;
    while token.turn.load(Ordering::Relaxed) == turn && tries < 50 {
        // SAFETY: sched_yield has no arguments.
        unsafe { raw::syscall6(24, 0, 0, 0, 0, 0, 0) };
        tries += 1;
    }
    acquire(thread);
    if token.turn.load(Ordering::Relaxed) == turn {
        // Nobody wanted it after all: a turn of our own keeps the log well formed.
        token.turn.store(turn.wrapping_add(1), Ordering::Relaxed);
        thread.turn = turn.wrapping_add(1);
        thread.emit_turn(thread.turn);
    }
}

/// The process is about to have a second thread: from now on turns count.
pub fn start_serial(thread: &mut Thread) {
    let process = thread.process();
    if process.serial {
        return;
    }
    process.serial = true;
    crate::parallel::decide(thread);
    if process.parallel && thread.mode != MODE_RECORD {
        return;
    }
    let token = token(process);
    token.owner.store(thread.number + 1, Ordering::Relaxed);
    token.state.store(1, Ordering::Release);
    thread.holds_token = true;
    thread.turn = token.turn.load(Ordering::Relaxed);
}

/// The process shares memory with others from now on: it joins their domain. Runs in both modes.
pub fn join_shared_domain(thread: &mut Thread) {
    let process = thread.process();
    if process.shared_domain || process.parallel {
        return;
    }
    let (old, held) = (token(process), thread.holds_token);
    process.shared_domain = true;
    process.serial = true;
    process.token = (&raw const header().shared_domain).cast_mut();
    if held {
        // Whoever waits for the old token finds that it leads nowhere, and comes to the new one.
        thread.holds_token = false;
        if thread.mode == MODE_RECORD {
            unlock(old);
        } else {
            old.turn
                .store(thread.turn.wrapping_add(1), Ordering::Release);
            futex::wake(&old.turn, u32::MAX >> 1);
        }
    }
    // SAFETY: the slot is part of the session mapping.
    unsafe {
        (*process.slot)
            .flags
            .fetch_or(process_flags::SHARED_DOMAIN, Ordering::Relaxed)
    };
    if thread.mode == MODE_RECORD {
        acquire(thread);
    } else {
        first_turn(thread);
    }
}

/// Replay: the `TURN` that a thread wrote as it entered a domain.
pub fn first_turn(thread: &mut Thread) {
    if let Some(next) = reader::peek(thread)
        && next.tag == wayfarer_runtime_abi::record::TURN
    {
        reader::consume(thread);
        await_turn(thread, next.number as u32);
    }
}

/// Both modes: the thread leaves its domain for good (exec, exit); whoever comes next takes a turn.
pub fn leave(thread: &mut Thread) {
    if !thread.holds_token {
        return;
    }
    if thread.mode == MODE_RECORD {
        token(thread.process()).owner.store(0, Ordering::Relaxed);
        release(thread);
    } else {
        pass(thread);
    }
}

/// Replay: the thread's turn is over; the next one may run.
pub fn pass(thread: &mut Thread) {
    if !thread.holds_token {
        return;
    }
    thread.holds_token = false;
    let token = token(thread.process());
    token
        .turn
        .store(thread.turn.wrapping_add(1), Ordering::Release);
    futex::wake(&token.turn, u32::MAX >> 1);
}

/// Replay: the next record is a `TURN`: the others first.
pub fn await_turn(thread: &mut Thread, turn: u32) {
    pass(thread);
    let process = thread.process();
    loop {
        let (shared, token) = (process.shared_domain, token(process));
        let is_current = || {
            // SAFETY: another thread may change it; a plain word read anew each time.
            core::ptr::eq(token, unsafe { (&raw const process.token).read_volatile() })
        };
        futex::wait_until(thread, waiting::TURN, u64::from(turn), &token.turn, || {
            let now = token.turn.load(Ordering::Acquire);
            now == turn || (shared && turn == 1 && now == 0) || !is_current()
        });
        if is_current() {
            break;
        }
    }
    thread.turn = turn;
    thread.holds_token = true;
}

/// Replay: the next record is a `YIELD`: the turn is given away at this very place.
pub fn replay_yield(thread: &mut Thread) {
    crossings::ended(thread);
    reader::consume(thread);
    match reader::peek(thread) {
        Some(next) if next.tag == wayfarer_runtime_abi::record::TURN => {
            reader::consume(thread);
            await_turn(thread, next.number as u32);
        }
        Some(_) => {}
        // It never got its turn back.
        None => log_end::reached(thread),
    }
}

/// Both modes: the domain of a process that starts afresh after fork.
pub fn own_domain(process: &mut Process) {
    if !process.shared_domain {
        process.serial = false;
        process.decided = false;
        process.has_foreign_locks |= process.parallel;
        process.parallel = false;
        process.ring_length = 0;
        // SAFETY: the slot is part of the session mapping.
        process.token = unsafe { &raw mut (*process.slot).token };
    }
}
