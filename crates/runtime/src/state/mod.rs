//! What the runtime knows about the thread and the process it runs in.
//!
//! Everything hangs on the thread: a child of vfork shares its parent's memory and thread-local
//! storage, so nothing that belongs to a process may live in a static. The thread-local pointer leads
//! to [`Thread`], that to [`Process`]; a vfork child swaps the pointer and its parent swaps it back.

pub mod spare;
pub mod windows;

use crate::calls::writethrough::{MAX_MAPPINGS, Mapping};
use crate::parallel::order;
use crate::parallel::runs::RunOver;
use crate::parallel::solid::{MAX_RING, Place};
use crate::parallel::waits;
use crate::serial::crossings::Crossings;
use crate::serial::expected::Expected;
use crate::serial::spinning::{Looks, Spun};
use core::sync::atomic::{AtomicU32, AtomicU64};
use wayfarer_entrance::own_stack::OwnStack;
use wayfarer_entrance::{raw, tls};
use wayfarer_runtime_abi::layout::{
    self, Header, Object, ProcessSlot, SESSION_BASE, ThreadSlot, Token,
};

/// Runtime's own memory of threads and processes: one window for each number, so that addresses are the
/// same in a recording and its replay and never meet the program's mappings.
const THREADS_BASE: usize = 0x2100_0000_0000;
pub const THREAD_WINDOW: usize = 0x1_0000;
/// At least so much of a thread's window is a stack for our own code.
const OWN_STACK: usize = 0x6000;
const PROCESSES_BASE: usize = 0x2200_0000_0000;
const PROCESS_WINDOW: usize = 0x10_0000;

const ROOMS_BASE: usize = 0x2300_0000_0000;
const ROOM_WINDOW: usize = 0x100_0000;

/// Memory for what an exec needs: a window of the process's own, because a borrowing child leaves it
/// behind in its parent's memory, which must find it again to give it back.
pub fn room_window(process: u32) -> (usize, usize) {
    (ROOMS_BASE + process as usize * ROOM_WINDOW, ROOM_WINDOW)
}

/// Descriptors that can be tracked.
pub const MAX_DESCRIPTORS: usize = 65_536;
pub const MAX_CHILDREN: usize = 4096;
/// Signals that can wait for an event boundary in one thread.
pub const QUEUE: usize = 128;
/// Sync objects whose last run is written down at the end.
pub const MAX_SYNC: usize = 8192;

/// A signal that has arrived and waits for an event boundary.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Waiting {
    pub number: u32,
    pub spare: u32,
    pub information: [u64; 16],
}

/// What the program asked for with sigaction.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Action {
    pub handler: usize,
    pub flags: u64,
    pub restorer: usize,
    pub mask: u64,
}

/// What every call looks at comes first: a line or a page less to fetch, after the kernel has used the caches.
#[repr(C)]
pub struct Process {
    pub id: u32,
    /// Whether threads of this process pass a token round.
    pub serial: bool,
    /// Whether the token is that of all processes that share memory.
    pub shared_domain: bool,
    pub borrowed: bool,
    /// How threads are followed has been decided; whether they run at once.
    pub decided: bool,
    pub parallel: bool,
    /// What would have made it serial came too late, and has been told: a bit for each reason.
    pub told_late: u32,
    /// Forked from a process whose threads ran at once: locks came along that say whether somebody waited for them.
    pub has_foreign_locks: bool,
    pub code: crate::calls::disarm::Code,
    /// Reads of the time-stamp counter fault, and so would the clocks of the vDSO.
    pub counter_faults: bool,
    pub slot: *mut ProcessSlot,
    pub token: *mut Token,
    /// Highest descriptor with an entry, plus one.
    pub descriptors_high: usize,
    /// Entry of each descriptor: object × 2 + side; 0 not tracked.
    pub descriptors: [u32; MAX_DESCRIPTORS],
    /// Our own key of thread-specific data plus one, and where libc keeps the id in a thread's
    /// description (0: not known).
    pub exit_key: usize,
    pub tid_offset: usize,
    /// Order of the system calls of a parallel process.
    pub events: order::State,
    /// Objects that the process made: number and the places of its state, as far as there is room.
    pub sync_objects: [[usize; 3]; MAX_SYNC],
    pub sync_count: AtomicU32,
    /// Threads of a solid replay in the order of their turns, how many, and whose turn it is.
    pub ring: [Place; MAX_RING],
    pub ring_length: usize,
    pub ring_now: AtomicU32,
    /// Points so far, the one at which somebody who stepped aside comes back, and the next delay.
    pub points: u32,
    pub due: u32,
    pub delay_next: usize,
    pub children_next: usize,
    pub actions: [Action; 65],
    /// Bit n: the action of signal n has been set by this image.
    pub actions_known: u64,
    /// Shared mappings of files; the first one's address is 0 while there never was any.
    pub mappings: [Mapping; MAX_MAPPINGS],
    pub children: [(u32, u32); MAX_CHILDREN],
    pub ended: crate::state::windows::Ended,
}

/// Ordered as [`Process`] is: two lines have all that an ordinary call needs.
#[repr(C)]
pub struct Thread {
    /// The entrance knows it by its place.
    pub own_stack: OwnStack,
    pub mode: u32,
    /// Global number.
    pub number: u32,
    /// Thread id as the program sees it.
    pub tid: u32,
    /// Set while signals wait in `queue`; the interruptible call looks at it.
    pub pending: AtomicU32,
    pub queue_head: AtomicU32,
    pub queue_tail: AtomicU32,
    pub process: *mut Process,
    pub slot: *mut ThreadSlot,

    // Recording: where the log goes on, where the chunk ends, where its records begin.
    pub cursor: *mut u8,
    pub limit: *mut u8,
    pub chunk: *mut layout::Chunk,

    pub events: u64,
    /// Running checksum of everything that the thread gave away.
    pub hash: u64,
    pub turn: u32,
    pub holds_token: bool,
    /// Dispatch is not armed in this thread.
    pub dispatch_off: bool,
    /// Others had their turns during the last drafted call.
    pub turn_changed: bool,
    /// One of `order::{OFF, RECORD, REPLAY}`: the process is parallel.
    pub sync: u32,
    pub crossings: Crossings,

    // Replay: where the log goes on and ends.
    pub read: *const u8,
    pub read_end: *const u8,

    pub sequence: u32,
    pub clocks: [i64; 16],
    /// How often the lock of the process is kept across calls.
    pub keeps: u32,
    /// It is in a function of pthread's that makes a thread.
    pub makes_thread: bool,
    /// Recording in serial mode: what the thread waits its turn for need not be soon.
    pub patient: bool,
    /// The same: waits that it was woken from for nothing.
    pub vain: crate::serial::vain::Vain,
    /// Recording in serial mode: the last looks at a thread that makes no events.
    pub looks: Looks,
    /// The same: what the thread did when it last gave its turn away because it waited in a loop.
    pub spun: Spun,
    /// Replay in serial mode: the loop in which the turn ends.
    pub expected: Expected,
    /// Replay: an event of a parallel process has begun.
    pub in_event: bool,
    /// Solid replay: the last point of this thread.
    pub last_point: u32,
    /// Mark of this thread in the state of objects.
    pub owner: u64,
    /// Its last destructor has run.
    pub ends: bool,
    /// It makes, joins or ends a thread, and whoever else wants to has to wait meanwhile.
    pub holds_others_up: bool,
    /// Nesting of uses of the heap.
    pub heap_depth: u32,
    /// Nesting of functions of libc that only one thread is in at a time; and how deep it was before a call that may wait.
    pub library_depth: u32,
    pub library_waits: u32,
    /// Replay: where the log goes on behind the note that the thread waits for a lock in there.
    pub waited_inside: *const u8,
    /// The thread is about to load or unload a library; the lock of the loader's that it came in with, and how often it has it.
    pub loads: bool,
    pub loader_lock: usize,
    pub loader_depth: u32,
    /// The `pthread_once` that this thread is in.
    pub once: *const crate::hooks::once::Attempt,
    /// Recording: the address of what is done once, if the thread may wait for another one to do it.
    pub awaits_once: usize,
    /// How often it yielded since its last event.
    pub yields: crate::parallel::Yields,
    /// Replay: a run of a mutex that this thread still has, of which the next owner is not told yet.
    pub run_over: RunOver,
    /// Replay: how often others needed the processor on which this thread waited for them.
    pub crowded: u32,
    /// The object of the program's own (`hooks/user.rs`) that this thread is about to wait for, and since when.
    pub user_wait: (usize, waits::Since),
    /// Calls with the usual outcome since the last other one.
    pub skipped: u64,
    /// Handlers of the program that run now, or that it has jumped out of.
    pub handlers: u8,
    pub forced_wanted: bool,
    /// The clone asked for default actions of all signals in this child.
    pub clear_handlers: bool,
    /// Timers of force and of looks (`force.rs`); 0: not made yet.
    pub timer: i32,
    pub look_timer: i32,
    pub output_last: u32,
    /// Resume point of a guarded access to the program's memory.
    pub guard: usize,
    pub clear_tid: usize,
    /// Head of the list of robust mutexes; 0 none.
    pub robust_list: usize,
    /// Signals that must get through and that the program believes to be blocked.
    pub believed_blocked: u64,
    /// The queue was full: signals wait in the kernel, and this is the mask to go back to.
    pub holds_signals: bool,
    /// Recording: handlers wait although nothing keeps signals from arriving.
    pub holds_handlers: bool,
    pub held_mask: u64,
    /// Signals that the mask of the present wait lets in, whatever the program's own mask says.
    pub let_in: u64,
    /// A vfork child: the thread whose stack and storage it uses.
    pub lender: *mut Thread,
    /// Where a vfork returns to, in both.
    pub vfork_return: u64,
    pub vfork_child: *mut Thread,
    pub vfork_number: u32,
    pub alternate_stack: usize,
    pub alternate_size: usize,
    pub queue: [Waiting; QUEUE],
    /// Room for what an exec or a bounce needs.
    pub scratch: [u8; 4096],
}

const _: () = assert!(core::mem::size_of::<Thread>() + OWN_STACK <= THREAD_WINDOW);
const _: () = assert!(core::mem::offset_of!(Thread, own_stack) == 0);
const _: () = assert!(core::mem::offset_of!(Thread, crossings) + Crossings::HOT <= 2 * 64);
const _: () = assert!(core::mem::offset_of!(Process, descriptors) <= 64);
const _: () = assert!(core::mem::size_of::<Process>() <= PROCESS_WINDOW);

#[inline(always)]
pub fn current() -> *mut Thread {
    tls::get().cast()
}

#[inline(always)]
pub fn header() -> &'static Header {
    // SAFETY: the session is mapped at this address before any hook can run and never unmapped.
    unsafe { &*(SESSION_BASE as *const Header) }
}

/// The place `offset` bytes into the session file.
#[inline(always)]
pub fn at(offset: u64) -> *mut u8 {
    (SESSION_BASE as u64 + offset) as *mut u8
}

#[inline(always)]
pub fn process_slot(id: u32) -> *mut ProcessSlot {
    at(layout::PROCESSES_OFFSET + u64::from(id) * size_of::<ProcessSlot>() as u64).cast()
}

#[inline(always)]
pub fn thread_slot(number: u32) -> *mut ThreadSlot {
    at(layout::THREADS_OFFSET + u64::from(number) * size_of::<ThreadSlot>() as u64).cast()
}

#[inline(always)]
pub fn object(number: u32) -> &'static Object {
    // SAFETY: numbers come from entries that the runtime or the verified trace made, below MAX_OBJECTS.
    unsafe {
        &*at(layout::OBJECTS_OFFSET
            + u64::from(number & (layout::MAX_OBJECTS - 1)) * size_of::<Object>() as u64)
        .cast::<Object>()
    }
}

pub const MAP_PRIVATE: usize = 2;
pub const MAP_FIXED: usize = 0x10;
pub const MAP_ANONYMOUS: usize = 0x20;
pub const MAP_NORESERVE: usize = 0x4000;

/// Maps fresh memory at a place of ours; whether it could.
///
/// # Safety
/// The place must belong to the caller: whatever is there is replaced.
pub unsafe fn map_window(address: usize, length: usize) -> bool {
    // SAFETY: the window belongs to this number alone; replacing a stale one is intended.
    let result = unsafe {
        raw::syscall6(
            9,
            address,
            length,
            3,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE,
            usize::MAX,
            0,
        )
    };
    result == address as isize
}

/// Maps a zeroed [`Thread`] for a global thread number; null when memory is out.
///
/// # Safety
/// Nobody else may use that number in this address space.
pub unsafe fn new_thread(number: u32) -> *mut Thread {
    let (address, length) = window_of(number);
    // SAFETY: as the caller says.
    if unsafe { map_window(address, length) } {
        let thread = address as *mut Thread;
        // SAFETY: just mapped.
        unsafe { (*thread).own_stack.top = address + THREAD_WINDOW };
        thread
    } else {
        core::ptr::null_mut()
    }
}

/// Where the window of a thread lies, to unmap it.
pub fn thread_window(thread: *mut Thread) -> (usize, usize) {
    (thread as usize, THREAD_WINDOW)
}

/// The same, by the thread's number.
pub fn window_of(number: u32) -> (usize, usize) {
    let address = THREADS_BASE + number as usize * THREAD_WINDOW;
    (address, THREAD_WINDOW)
}

/// Maps a zeroed [`Process`] for a process of the session; null when memory is out.
///
/// # Safety
/// Nobody else may use that number in this address space.
pub unsafe fn new_process(id: u32) -> *mut Process {
    let address = PROCESSES_BASE + id as usize * PROCESS_WINDOW;
    // SAFETY: as the caller says.
    if unsafe { map_window(address, PROCESS_WINDOW) } {
        address as *mut Process
    } else {
        core::ptr::null_mut()
    }
}

/// Gives the window of a process back (a vfork child that has gone).
///
/// # Safety
/// Nobody may use it any more.
pub unsafe fn drop_window(address: usize, length: usize) {
    // SAFETY: as the caller says.
    unsafe { raw::syscall6(11, address, length, 0, 0, 0, 0) };
}

pub fn process_window(process: *mut Process) -> (usize, usize) {
    (process as usize, PROCESS_WINDOW)
}

impl Process {
    pub fn remember_sync(&mut self, object: [usize; 3]) {
        let index = self
            .sync_count
            .fetch_add(1, core::sync::atomic::Ordering::Relaxed);
        if let Some(place) = self.sync_objects.get_mut(index as usize) {
            *place = object;
        }
    }
}

impl Thread {
    #[inline(always)]
    pub fn process(&self) -> &'static mut Process {
        // SAFETY: set before the thread pointer is published, valid as long as the thread is.
        unsafe { &mut *self.process }
    }

    #[inline(always)]
    pub fn slot(&self) -> &'static ThreadSlot {
        // SAFETY: points into the session mapping.
        unsafe { &*self.slot }
    }

    #[inline(always)]
    pub fn count_event(&mut self) {
        self.events = self.events.wrapping_add(1);
        self.crossings.begin();
        self.slot()
            .events
            .store(self.events, core::sync::atomic::Ordering::Relaxed);
    }
}

/// A counter of the session, taken once.
#[inline(always)]
pub fn take(counter: &AtomicU32) -> u32 {
    counter.fetch_add(1, core::sync::atomic::Ordering::Relaxed)
}

#[inline(always)]
pub fn take_units(counter: &AtomicU64, units: u64) -> u64 {
    counter.fetch_add(units, core::sync::atomic::Ordering::Relaxed)
}
