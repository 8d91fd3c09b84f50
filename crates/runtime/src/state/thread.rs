//! What the runtime knows about one thread, in parts: one for each room that works with it.
//!
//! The memory is zeroed when a thread is made, so every part is good when all of it is 0.

use crate::state::crossings::Crossings;
use crate::state::expected::Expected;
use crate::state::process::Process;
use crate::state::spinning::{Looks, Spun};
use crate::state::vain::Vain;
use wayfarer_entrance::arguments::Address;
use wayfarer_entrance::own_stack::OwnStack;
use wayfarer_runtime_abi::atomic::{AtomicU32, Ordering};
use wayfarer_runtime_abi::layout::{Chunk, ThreadSlot};

/// What every call looks at comes first, in two cache lines.
#[repr(C)]
pub struct Thread {
    /// The entrance knows it by its place.
    pub own_stack: OwnStack,
    pub mode: u32,
    /// One of `order::{OFF, RECORD, REPLAY}`: the process is parallel.
    pub sync: u8,
    /// Dispatch is not armed in this thread.
    pub dispatch_off: bool,
    /// Global number.
    pub number: u32,
    pub arrivals: Arrivals,
    pub process: *mut Process,
    pub slot: *const ThreadSlot,
    pub log: Log,
    pub serial: Serial,
    pub replay: Replay,
    /// Thread id as the program sees it.
    pub tid: u32,
    /// The last time that the program was told, by number of the clock.
    pub clocks: [i64; 16],
    pub parallel: Parallel,
    pub library: Library,
    pub preemption: Preemption,
    pub ending: Ending,
    /// Resume point of a guarded access to the program's memory.
    pub guard: usize,
    pub vfork: Vfork,
    pub signals: Signals,
    /// Memory for what an exec or a bounce needs.
    pub scratch: [u8; 4096],
}

/// Signals that wait in [`Signals::queue`] for an event boundary.
#[repr(C)]
pub struct Arrivals {
    /// Set while there are any; the interruptible call looks at it.
    pub pending: AtomicU32,
    pub head: AtomicU32,
    pub tail: AtomicU32,
}

/// The thread's log: where a recording goes on writing, and what both modes count.
#[repr(C)]
pub struct Log {
    /// Recording: where the log goes on, where its chunk ends, and the chunk.
    pub cursor: *mut u8,
    pub limit: *mut u8,
    pub chunk: *mut Chunk,
    pub events: u64,
    /// Running checksum of everything that the thread gave away.
    pub hash: u64,
    /// Recording: how many chunks there are.
    pub sequence: u32,
}

/// The turns of serial mode.
#[repr(C)]
pub struct Serial {
    /// The token's count of turns when this thread last had it.
    pub turn: u32,
    pub holds_token: bool,
    /// Others had their turns during the last drafted call.
    pub turn_changed: bool,
    pub crossings: Crossings,
}

/// Replay: the log that is read.
#[repr(C)]
pub struct Replay {
    /// Where it goes on.
    pub cursor: *const u8,
    pub end: *const u8,
    /// Where it goes on behind the note that the thread waits for a lock inside of libc.
    pub waited_inside: *const u8,
}

/// The order of accesses in parallel mode.
#[repr(C)]
pub struct Parallel {
    /// Mark of this thread in the state of objects.
    pub owner: u64,
    /// Calls with the usual outcome since the last other one.
    pub skipped: u64,
    /// How often the lock of the process is kept across calls.
    pub keeps: u32,
    /// Replay: an event of a parallel process has begun.
    pub in_event: bool,
    /// How often it yielded since its last event.
    pub yields: Yields,
    /// Replay: a run of a mutex that this thread still has, of which the next owner is not told yet.
    pub run_over: RunOver,
    /// Replay: how often others needed the processor on which this thread waited for them.
    pub crowded: u32,
    /// Solid replay: the last point of this thread.
    pub last_point: u32,
}

/// How often a thread yielded since its last event. Often that is a matter of time, but where it is not, handlers that
/// ran there run there again.
#[derive(Clone, Copy, Default)]
pub struct Yields {
    behind: u64,
    times: u32,
}

impl Yields {
    pub fn count(&mut self, events: u64) {
        if self.behind != events {
            *self = Yields {
                behind: events,
                times: 0,
            };
        }
        self.times = self.times.wrapping_add(1);
    }

    /// Since the event of that number.
    pub fn since(self, events: u64) -> i64 {
        if self.behind == events {
            i64::from(self.times)
        } else {
            0
        }
    }
}

/// A run of an object that is over.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct RunOver {
    pub number: u32,
    pub run: u32,
}

/// Where the thread is in libc, by way of functions that are hooked.
#[repr(C)]
pub struct Library {
    /// Nesting of uses of the heap.
    pub heap_depth: u32,
    /// Nesting of functions of libc that only one thread is in at a time.
    pub depth: u32,
    /// How deep that was before a call that may wait.
    pub waits: u32,
    /// Nesting of the loader's lock, and the lock that the thread came in with.
    pub loader_depth: u32,
    pub loader_lock: usize,
    /// The thread is about to load or unload a library.
    pub loads: bool,
    /// It is in a function of pthread's that makes a thread.
    pub makes_thread: bool,
    /// It makes, joins or ends a thread, and whoever else wants to has to wait meanwhile.
    pub holds_others_up: bool,
    /// The `pthread_once` that this thread is in.
    pub once: *const Attempt,
    /// Recording: the address of what is done once, if the thread may wait for another one to do it.
    pub awaits_once: usize,
    /// The object of the program's own (`hooks/user.rs`) that this thread is about to wait for, and since when.
    pub user_wait: (usize, Since),
}

/// A `pthread_once` that would run its routine.
pub struct Attempt {
    pub control: usize,
    pub routine: usize,
    pub outer: *const Attempt,
}

/// When a thread began to wait.
#[derive(Clone, Copy)]
pub struct Since {
    /// 0: not wanted.
    pub nanoseconds: u64,
    /// The run of the object then.
    pub run: u32,
}

/// Serial mode: how a turn is taken from a thread that does not give it away.
#[repr(C)]
pub struct Preemption {
    /// Timers of force and of looks (`signals/force.rs`); 0: not made yet.
    pub force_timer: i32,
    pub look_timer: i32,
    /// Recording: what the thread waits its turn for need not be soon.
    pub patient: bool,
    /// Recording: waits that it was woken from for nothing.
    pub vain: Vain,
    /// Recording: the last looks at a thread that makes no events.
    pub looks: Looks,
    /// Recording: what the thread did when it last gave its turn away because it waited in a loop.
    pub spun: Spun,
    /// Replay: the loop in which the turn ends.
    pub expected: Expected,
}

/// What the kernel would do at the end of the thread, and how far that end is.
#[repr(C)]
pub struct Ending {
    /// The word that becomes 0; 0 none.
    pub clear_tid: Address,
    /// Head of the list of robust mutexes; 0 none.
    pub robust_list: Address,
    /// Its last destructor has run.
    pub ends: bool,
}

/// A vfork that is under way: two threads, in two processes, with one stack.
#[repr(C)]
pub struct Vfork {
    /// In the child: the thread whose stack and storage it uses.
    pub lender: *mut Thread,
    /// Where the call returns to, in both.
    pub return_address: u64,
    /// In the parent: the child, and its global number.
    pub child: *mut Thread,
    pub number: u32,
    /// Replay, in the parent: what the call returns.
    pub result: u32,
}

/// Signals of the thread, and what it thinks of them.
#[repr(C)]
pub struct Signals {
    /// Handlers of the program that run now, or that it has jumped out of.
    pub handlers: u8,
    /// The clone asked for default actions of all signals in this child.
    pub clear_handlers: bool,
    /// The queue was full: signals wait in the kernel, and `held_mask` is the mask to go back to.
    pub holds_signals: bool,
    /// Recording: handlers wait although nothing keeps signals from arriving.
    pub holds_handlers: bool,
    pub held_mask: u64,
    /// Signals that must get through and that the program believes to be blocked.
    pub believed_blocked: u64,
    /// Signals that the mask of the present wait lets in, whatever the program's own mask says.
    pub let_in: u64,
    pub alternate_stack: usize,
    pub alternate_size: usize,
    pub queue: [Waiting; QUEUE],
}

/// Signals that can wait for an event boundary in one thread.
pub const QUEUE: usize = 128;

/// A signal that has arrived and waits for an event boundary.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Waiting {
    pub number: u32,
    pub spare: u32,
    pub information: [u64; 16],
}

const LINE: usize = 64;

const _: () = assert!(core::mem::offset_of!(Thread, own_stack) == 0);
const _: () = assert!(core::mem::offset_of!(Thread, serial.crossings) + Crossings::HOT <= 2 * LINE);

impl Thread {
    #[inline(always)]
    pub fn process(&self) -> &'static Process {
        // SAFETY: set before the thread pointer is published, and mapped for as long as a thread of the process is
        // there. All of it may be shared.
        unsafe { &*self.process }
    }

    #[inline(always)]
    pub fn slot(&self) -> &'static ThreadSlot {
        // SAFETY: points into the session mapping.
        unsafe { &*self.slot }
    }

    #[inline(always)]
    pub fn count_event(&mut self) {
        self.log.events = self.log.events.wrapping_add(1);
        self.serial.crossings.begin();
        self.slot().events.store(self.log.events, Ordering::Relaxed);
    }
}
