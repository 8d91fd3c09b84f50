//! A session, a process and a few threads to run a model with.

use crate::state::order;
use crate::state::order::{Object, State};
use crate::state::{self, Process, Thread};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use wayfarer_runtime_abi::UNIT;
use wayfarer_runtime_abi::layout::{
    ARENA_OFFSET, CHUNK_HEAD, HANDOVER_SIZE, HANDOVERS, HANDOVERS_OFFSET, Header, MODE_RECORD,
    MODE_REPLAY, SESSION_BASE, WAITERS, WAITERS_OFFSET,
};
use wayfarer_runtime_abi::record::{self, Acquire, Record};

/// Units of the arena that a run may use, and with them how much of the session there is.
const UNITS: u64 = 64;
const PROCESS: u32 = 1;

/// Models use the same session, so they run one after the other.
static SESSION: Mutex<()> = Mutex::new(());

/// The session; nobody else has it.
pub struct World {
    _only: MutexGuard<'static, ()>,
}

impl World {
    pub fn take() -> World {
        static MAPPED: Once = Once::new();
        let only = SESSION.lock().unwrap_or_else(PoisonError::into_inner);
        MAPPED.call_once(|| {
            let length = (ARENA_OFFSET + UNITS * UNIT) as usize;
            // SAFETY: nothing of a test lies there.
            assert!(unsafe { state::map_window(SESSION_BASE, length) });
        });
        World { _only: only }
    }

    /// A new run: threads of one process, numbered from 1, and a session that has not seen any.
    pub fn threads<const N: usize>(&self, follow: Follow) -> [Owned; N] {
        // SAFETY: the session is mapped, and this world is the only one that uses it.
        unsafe {
            clear::<Header>(SESSION_BASE as *mut u8, 1);
            clear::<u64>(state::at(WAITERS_OFFSET), WAITERS);
            clear::<u8>(state::at(HANDOVERS_OFFSET), HANDOVERS * HANDOVER_SIZE);
            (0..=PROCESS).for_each(|id| state::clear_process(id));
            (0..=N as u32).for_each(|number| state::clear_thread(number));
            (*(SESSION_BASE as *mut Header)).arena_units = UNITS;
            let process = state::new_process(PROCESS);
            (*process).id.set(PROCESS);
            (*process).slot.set(state::process_slot(PROCESS));
            let token = &raw const state::process_slot(PROCESS).token;
            (*process).token.set(token);
            (*process).threads.serial.set(follow.is_serial());
            (*process).threads.parallel.set(!follow.is_serial());
            (*process).threads.decided.set(true);
            core::array::from_fn(|index| Owned(new_thread(index as u32 + 1, process, follow)))
        }
    }
}

/// # Safety
/// So many of these are mapped there, and all zero is one.
unsafe fn clear<T>(place: *mut u8, count: usize) {
    // SAFETY: as the caller says.
    unsafe { place.write_bytes(0, count * size_of::<T>()) };
}

/// # Safety
/// The session and the process are mapped, and no other thread has that number.
unsafe fn new_thread(number: u32, process: *mut Process, follow: Follow) -> *mut Thread {
    // SAFETY: as the caller says.
    unsafe {
        let thread = state::new_thread(number);
        (*thread).number = number;
        (*thread).process = process;
        (*thread).slot = state::thread_slot(number);
        (*thread).slot().process.set(PROCESS);
        (*thread).parallel.owner = order::owner_of(number);
        (*thread).mode = follow.mode();
        (*thread).sync = match follow {
            Follow::RecordParallel => order::RECORD,
            Follow::ReplayParallel => order::REPLAY,
            Follow::RecordSerial | Follow::ReplaySerial => order::OFF,
        };
        thread
    }
}

/// How the threads of a run are followed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Follow {
    RecordParallel,
    ReplayParallel,
    RecordSerial,
    ReplaySerial,
}

impl Follow {
    fn is_serial(self) -> bool {
        matches!(self, Follow::RecordSerial | Follow::ReplaySerial)
    }

    fn mode(self) -> u32 {
        match self {
            Follow::RecordParallel | Follow::RecordSerial => MODE_RECORD,
            Follow::ReplayParallel | Follow::ReplaySerial => MODE_REPLAY,
        }
    }
}

/// A thread of a run, for the one who plays it.
#[derive(Clone, Copy)]
pub struct Owned(*mut Thread);

// SAFETY: one thread of the model plays it, and the check looks at it when that is done.
unsafe impl Send for Owned {}
// SAFETY: as above.
unsafe impl Sync for Owned {}

impl Owned {
    /// The thread itself: for the one who plays it, and for the check afterwards.
    #[expect(
        clippy::mut_from_ref,
        reason = "as long as each is played by one thread"
    )]
    pub fn get(&self) -> &mut Thread {
        // SAFETY: mapped until the next run begins.
        unsafe { &mut *self.0 }
    }

    /// Replay: gives the thread its log, which is kept for good.
    pub fn reads(self, log: Vec<u8>) {
        let log = log.leak().as_ptr_range();
        (self.get().replay.cursor, self.get().replay.end) = (log.start, log.end);
    }

    /// Recording: the log that the thread has written.
    pub fn log(self) -> Vec<Line> {
        let chunk = self.get().log.chunk;
        if chunk.is_null() {
            return Vec::new();
        }
        // SAFETY: the thread has written so much into its only chunk.
        let mut bytes = unsafe {
            assert_eq!((*chunk).sequence, 0, "the log has one chunk");
            let length = (*chunk).committed.load(order_of_checks()) as usize;
            core::slice::from_raw_parts(chunk.cast::<u8>().add(CHUNK_HEAD as usize), length)
        };
        let mut lines = Vec::new();
        while !bytes.is_empty() {
            let record = record::read(bytes).expect("the log can be read");
            lines.push(Line::of(&record));
            bytes = &bytes[record.length..];
        }
        lines
    }
}

fn order_of_checks() -> wayfarer_runtime_abi::atomic::Ordering {
    wayfarer_runtime_abi::atomic::Ordering::SeqCst
}

/// A record, as far as models look at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub tag: u8,
    pub number: u64,
    pub check: u8,
    pub value: i64,
    pub payload: Vec<u8>,
    /// The length that an `ACQUIRE` tells.
    pub run_length: u64,
}

impl Line {
    fn of(record: &Record<'_>) -> Line {
        Line {
            tag: record.tag,
            number: record.number,
            check: record.check,
            value: record.value,
            payload: record.payload.to_vec(),
            run_length: record.run_length(),
        }
    }
}

/// The `ACQUIRE` of a replay's log: it tells the length of the run that it begins.
pub fn acquire(object: u64, run: u64, length: u8) -> Vec<u8> {
    let begun = Acquire {
        reads: false,
        object,
        run,
        length: u64::from(length),
    };
    begun.encode().to_vec()
}

/// A state, where threads of a run find it.
pub fn new_state() -> &'static State {
    Box::leak(Box::new(State::new()))
}

pub fn object(kind: u8, reads: bool) -> Object {
    Object {
        kind,
        shared: false,
        address: 0,
        place: 0,
        stays: true,
        reads,
    }
}

/// A run of one object: who, and how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    pub thread: u32,
    pub reads: bool,
    pub length: u64,
}

/// The runs of an object as the logs of its threads tell them, in their order. `word`: its state at the end.
pub fn runs_of(threads: &[Owned], number: u64, word: u64) -> Vec<Run> {
    let mut begun = BTreeMap::new();
    for thread in threads {
        for line in thread.log() {
            let is_acquire = matches!(line.tag, record::ACQUIRE | record::ACQUIRE_READ);
            if is_acquire && line.number == number {
                let reads = line.tag == record::ACQUIRE_READ;
                let began = (thread.get().number, reads, line.run_length);
                let twice = begun.insert(line.value, began);
                assert!(twice.is_none(), "run {} begins twice", line.value);
            }
        }
    }
    let lengths = begun.values().skip(1).map(|(_, _, before)| *before);
    let lengths: Vec<u64> = lengths.chain([word & order::COUNT]).collect();
    for (index, run) in begun.keys().enumerate() {
        assert_eq!(*run, index as i64 + 1, "runs are counted from 1");
    }
    let runs = begun.values().zip(lengths);
    runs.map(|((thread, reads, _), length)| Run {
        thread: *thread,
        reads: *reads,
        length,
    })
    .collect()
}

/// Who accessed the object, one access after the other.
pub fn accesses_of(runs: &[Run]) -> Vec<u32> {
    let each = runs.iter();
    each.flat_map(|run| vec![run.thread; run.length as usize])
        .collect()
}

/// A lock of the program's, which knows nothing of the runtime.
#[derive(Default)]
pub struct Lock(wayfarer_runtime_abi::atomic::AtomicU32);

impl Lock {
    pub fn lock(&self) {
        use wayfarer_runtime_abi::atomic::{Ordering, spin_loop};
        while self.0.swap(1, Ordering::AcqRel) != 0 {
            spin_loop();
        }
    }

    pub fn unlock(&self) {
        self.0
            .store(0, wayfarer_runtime_abi::atomic::Ordering::Release);
    }

    pub fn word(&self) -> usize {
        core::ptr::from_ref(&self.0) as usize
    }
}
