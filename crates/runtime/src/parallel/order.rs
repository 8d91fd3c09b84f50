//! The order of the accesses to one object: kept while recording, followed in a replay.
//!
//! The state of an object is 16 bytes, most often in spare words of the object itself. While
//! recording they say which thread accessed it last, and how often in a row. The same thread again
//! costs a comparison and an increment. Another thread begins a new *run* and writes an `ACQUIRE`
//! with the length of the run before into its own log. In a replay the state says whose run it is
//! and how much of it is left (`runs.rs`); the host knows the length of each run in advance.
//!
//! A reader counts as another owner than the same thread as a writer, by a bit next to its number,
//! so that each run is of one side. A thread that reads and writes by turns begins a run each time.
//! The history needs that to tell the sides apart; it costs some 15 ns, and the trace next to
//! nothing.
//!
//! Locks are noted after the acquisition, while they exclude others. A semaphore's post is noted
//! before it is made, so that no wait that it ends is noted earlier; so is an arrival at a barrier.
//! A condition wait is the order of its mutex. Results of tries and timed waits are `OUTCOME`
//! records that count the usual results between them.

use crate::log;
use crate::log::RECORD_HEAD;
use crate::parallel::bias;
use crate::parallel::insides;
use crate::parallel::table;
use crate::state::order::{
    BIASED, BIASED_SHIFT, COUNT, LOCK, NUMBER, OWNER, Object, Order, READS, RECORD, lock, mark,
};
use crate::state::{Thread, header};
use wayfarer_runtime_abi::Broken;
use wayfarer_runtime_abi::atomic::{AtomicU32, AtomicU64, Ordering, compiler_fence, spin_loop};
use wayfarer_runtime_abi::record::{self, Acquire, Birth, Head, sync};

impl Object {
    /// Recording: the owner of a run of such accesses.
    #[inline(always)]
    fn owner(&self, thread: &Thread) -> u64 {
        if self.reads {
            thread.parallel.owner | READS
        } else {
            thread.parallel.owner
        }
    }
}

/// Recording: one more access of the same run, if the thread is its owner; the state's first half is at
/// `word`, and nothing else has access at this moment.
///
/// # Safety
/// As [`state_at`](crate::state::order::state_at).
#[inline(always)]
pub unsafe fn count_up(thread: &Thread, word: usize) -> bool {
    // SAFETY: as the caller says.
    let word = unsafe { &*(word as *const AtomicU64) };
    let found = word.load(Ordering::Relaxed);
    if found & OWNER != thread.parallel.owner {
        return false;
    }
    word.store(found + 1, Ordering::Relaxed);
    true
}

/// Recording: an access that excludes all others at this moment.
#[inline(always)]
pub fn note_exclusive(thread: &mut Thread, order: Order<'_>, object: Object) {
    let word = order.word.load(Ordering::Relaxed);
    if word & OWNER == object.owner(thread) {
        order.word.store(word + 1, Ordering::Relaxed);
    } else {
        take_over(thread, order, word, object);
    }
}

/// Recording: whether no other thread has accessed the object since this one did.
pub fn is_last_owner(thread: &Thread, order: Order<'_>, object: Object) -> bool {
    order.word.load(Ordering::Relaxed) & OWNER == object.owner(thread)
}

/// Recording: an access that others may make at the same time.
#[inline(always)]
pub fn note_shared(thread: &mut Thread, order: Order<'_>, object: Object) {
    let word = order.word.load(Ordering::Relaxed);
    if word & (OWNER | LOCK) == object.owner(thread)
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

/// Recording: one more access of a run that this thread counts without atomic operations, if it is in one;
/// the state's first half is at `word`. [`note_biased`] notes what this does not.
///
/// # Safety
/// As [`state_at`](crate::state::order::state_at).
#[inline(always)]
pub unsafe fn count_biased(
    thread: &Thread,
    reads: bool,
    word: usize,
    posts: Option<&AtomicU32>,
) -> bool {
    // SAFETY: as the caller says.
    let counted = unsafe { &*(word as *const AtomicU64) };
    let counting = &thread.slot().waiting_for;
    counting.store(word as u64, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
    let found = counted.load(Ordering::Relaxed);
    let wanted = BIASED | if reads { READS } else { 0 };
    let own =
        found >> BIASED_SHIFT == thread.parallel.owner >> BIASED_SHIFT | wanted >> BIASED_SHIFT;
    if own {
        counted.store(found + 1, Ordering::Relaxed);
        if let Some(posts) = posts {
            add_one(posts);
        }
    }
    // On this processor stores are seen in their order.
    counting.store(0, Ordering::Release);
    own
}

/// Recording: an access that others may make at the same time, to an object that is accessed by this
/// function and by [`note_exclusive`] only.
///
/// A thread that had the object often in a row counts on without an atomic operation; the next one has to
/// make sure that it is not just doing so, by a barrier in all threads that costs microseconds.
#[inline(never)]
pub fn note_biased(thread: &mut Thread, order: Order<'_>, object: Object) {
    let counted = core::ptr::from_ref(order.word) as usize;
    // SAFETY: the state is there, says the reference.
    if unsafe { count_biased(thread, object.reads, counted, None) } {
        return;
    }
    let word = order.word.load(Ordering::Relaxed);
    if word & (OWNER | LOCK | BIASED) == object.owner(thread)
        && order
            .word
            .compare_exchange(
                word,
                bias::grown(word, object.shared),
                Ordering::AcqRel,
                Ordering::Relaxed,
            )
            .is_ok()
    {
        return;
    }
    lock_biased(thread, order, object);
    unlock_noted(thread, order, object);
}

/// Recording: one more, by the only thread that may at this moment.
#[inline(always)]
fn add_one(posts: &AtomicU32) {
    posts.store(
        posts.load(Ordering::Relaxed).wrapping_add(1),
        Ordering::Relaxed,
    );
}

/// Recording: as [`note_biased`], for the post of a semaphore; `posts` counts those of the current run.
#[inline(never)]
pub fn note_post(thread: &mut Thread, order: Order<'_>, object: Object, posts: &AtomicU32) {
    let counted = core::ptr::from_ref(order.word) as usize;
    // SAFETY: the state is there, says the reference.
    if unsafe { count_biased(thread, false, counted, Some(posts)) } {
        return;
    }
    lock_biased(thread, order, object);
    let word = order.word.load(Ordering::Relaxed) & !LOCK;
    if word & OWNER == object.owner(thread) {
        add_one(posts);
        order
            .word
            .store(bias::grown(word, object.shared), Ordering::Release);
    } else {
        // It counts for the run that begins, and others see that run only when this is done.
        take_over_with(thread, order, word, object, 1);
    }
}

/// Recording: keeps all other accesses out, also those that count without atomic operations.
#[cold]
#[inline(never)]
fn lock_biased(thread: &Thread, order: Order<'_>, object: Object) {
    loop {
        let word = order.word.load(Ordering::Relaxed);
        if word & BIASED != 0 && word & OWNER != object.owner(thread) {
            bias::revoke(order.word);
        } else if word & (LOCK | BIASED) != 0 {
            spin_loop();
        } else if order
            .word
            .compare_exchange_weak(word, word | LOCK, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
        {
            return;
        }
    }
}

/// Recording: notes the access and lets others in.
#[inline]
pub fn unlock_noted(thread: &mut Thread, order: Order<'_>, object: Object) {
    let word = order.word.load(Ordering::Relaxed) & !LOCK;
    if word & OWNER == object.owner(thread) {
        order.word.store(word + 1, Ordering::Release);
    } else {
        take_over(thread, order, word, object);
    }
}

#[cold]
#[inline(never)]
fn take_over(thread: &mut Thread, order: Order<'_>, word: u64, object: Object) {
    take_over_with(thread, order, word, object, 0);
}

/// `posts`: of a semaphore, in the run that begins.
fn take_over_with(thread: &mut Thread, order: Order<'_>, word: u64, object: Object, posts: u32) {
    let mark = mark(thread.process().id.get(), object);
    let mut id = order.tail.id.load(Ordering::Relaxed);
    let mut run = order.tail.run.load(Ordering::Relaxed);
    let mut length = word & COUNT;
    if id == 0 || id & !NUMBER != mark {
        let Some(number) = create(thread, order, object) else {
            // Recording has stopped; a thread that waits for the state must get it.
            order.word.store(word, Ordering::Release);
            return;
        };
        id = number | mark;
        (run, length) = (0, 0);
        order.tail.id.store(id, Ordering::Relaxed);
    }
    run = run.wrapping_add(1);
    if object.kind == sync::SEMAPHORE {
        // SAFETY: the access is to a semaphore at this address, and no other thread counts now.
        let before = unsafe { insides::posts(object.address) }.swap(posts, Ordering::Relaxed);
        if length != 0 {
            emit_posts(thread, id, before);
        }
    }
    emit_acquire(thread, object.reads, id & NUMBER, run, length);
    order.tail.run.store(run, Ordering::Relaxed);
    order
        .word
        .store(object.owner(thread) | 1, Ordering::Release);
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
        let described = number as usize | usize::from(object.kind) << 32;
        thread.process().order.remember([described, word, tail]);
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
#[inline(never)]
fn describe(thread: &mut Thread, number: u32, object: Object) {
    let place = table::birth_of(object.address, object.place);
    let birth = Birth {
        address: object.address as u64,
        place: place as u64,
    };
    let detail = match object.kind {
        // SAFETY: the access is to a barrier at this address.
        sync::BARRIER => unsafe { insides::members(object.address) },
        sync::ONCE => insides::given_up(object.address),
        _ => 0,
    };
    let (number, detail) = (u64::from(number), i64::from(detail));
    let head = Head::new(record::OBJECT, number, object.kind, detail);
    thread.emit_with(head, &birth.encode());
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
        reads: false,
    };
    describe(thread, number, object);
}

/// The object is destroyed: its last run is over, and what comes to lie there is another.
pub fn retire(thread: &mut Thread, order: Order<'_>) {
    if thread.sync == RECORD {
        let id = order.tail.id.load(Ordering::Relaxed);
        if id != 0 {
            emit_final(thread, id, order.word.load(Ordering::Relaxed));
        }
    }
    forget(order);
}

/// Recording: the object is given up, or the process ends: how long its last run was.
pub fn emit_final(thread: &mut Thread, id: u32, word: u64) {
    let length = word & COUNT;
    if length != 0 {
        let number = u64::from(id & NUMBER);
        thread.emit_plain(Head::new(record::FINAL, number, 0, length as i64));
    }
}

/// Recording: how many accesses of the run that ends were posts.
pub fn emit_posts(thread: &mut Thread, id: u32, posts: u32) {
    if posts != 0 {
        let number = u64::from(id & NUMBER);
        thread.emit_plain(Head::new(record::POSTS, number, 0, i64::from(posts)));
    }
}

/// The first half of a state, if the second says that it still is the object of that number.
pub fn word_of(word: u64, tail: u64, number: u32) -> Option<u64> {
    let id = tail as u32;
    (id & NUMBER == number).then_some(word & !LOCK & !BIASED)
}

fn emit_acquire(thread: &mut Thread, reads: bool, id: u32, run: u32, length: u64) {
    let acquire = Acquire {
        reads,
        object: u64::from(id),
        run: u64::from(run),
        length,
    };
    if acquire.is_long() {
        return emit_long(thread, acquire);
    }
    // SAFETY: the room that is asked for.
    thread.append(RECORD_HEAD, |place| unsafe { acquire.put(place) });
}

#[cold]
#[inline(never)]
fn emit_long(thread: &mut Thread, acquire: Acquire) {
    // SAFETY: the room that is asked for.
    thread.append(RECORD_HEAD, |place| unsafe { acquire.put(place) });
}
