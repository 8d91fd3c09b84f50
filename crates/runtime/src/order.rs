//! The order of the accesses to one object: kept while recording, kept to in a replay.
//!
//! The state of an object is 16 bytes, most often in spare words of the object itself. While recording
//! they say who accessed it last and how often in a row: the same thread again is a comparison and an
//! increment, another thread begins a new run and writes an `ACQUIRE` into its own log. In a replay they
//! say whose run it is and how much of it is left.

use crate::state::{Thread, header};
use crate::{diverge, futex, hooks, log, reader, replay, signals, solid};
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::encode::{MAX_VARINT, get_varint, put_varint};
use wayfarer_runtime_abi::layout::{
    SESSION_BASE, WAITERS, WAITERS_OFFSET, divergence, flags, waiting,
};
use wayfarer_runtime_abi::record::{self, Record, sync};
use wayfarer_runtime_abi::{Broken, layout};

/// How the threads of this process are followed (`Thread::sync`).
pub const OFF: u32 = 0;
pub const RECORD: u32 = 1;
pub const REPLAY: u32 = 2;

const OWNER_SHIFT: u32 = 46;
const COUNT: u64 = (1 << OWNER_SHIFT) - 1;
const OWNER: u64 = !COUNT & !LOCK;
const LOCK: u64 = 1 << 63;
/// In a replay: a run whose end nobody saw.
const UNENDING: u64 = COUNT;
const _: () = assert!((layout::MAX_THREADS as u64) << OWNER_SHIFT <= LOCK);

/// Bits of an object's number; above them is a mark of the process, because a fork copies the state of
/// objects that are then others. No mark: the object is shared between processes.
const NUMBER_BITS: u32 = 24;
const NUMBER: u32 = (1 << NUMBER_BITS) - 1;

/// The state of one object, where it lies in one piece.
#[repr(C)]
pub struct State {
    word: AtomicU64,
    tail: Tail,
}

/// The second half of a state.
#[repr(C)]
pub struct Tail {
    id: AtomicU32,
    /// Recording: number of the current run. Replay: runs that are over; futex word.
    run: AtomicU32,
}

/// Where the two halves of a state are.
#[derive(Clone, Copy)]
pub struct Order<'a> {
    /// Owner of the current run, and its length so far (recording) or what is left of it (replay).
    word: &'a AtomicU64,
    tail: &'a Tail,
}

impl State {
    pub const fn new() -> State {
        State {
            word: AtomicU64::new(0),
            tail: Tail {
                id: AtomicU32::new(0),
                run: AtomicU32::new(0),
            },
        }
    }

    #[inline(always)]
    pub fn order(&self) -> Order<'_> {
        Order {
            word: &self.word,
            tail: &self.tail,
        }
    }
}

/// The state whose halves, 8 bytes each, lie at these addresses.
///
/// # Safety
/// They must be mapped and nobody else's.
#[inline(always)]
pub unsafe fn at<'a>(word: usize, tail: usize) -> Order<'a> {
    // SAFETY: as the caller says; any bits are a state.
    unsafe {
        Order {
            word: &*(word as *const AtomicU64),
            tail: &*(tail as *const Tail),
        }
    }
}

/// What an access is to: the kind of the object and how to find it again.
#[derive(Clone, Copy)]
pub struct Object {
    pub kind: u8,
    /// Between processes.
    pub shared: bool,
    pub address: usize,
    /// Where in the program's code it came to life.
    pub place: usize,
    /// Its state stays where it is for as long as it lives.
    pub stays: bool,
}

/// The `owner` word of a thread.
pub fn owner_of(number: u32) -> u64 {
    u64::from(number) << OWNER_SHIFT
}

fn mark(thread: &Thread, object: Object) -> u32 {
    if object.shared {
        0
    } else {
        // Never 0, which stands for shared objects.
        ((thread.process().id & 0x7f) | 0x80) << NUMBER_BITS
    }
}

/// Recording: one more access of the same run, if the thread is its owner; the state's first half is at
/// `word`, and nobody else has access at this moment.
///
/// # Safety
/// As [`at`].
#[inline(always)]
pub unsafe fn count_up(thread: &Thread, word: usize) -> bool {
    // SAFETY: as the caller says.
    let word = unsafe { &*(word as *const AtomicU64) };
    let found = word.load(Ordering::Relaxed);
    if found & OWNER != thread.owner {
        return false;
    }
    word.store(found + 1, Ordering::Relaxed);
    true
}

/// Recording: an access that excludes all others at this moment.
#[inline(always)]
pub fn note_exclusive(thread: &mut Thread, order: Order<'_>, object: Object) {
    let word = order.word.load(Ordering::Relaxed);
    if word & OWNER == thread.owner {
        order.word.store(word + 1, Ordering::Relaxed);
    } else {
        take_over(thread, order, word, object);
    }
}

/// Recording: an access that others may make at the same time.
#[inline(always)]
pub fn note_shared(thread: &mut Thread, order: Order<'_>, object: Object) {
    let word = order.word.load(Ordering::Relaxed);
    if word & (OWNER | LOCK) == thread.owner
        && order
            .word
            .compare_exchange_weak(word, word + 1, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
    {
        return;
    }
    lock(order);
    unlock_noted(thread, order, object);
}

/// Recording: keeps all other accesses out until [`unlock_noted`].
#[inline]
pub fn lock(order: Order<'_>) {
    loop {
        let word = order.word.load(Ordering::Relaxed);
        if word & LOCK == 0
            && order
                .word
                .compare_exchange_weak(word, word | LOCK, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok()
        {
            return;
        }
        core::hint::spin_loop();
    }
}

/// Recording: notes the access and lets others in.
#[inline]
pub fn unlock_noted(thread: &mut Thread, order: Order<'_>, object: Object) {
    let word = order.word.load(Ordering::Relaxed) & !LOCK;
    if word & OWNER == thread.owner {
        order.word.store(word + 1, Ordering::Release);
    } else {
        take_over(thread, order, word, object);
    }
}

#[cold]
#[inline(never)]
fn take_over(thread: &mut Thread, order: Order<'_>, word: u64, object: Object) {
    let mark = mark(thread, object);
    let mut id = order.tail.id.load(Ordering::Relaxed);
    let mut run = order.tail.run.load(Ordering::Relaxed);
    let mut length = word & COUNT;
    if id == 0 || id & !NUMBER != mark {
        let Some(number) = create(thread, order, object) else {
            return;
        };
        id = number | mark;
        (run, length) = (0, 0);
        order.tail.id.store(id, Ordering::Relaxed);
    }
    run = run.wrapping_add(1);
    emit_acquire(thread, id & NUMBER, run, length);
    order.tail.run.store(run, Ordering::Relaxed);
    order.word.store(thread.owner | 1, Ordering::Release);
}

/// Gives the object a number and describes it.
fn create(thread: &mut Thread, order: Order<'_>, object: Object) -> Option<u32> {
    let number = header().next_sync.fetch_add(1, Ordering::Relaxed) + 1;
    if number > NUMBER {
        log::break_off(Broken::TooManyObjects, 0);
        return None;
    }
    describe(thread, number, object);
    if object.stays {
        let word = core::ptr::from_ref(order.word) as usize;
        let tail = core::ptr::from_ref(order.tail) as usize;
        thread
            .process()
            .remember_sync([number as usize, word, tail]);
    }
    Some(number)
}

/// Recording: an object that was just initialised has no history yet.
pub fn forget(order: Order<'_>) {
    order.word.store(0, Ordering::Relaxed);
    order.tail.id.store(0, Ordering::Relaxed);
    order.tail.run.store(0, Ordering::Relaxed);
}

/// Writes down what the object of that number is.
fn describe(thread: &mut Thread, number: u32, object: Object) {
    let place = hooks::table::birth_of(object.address, object.place);
    let mut payload = [0u8; sync::OBJECT_PAYLOAD];
    // SAFETY: 16 bytes for two words.
    unsafe {
        let words = payload.as_mut_ptr().cast::<u64>();
        words.write_unaligned(object.address as u64);
        words.add(1).write_unaligned(place as u64);
    }
    thread.emit_with(record::OBJECT, u64::from(number), object.kind, 0, &payload);
}

/// Recording: this thread does what is done once for the object at `address`.
pub fn note_once(thread: &mut Thread, address: usize) {
    let number = header().next_sync.fetch_add(1, Ordering::Relaxed) + 1;
    let object = Object {
        kind: sync::ONCE,
        shared: false,
        address,
        place: 0,
        stays: true,
    };
    describe(thread, number, object);
}

/// Replay: whether it is this thread that does it.
pub fn is_once(thread: &mut Thread, address: usize) -> bool {
    signals::settle(thread);
    let Some(next) = reader::peek(thread) else {
        return false;
    };
    if next.tag != record::OBJECT || next.payload.len() != sync::OBJECT_PAYLOAD {
        return false;
    }
    // SAFETY: the length was just checked.
    let found = unsafe { next.payload.as_ptr().cast::<u64>().read_unaligned() };
    if found != address as u64 {
        return false;
    }
    reader::advance(thread, next.length);
    true
}

/// The object is destroyed: its last run is over, and what comes to lie there is another.
pub fn retire(thread: &mut Thread, order: Order<'_>) {
    if thread.sync == RECORD {
        let id = order.tail.id.load(Ordering::Relaxed);
        if id != 0 {
            emit_final(thread, id, order.word.load(Ordering::Relaxed) & !LOCK);
        }
    }
    forget(order);
}

/// Recording: the object is given up, or the process ends: how long its last run was.
pub fn emit_final(thread: &mut Thread, id: u32, word: u64) {
    let length = word & COUNT;
    if length != 0 {
        thread.emit_plain(record::FINAL, u64::from(id & NUMBER), 0, length);
    }
}

/// The first half of a state, if the second says that it still is the object of that number.
pub fn word_of(word: u64, tail: u64, number: u32) -> Option<u64> {
    let id = tail as u32;
    (id & NUMBER == number).then_some(word & !LOCK)
}

fn emit_acquire(thread: &mut Thread, id: u32, run: u32, length: u64) {
    if length < u64::from(sync::LONG) {
        thread.emit_plain(record::ACQUIRE, u64::from(id), length as u8, u64::from(run));
        return;
    }
    let mut payload = [0u8; MAX_VARINT];
    // SAFETY: ten bytes of room.
    let end = unsafe { put_varint(payload.as_mut_ptr(), length) };
    let used = (end as usize).wrapping_sub(payload.as_ptr() as usize);
    if let Some(payload) = payload.get(..used) {
        thread.emit_with(
            record::ACQUIRE,
            u64::from(id),
            sync::LONG,
            u64::from(run),
            payload,
        );
    }
}

/// Replay: the length of the run that an `ACQUIRE` begins.
fn length_of(record: &Record<'_>) -> u64 {
    let length = match record.check {
        sync::LONG => get_varint(record.payload, 0).map_or(0, |(length, _)| length),
        short => u64::from(short),
    };
    match length {
        0 => UNENDING,
        length => length.min(COUNT - 1),
    }
}

/// Replay: whether this access goes on with a run of this thread.
#[inline(always)]
pub fn is_own_run(thread: &Thread, order: Order<'_>) -> bool {
    let word = order.word.load(Ordering::Relaxed);
    word & OWNER == thread.owner && word & COUNT != 0
}

/// Replay: whether the thread is in a run whose end was not recorded.
pub fn is_unending(thread: &Thread, order: Order<'_>) -> bool {
    order.word.load(Ordering::Relaxed) == thread.owner | UNENDING
}

/// Replay: waits until this thread may make its next access; [`after`] must follow.
#[inline]
pub fn before(thread: &mut Thread, order: Order<'_>, object: Object) {
    if is_own_run(thread, order) {
        solid::step(thread);
        return;
    }
    begin_run(thread, order, object);
}

#[inline(never)]
fn begin_run(thread: &mut Thread, order: Order<'_>, object: Object) {
    if header().flags & flags::PERTURB != 0 {
        perturb();
    }
    signals::settle(thread);
    let next = reader::peek(thread);
    let mark = mark(thread, object);
    adopt(order, mark);
    let known = order.tail.id.load(Ordering::Acquire) & NUMBER;
    let promised = match next {
        None => replay::end_of_log(thread),
        Some(next) if next.tag == record::ACQUIRE => next,
        Some(other) => other_sync(thread, known, object, &other),
    };
    let number = promised.number as u32;
    if known != 0 && known != number {
        other_sync(thread, known, object, &promised);
    }
    reader::advance(thread, promised.length);
    order.tail.id.store(number | mark, Ordering::Release);
    let (run, length) = (promised.value as u32, length_of(&promised));
    let before = run.wrapping_sub(1);
    if order.tail.run.load(Ordering::Acquire) != before {
        wait_for_run(thread, order, number, before);
    }
    order.word.store(thread.owner | length, Ordering::Relaxed);
    solid::step(thread);
}

/// `--retry`: threads reach their accesses at other moments than the last time.
fn perturb() {
    const SCHED_YIELD: usize = 24;
    // SAFETY: reads the time stamp counter, which every processor of this kind has.
    let drawn = unsafe { core::arch::x86_64::_rdtsc() } >> 4;
    let mut times = drawn & 0x3f;
    while times > 0 {
        // SAFETY: sched_yield has no arguments.
        unsafe { raw::syscall6(SCHED_YIELD, 0, 0, 0, 0, 0, 0) };
        times -= 1;
    }
}

/// State that a fork copied, or that nobody has used yet, starts from nothing.
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

fn waiters(number: u32) -> &'static AtomicU32 {
    let index = number as usize & (WAITERS - 1);
    // SAFETY: the table is part of the session mapping.
    unsafe { &*((SESSION_BASE + WAITERS_OFFSET as usize) as *const AtomicU32).add(index) }
}

#[inline(never)]
fn wait_for_run(thread: &mut Thread, order: Order<'_>, number: u32, before: u32) {
    let ready = || order.tail.run.load(Ordering::Acquire) == before;
    if solid::is_on(thread) {
        solid::wait_until(thread, ready);
        return;
    }
    let waiters = waiters(number);
    waiters.fetch_add(1, Ordering::SeqCst);
    let argument = u64::from(number) << 32 | u64::from(before.wrapping_add(1));
    futex::wait_until(thread, waiting::SYNC, argument, &order.tail.run, ready);
    waiters.fetch_sub(1, Ordering::SeqCst);
}

/// Replay: the access has been made; after the last one of a run the next may begin.
#[inline]
pub fn after(_thread: &mut Thread, order: Order<'_>) {
    let word = order.word.load(Ordering::Relaxed);
    match word & COUNT {
        UNENDING => {}
        1 => pass(order),
        _ => order.word.store(word - 1, Ordering::Relaxed),
    }
}

#[inline(never)]
fn pass(order: Order<'_>) {
    let number = order.tail.id.load(Ordering::Relaxed) & NUMBER;
    order.word.store(0, Ordering::Relaxed);
    order.tail.run.fetch_add(1, Ordering::SeqCst);
    if waiters(number).load(Ordering::SeqCst) != 0 {
        futex::wake(&order.tail.run, u32::MAX >> 1);
    }
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
    let is_acquire = promised.tag == record::ACQUIRE;
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
