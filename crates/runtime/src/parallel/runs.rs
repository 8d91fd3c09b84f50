//! The runs of a replay: a thread waits for its own, makes the accesses of it and passes on.
//!
//! Only the next thread in line looks; all others sleep, each on a word of its own, and are woken
//! one run early. A thread looks only while the run before its own goes on. It does not look at the
//! object, whose memory it would take away from the owner each time, but at a word next to it,
//! which is written when a run is over (for a mutex: when it is unlocked). Two threads that hand
//! over to each other on the same processor are left there by the kernel while another is idle: the
//! one that notices moves.

use crate::log::end as log_end;
use crate::log::reader;
use crate::parallel::settle;
use crate::session::diverge;
use crate::session::futex;
use crate::session::solid;
use crate::state::order::{COUNT, LOCK, NUMBER, OWNER, Object, Order, lock, mark};
use crate::state::thread::RunOver;
use crate::state::{Thread, header, thread_slot};
use wayfarer_calls::Number;
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::atomic::{AtomicU32, AtomicU64, Ordering, spin_loop, tries};
use wayfarer_runtime_abi::layout::{
    HANDOVER_SIZE, HANDOVERS, HANDOVERS_OFFSET, SESSION_BASE, WAITERS, WAITERS_OFFSET, divergence,
    flags, waiting,
};
use wayfarer_runtime_abi::record::{Record, sync};

/// A run whose end was not seen.
const UNENDING: u64 = COUNT;

/// Replay: the length of the run that an `ACQUIRE` begins.
fn length_of(record: &Record<'_>) -> u64 {
    match record.run_length() {
        0 => UNENDING,
        length => length.min(COUNT - 1),
    }
}

/// Replay: whether this access goes on with a run of this thread.
#[inline(always)]
pub fn is_own_run(thread: &Thread, order: Order<'_>) -> bool {
    let word = order.word.load(Ordering::Relaxed);
    word & OWNER == thread.parallel.owner && word & COUNT != 0
}

/// Replay: whether the thread is in a run whose end was not recorded.
pub fn is_unending(thread: &Thread, order: Order<'_>) -> bool {
    order.word.load(Ordering::Relaxed) == thread.parallel.owner | UNENDING
}

/// Replay: whether the access that the thread is in is the last one of its run.
pub fn is_last_access(thread: &Thread, order: Order<'_>) -> bool {
    order.word.load(Ordering::Relaxed) == thread.parallel.owner | 1
}

/// Replay: whether the object has this number.
pub fn is_number(order: Order<'_>, number: u64) -> bool {
    u64::from(order.tail.id.load(Ordering::Relaxed) & NUMBER) == number
}

/// Replay: whether an access goes on with a run of this thread and is not its last one; the state's first half is
/// at `word`. [`count_down`] notes it.
///
/// # Safety
/// As [`crate::state::order::state_at`].
#[inline(always)]
pub unsafe fn goes_on(thread: &Thread, word: usize) -> bool {
    // SAFETY: as the caller says.
    let word = unsafe { &*(word as *const AtomicU64) }.load(Ordering::Relaxed);
    // In one comparison: the owner is this thread, and 2 to UNENDING - 1 accesses are left.
    word.wrapping_sub(thread.parallel.owner | 2) < UNENDING - 2
        && thread.process().solid.ring_length.get() == 0
}

/// Replay: notes an access after [`goes_on`].
///
/// # Safety
/// As [`crate::state::order::state_at`].
#[inline(always)]
pub unsafe fn count_down(word: usize) {
    // SAFETY: as the caller says.
    let word = unsafe { &*(word as *const AtomicU64) };
    word.store(word.load(Ordering::Relaxed) - 1, Ordering::Relaxed);
}

/// Replay: waits until this thread may make its next access; [`after`] must follow.
#[inline]
pub fn before(thread: &mut Thread, order: Order<'_>, object: Object) {
    solid::step(thread);
    if !is_own_run(thread, order) {
        begin_run(thread, order, object);
    }
}

#[inline(never)]
fn begin_run(thread: &mut Thread, order: Order<'_>, object: Object) {
    announce_unlocked(thread);
    if header().flags & flags::PERTURB != 0 {
        perturb();
    }
    settle::before_access(thread);
    let next = reader::peek(thread);
    let mark = mark(thread.process().id.get(), object);
    adopt(order, mark);
    let known = order.tail.id.load(Ordering::Acquire) & NUMBER;
    let promised = match next {
        None => log_end::reached(thread),
        Some(next) if next.is_acquire() => next,
        Some(other) => other_sync(thread, known, object, &other),
    };
    let number = promised.number as u32;
    if known != 0 && known != number {
        other_sync(thread, known, object, &promised);
    }
    reader::advance(thread, promised.length);
    if order.tail.id.load(Ordering::Relaxed) != number | mark {
        order.tail.id.store(number | mark, Ordering::Release);
    }
    let (run, length) = (promised.value as u32, length_of(&promised));
    let before = run.wrapping_sub(1);
    if order.tail.run.load(Ordering::Acquire) != before {
        wait_for_run(thread, order, number, before, object.kind);
        if object.kind == sync::MUTEX {
            // SAFETY: the mutex that is about to be locked.
            unsafe { wait_for_release(object.address) };
        }
    }
    order
        .word
        .store(thread.parallel.owner | length, Ordering::Relaxed);
}

/// `--retry`: threads reach their accesses at other moments than the last time.
fn perturb() {
    let drawn = ticks() >> 4;
    let mut times = drawn & 0x3f;
    while times > 0 {
        step_back();
        times -= 1;
    }
}

/// State that a fork copied, or that was not used yet, starts from nothing.
fn adopt(order: Order<'_>, mark: u32) {
    let stale = || {
        let id = order.tail.id.load(Ordering::Acquire);
        id != 0 && id & !NUMBER != mark
    };
    if !stale() {
        return;
    }
    lock(order);
    if stale() {
        order.tail.run.store(0, Ordering::Relaxed);
        order.tail.id.store(0, Ordering::Release);
        order.word.store(0, Ordering::Release);
    } else {
        order.word.fetch_and(!LOCK, Ordering::Release);
    }
}

/// Why a thread sleeps until so many runs are over: its own is next, or the one after the next.
#[derive(Clone, Copy)]
enum Sleep {
    UntilNext,
    UntilNear,
}

/// Instead of the number of a thread that sleeps: some sleep on the word that counts the runs.
const ON_THE_WORD: u32 = u32::MAX;

/// One place in the table of sleepers, and the mark that tells this sleep from others that share it.
struct Bed {
    entry: &'static AtomicU64,
    mark: u64,
}

/// Where to look for who sleeps until `over` runs of the object are over.
fn bed(number: u32, over: u32, sleep: Sleep) -> Bed {
    let moment = over << 1 | sleep as u32;
    let key = number.wrapping_mul(0x9e37_79b1) ^ moment.wrapping_mul(0x85eb_ca77);
    let index = (key >> 16) as usize & (WAITERS - 1);
    // SAFETY: the table is part of the session mapping.
    let entry =
        unsafe { &*((SESSION_BASE + WAITERS_OFFSET as usize) as *const AtomicU64).add(index) };
    Bed {
        entry,
        mark: u64::from(moment ^ number.rotate_right(8)) << 32,
    }
}

impl Bed {
    /// `who` is about to sleep; whether it will be woken. If another thread has the place, it will not.
    fn take(&self, who: u32) -> bool {
        let mine = self.mark | u64::from(who);
        match self
            .entry
            .compare_exchange(0, mine, Ordering::SeqCst, Ordering::SeqCst)
        {
            Ok(_) => true,
            Err(found) => who == ON_THE_WORD && found == mine,
        }
    }

    fn leave(&self, who: u32) {
        let mine = self.mark | u64::from(who);
        let _ = self
            .entry
            .compare_exchange(mine, 0, Ordering::SeqCst, Ordering::SeqCst);
    }

    /// The thread that sleeps there, and sleeps there no longer.
    #[inline(always)]
    fn clear(&self) -> Option<u32> {
        let found = self.entry.load(Ordering::SeqCst);
        if found == 0 || (found ^ self.mark) >> 32 != 0 {
            return None;
        }
        let who = found as u32;
        self.leave(who);
        Some(who)
    }
}

/// How often a thread looks whether the run before its own is over, and whether a thread is about to release a lock
/// has done so, before it sleeps: as long as it would take to wake it.
pub const LOOKS: u32 = tries(4000);
/// Of so many looks one lets others run: perhaps the one waited for, on this very processor.
const LOOKS_IN_A_ROW: u32 = 128;
/// A yield that takes this many ticks of the processor's clock has let another thread run.
const SOMEBODY_RAN: u64 = 4000;

/// Between two looks; `more` is the number that they stand for.
#[inline(always)]
pub fn look_away(thread: &mut Thread, looks: &mut u32, more: u32) {
    let row = *looks / LOOKS_IN_A_ROW;
    *looks += more;
    if *looks / LOOKS_IN_A_ROW == row {
        spin_loop();
    } else if step_back() {
        crowded(thread);
    }
}

/// So many times that others ran on this processor while the thread looked make one move.
const MOVE_AFTER: u32 = 64;

/// The thread waited for needs this very processor. The kernel would leave both here, with another idle,
/// for as long as each hands over to the other within microseconds.
#[cold]
#[inline(never)]
fn crowded(thread: &mut Thread) {
    thread.parallel.crowded += 1;
    if !thread.parallel.crowded.is_multiple_of(MOVE_AFTER) {
        return;
    }
    let (mut allowed, mut here) = ([0u64; 128], 0u32);
    let size = size_of_val(&allowed);
    // SAFETY: all on this stack; the thread goes back to what it was allowed.
    unsafe {
        let place = (&raw mut allowed) as usize;
        let got = raw::syscall6(Number::SCHED_GETAFFINITY, 0, size, place, 0, 0, 0);
        let result = raw::syscall6(Number::GETCPU, (&raw mut here) as usize, 0, 0, 0, 0, 0);
        if got <= 0 || result != 0 {
            return;
        }
        let others = |index: usize| {
            let word = allowed.get(index).copied().unwrap_or(0);
            if index == here as usize / 64 {
                word & !(1 << (here % 64))
            } else {
                word
            }
        };
        let elsewhere: [u64; 128] = core::array::from_fn(others);
        let length = got as usize;
        if elsewhere.iter().any(|word| *word != 0) {
            raw::syscall6(
                Number::SCHED_SETAFFINITY,
                0,
                length,
                (&raw const elsewhere) as usize,
                0,
                0,
                0,
            );
            raw::syscall6(Number::SCHED_SETAFFINITY, 0, length, place, 0, 0, 0);
        }
    }
}

/// Lets others run; whether any did.
#[inline(never)]
fn step_back() -> bool {
    let began = ticks();
    // SAFETY: sched_yield has no arguments.
    unsafe { raw::syscall6(Number::SCHED_YIELD, 0, 0, 0, 0, 0, 0) };
    ticks().wrapping_sub(began) > SOMEBODY_RAN
}

#[inline(always)]
fn ticks() -> u64 {
    // SAFETY: reads the time stamp counter, which every processor of this kind has.
    unsafe { core::arch::x86_64::_rdtsc() }
}

/// The word that changes when a run of the object is over.
#[inline(always)]
fn handover(number: u32) -> &'static AtomicU32 {
    let place = HANDOVERS_OFFSET as usize + number as usize % HANDOVERS * HANDOVER_SIZE;
    // SAFETY: the table is part of the session mapping.
    unsafe { &*((SESSION_BASE + place) as *const AtomicU32) }
}

/// Waits for a while until something is over. A look at the object itself would take its memory away from the thread
/// whose run it is, at the cost of some of its accesses; this word is written only when a run is over.
#[inline(always)]
fn rest_a_while(thread: &mut Thread, handover: &AtomicU32, seen: u32, looks: &mut u32) {
    /// How often the word is looked at before the object itself is, and how many of these looks count as one.
    const MOST: u32 = tries(1024);
    const AS_ONE: u32 = 4;
    let mut glances = 0;
    while glances < MOST && handover.load(Ordering::Relaxed) == seen {
        glances += 1;
        if glances.is_multiple_of(AS_ONE) {
            look_away(thread, looks, 1);
        } else {
            spin_loop();
        }
    }
    *looks += 1;
}

/// The last access of the run before was an acquisition: lets its release, which is about to come, go first.
///
/// # Safety
/// There must be a mutex.
unsafe fn wait_for_release(address: usize) {
    const MOST: u32 = tries(64);
    // SAFETY: as the caller says; its first word is 0 while it is free.
    let word = unsafe { &*(address as *const AtomicU32) };
    let mut looks = 0;
    while looks < MOST && word.load(Ordering::Relaxed) != 0 {
        spin_loop();
        looks += 1;
    }
}

/// Only the thread whose run is next looks again and again; the others sleep, and are woken a run early so
/// that they are there in time.
#[inline(never)]
fn wait_for_run(thread: &mut Thread, order: Order<'_>, number: u32, before: u32, kind: u8) {
    // A thread that ends can tell only those that sleep on the word.
    let on_the_word = matches!(kind, sync::EVENTS | sync::THREADS);
    let run = &order.tail.run;
    if solid::is_on(thread) {
        solid::wait_until(thread, || run.load(Ordering::Acquire) == before);
        return;
    }
    let mut looks = 0;
    let handover = handover(number);
    while looks < LOOKS {
        let seen = handover.load(Ordering::Acquire);
        let now = run.load(Ordering::Acquire);
        if now == before {
            return;
        }
        if before.wrapping_sub(now) != 1 {
            break;
        }
        rest_a_while(thread, handover, seen, &mut looks);
        raw::prefetch(core::ptr::from_ref(order.word) as usize);
    }
    let slot = thread.slot();
    let argument = u64::from(number) << 32 | u64::from(before.wrapping_add(1));
    slot.waiting_for.store(argument, Ordering::Relaxed);
    loop {
        let now = run.load(Ordering::SeqCst);
        if now == before {
            break;
        }
        if header().stop.load(Ordering::Acquire) != 0 {
            futex::park(thread);
        }
        let (until, why) = match before.wrapping_sub(now) {
            1 => (before, Sleep::UntilNext),
            _ => (before.wrapping_sub(1), Sleep::UntilNear),
        };
        if until == before && looks < LOOKS {
            look_away(thread, &mut looks, 1);
            continue;
        }
        slot.waiting.store(waiting::SYNC, Ordering::SeqCst);
        let me = if on_the_word {
            ON_THE_WORD
        } else {
            thread.number
        };
        let bed = bed(number, until, why);
        let patience = if bed.take(me) { PATIENCE } else { 1 };
        if run.load(Ordering::SeqCst) != now {
            // Go and look.
        } else if on_the_word {
            futex::wait(run, now, patience);
        } else {
            futex::wait(&slot.waiting, waiting::SYNC, patience);
        }
        bed.leave(me);
        looks = 0;
    }
    slot.waiting.store(waiting::NO, Ordering::Release);
}

/// Milliseconds after which a sleeper looks whether the session still goes on.
const PATIENCE: u64 = 100;

/// Wakes who waits until `over` runs are over.
fn wake(run: &AtomicU32, number: u32, over: u32) {
    for why in [Sleep::UntilNext, Sleep::UntilNear] {
        let Some(who) = bed(number, over, why).clear() else {
            continue;
        };
        if who == ON_THE_WORD {
            futex::wake(run, u32::MAX >> 1);
            continue;
        }
        let word = &thread_slot(who).waiting;
        if word
            .compare_exchange(
                waiting::SYNC,
                waiting::NO,
                Ordering::SeqCst,
                Ordering::SeqCst,
            )
            .is_ok()
        {
            futex::wake(word, 1);
        }
    }
}

/// Replay: the access has been made; after the last one of a run the next may begin.
#[inline]
pub fn after(thread: &mut Thread, order: Order<'_>) {
    if let Some(over) = count_access(order) {
        announce(over);
    }
    solid::point(thread);
}

/// The same for a mutex, which the thread has now: the next one is told when it is unlocked. Before that it would
/// only take the mutex's memory away from its owner.
#[inline]
pub fn after_lock(thread: &mut Thread, order: Order<'_>) {
    if let Some(over) = count_access(order) {
        announce_unlocked(thread);
        thread.parallel.run_over = over;
    }
    solid::point(thread);
}

/// Replay: what [`after_lock`] left for the unlock, or for whatever comes first.
#[inline(always)]
pub fn announce_unlocked(thread: &mut Thread) {
    if thread.parallel.run_over.number != 0 {
        announce(core::mem::take(&mut thread.parallel.run_over));
    }
}

#[inline(always)]
fn announce(over: RunOver) {
    handover(over.number).store(over.run, Ordering::Release);
}

/// Counts an access; whether it was the last one of its run.
#[inline(always)]
fn count_access(order: Order<'_>) -> Option<RunOver> {
    let word = order.word.load(Ordering::Relaxed);
    match word & COUNT {
        UNENDING => {}
        1 => return Some(pass(order)),
        _ => order.word.store(word - 1, Ordering::Relaxed),
    }
    None
}

#[inline(never)]
fn pass(order: Order<'_>) -> RunOver {
    let number = order.tail.id.load(Ordering::Relaxed) & NUMBER;
    order.word.store(0, Ordering::Relaxed);
    let over = order
        .tail
        .run
        .fetch_add(1, Ordering::SeqCst)
        .wrapping_add(1);
    wake(&order.tail.run, number, over);
    RunOver { number, run: over }
}

/// Replay, at the very end of a thread: the word and value that let the next run begin, if this was the
/// last access of one. The caller stores them when nothing of the thread is left.
pub fn last_pass(order: Order<'_>) -> Option<(usize, u32)> {
    let word = order.word.load(Ordering::Relaxed);
    if word & COUNT != 1 {
        return None;
    }
    order.word.store(0, Ordering::Relaxed);
    let value = order.tail.run.load(Ordering::Relaxed).wrapping_add(1);
    Some(((&raw const order.tail.run) as usize, value))
}

fn other_sync(thread: &mut Thread, known: u32, object: Object, promised: &Record<'_>) -> ! {
    let is_acquire = promised.is_acquire();
    diverge::details([
        u64::from(known),
        object.address as u64,
        if is_acquire { promised.number } else { 0 },
        if is_acquire { promised.value as u64 } else { 0 },
    ]);
    diverge::report(
        thread,
        divergence::OTHER_SYNC,
        i64::from(object.kind),
        0,
        &[object.address, object.place, 0, 0, 0, 0],
        Some(promised),
    )
}
