//! What the runtime knows about one process, in parts.
//!
//! The memory is zeroed when a process is made, so every part is good when all of it is 0.

use crate::state::mappings::{self, MAX_MAPPINGS};
use crate::state::order;
use crate::state::word::Word;
use wayfarer_runtime_abi::atomic::{AtomicBool, AtomicU32, Ordering};
use wayfarer_runtime_abi::layout::{ProcessSlot, Token};

/// What every call looks at comes first: a line or a page less to fetch, after the kernel has used the caches.
#[repr(C)]
pub struct Process {
    pub id: Word<u32>,
    pub threads: Threads,
    /// A child of vfork: memory and threads are its parent's.
    pub borrowed: Word<bool>,
    /// Reads of the time-stamp counter fault, and so would the clocks of the vDSO.
    pub counter_faults: Word<bool>,
    pub code: Code,
    pub slot: Word<*const ProcessSlot>,
    pub token: Word<*const Token>,
    pub descriptors: Descriptors,
    pub libc: Libc,
    pub order: Order,
    pub solid: Solid,
    pub signals: Signals,
    /// Shared mappings of files; the first one's address is 0 while there never was any.
    pub mappings: [mappings::Kept; MAX_MAPPINGS],
    pub children: Children,
    pub ended: Ended,
}

impl Process {
    #[inline(always)]
    pub fn slot(&self) -> &'static ProcessSlot {
        // SAFETY: set before the thread pointer is published, to a place in the session mapping.
        unsafe { &*self.slot.get() }
    }
}

/// What a process knows about its code and about dispatch.
#[repr(C)]
pub struct Code {
    /// Every site that the host found in libc and the loader was patched.
    pub patched: Word<bool>,
    /// Dispatch is off.
    pub off: Word<bool>,
    /// There is code that no file has, and that cannot be judged.
    pub loose: Word<bool>,
    /// The mode of the threads was chosen by what the code looks like; what comes from now on was not looked at.
    pub surveyed: Word<bool>,
    /// How often code was added, and how often when the host was asked.
    pub additions: Word<u32>,
    pub asked_at: Word<u32>,
}

/// How the threads of the process are followed.
#[repr(C)]
pub struct Threads {
    /// They pass a token round.
    pub serial: Word<bool>,
    /// The token is that of all processes that share memory.
    pub shared_domain: Word<bool>,
    /// How they are followed has been decided.
    pub decided: Word<bool>,
    /// They run at once.
    pub parallel: Word<bool>,
    /// What would have made the process serial came too late, and has been told: a bit for each reason.
    pub told_late: Word<u32>,
    /// Forked from a process whose threads ran at once: locks came along that say whether somebody waited for them.
    pub has_foreign_locks: Word<bool>,
}

/// Descriptors that can be tracked.
pub const MAX_DESCRIPTORS: usize = 65_536;

/// What descriptors stand for.
#[repr(C)]
pub struct Descriptors {
    /// Highest descriptor with an entry, plus one.
    pub high: Word<usize>,
    /// Entry of each descriptor: object × 2 + side; 0 not tracked.
    pub entries: [Word<u32>; MAX_DESCRIPTORS],
}

/// What was found out about the program's libc.
#[repr(C)]
pub struct Libc {
    /// Our own key of thread-specific data plus one.
    pub exit_key: Word<usize>,
    /// Where the id is kept in the description of a thread; 0: not known.
    pub tid_offset: Word<usize>,
}

/// Sync objects whose last run is written down at the end.
pub const MAX_SYNC: usize = 8192;

/// Parallel mode: the objects whose accesses have an order.
#[repr(C)]
pub struct Order {
    /// Order of the system calls of the process.
    pub events: order::State,
    /// Objects that the process made: number and the places of its state, as far as there is room.
    pub objects: [[Word<usize>; 3]; MAX_SYNC],
    pub count: AtomicU32,
}

/// Threads of one process that a solid replay can hold.
pub const MAX_RING: usize = 4096;
/// One thread in the ring.
pub struct Place {
    pub thread: Word<u32>,
    /// Number of points at which the thread, which stepped aside, comes back; 0: it did not.
    pub back: Word<u32>,
}

impl Place {
    pub fn set(&self, thread: u32, back: u32) {
        self.thread.set(thread);
        self.back.set(back);
    }
}

/// Solid replay: threads run one at a time.
#[repr(C)]
pub struct Solid {
    /// The threads in the order of their turns, how many, and whose turn it is.
    pub ring: [Place; MAX_RING],
    pub ring_length: Word<usize>,
    pub ring_now: AtomicU32,
    /// Points so far, the one at which somebody who stepped aside comes back, and the next delay.
    pub points: Word<u32>,
    pub due: Word<u32>,
    pub delay_next: Word<usize>,
}

/// What the program asked for with sigaction.
#[repr(C)]
pub struct Signals {
    pub actions: [Kept; 65],
    /// Bit n: the action of signal n has been set by this image.
    pub actions_known: Word<u64>,
}

/// The action of one signal.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Action {
    pub handler: usize,
    pub flags: u64,
    pub restorer: usize,
    pub mask: u64,
}

impl Signals {
    #[inline(always)]
    pub fn action(&self, signal: u32) -> &Kept {
        // SAFETY: reduced.
        unsafe { self.actions.get_unchecked((signal as usize).min(64)) }
    }
}

/// Where an action is kept.
#[repr(C)]
pub struct Kept {
    pub handler: Word<usize>,
    pub flags: Word<u64>,
    restorer: Word<usize>,
    mask: Word<u64>,
}

impl Kept {
    pub fn get(&self) -> Action {
        Action {
            handler: self.handler.get(),
            flags: self.flags.get(),
            restorer: self.restorer.get(),
            mask: self.mask.get(),
        }
    }

    pub fn set(&self, action: Action) {
        self.handler.set(action.handler);
        self.flags.set(action.flags);
        self.restorer.set(action.restorer);
        self.mask.set(action.mask);
    }
}

pub const MAX_CHILDREN: usize = 4096;

/// The last children, by the id that the kernel gave them.
#[repr(C)]
pub struct Children {
    pub next: Word<usize>,
    /// The kernel's id and ours.
    pub known: [[Word<u32>; 2]; MAX_CHILDREN],
}

/// So many windows of threads that have ended are kept.
pub const MANY: usize = 32;

/// Windows of threads that have ended (`windows.rs`), which are to be unmapped.
#[repr(C)]
pub struct Ended {
    /// How many places were claimed; more than there are if a thread found none.
    pub claimed: AtomicU32,
    /// Numbers of threads; 0: not yet there.
    pub numbers: [AtomicU32; MANY],
    pub is_busy: AtomicBool,
}

const _: () = assert!(core::mem::offset_of!(Process, descriptors.entries) <= 64);

impl Order {
    pub fn remember(&self, object: [usize; 3]) {
        let index = self.count.fetch_add(1, Ordering::Relaxed);
        if let Some(place) = self.objects.get(index as usize) {
            for (word, value) in place.iter().zip(object) {
                word.set(value);
            }
        }
    }
}
