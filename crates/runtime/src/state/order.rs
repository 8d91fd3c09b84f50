//! The state of an object whose accesses have an order, and what an access is to.

use wayfarer_runtime_abi::atomic::{AtomicU32, AtomicU64, Ordering, spin_loop};
use wayfarer_runtime_abi::layout;

/// How the threads of this process are followed (`Thread::sync`).
pub const OFF: u8 = 0;
pub const RECORD: u8 = 1;
pub const REPLAY: u8 = 2;

pub const OWNER_SHIFT: u32 = 43;
/// Bits for the length of a run. Nothing looks whether they are enough: one thread that did nothing but lock one mutex
/// would need half a day to use them up.
pub const COUNT: u64 = BIASED - 1;
/// The thread, and whether it reads.
pub const OWNER: u64 = !COUNT & !LOCK & !BIASED;
pub const LOCK: u64 = 1 << 63;
/// Recording: the owner has come so often in a row that it counts without atomic operations.
pub const BIASED: u64 = 1 << BIASED_SHIFT;
pub const BIASED_SHIFT: u32 = OWNER_SHIFT - 2;
/// Recording: the run is one of a reader.
pub const READS: u64 = 1 << (OWNER_SHIFT - 1);
const _: () = assert!((layout::MAX_THREADS as u64) << OWNER_SHIFT <= LOCK);

/// Bits of an object's number; above them is a mark of the process, because a fork copies the state of
/// objects that are then others. No mark: the object is shared between processes.
const NUMBER_BITS: u32 = 24;
pub const NUMBER: u32 = (1 << NUMBER_BITS) - 1;

/// The state of one object, where it lies in one piece.
#[repr(C)]
pub struct State {
    word: AtomicU64,
    tail: Tail,
}

/// The second half of a state.
#[repr(C)]
pub struct Tail {
    pub id: AtomicU32,
    /// Recording: number of the current run. Replay: runs that are over; futex word.
    pub run: AtomicU32,
}

/// Where the two halves of a state are.
#[derive(Clone, Copy)]
pub struct Order<'a> {
    /// Owner of the current run, and its length so far (recording) or what is left of it (replay).
    pub word: &'a AtomicU64,
    pub tail: &'a Tail,
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
/// They must be mapped and used by nothing else.
#[inline(always)]
pub unsafe fn state_at<'a>(word: usize, tail: usize) -> Order<'a> {
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
    /// The access lets other readers in beside it.
    pub reads: bool,
}

/// The `owner` word of a thread.
pub fn owner_of(number: u32) -> u64 {
    u64::from(number) << OWNER_SHIFT
}

/// The mark of a process on the number of an object.
pub fn mark(process: u32, object: Object) -> u32 {
    if object.shared {
        0
    } else {
        // Never 0, which stands for shared objects.
        ((process & 0x7f) | 0x80) << NUMBER_BITS
    }
}

/// Recording: keeps all other accesses out until the access is noted.
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
        spin_loop();
    }
}
