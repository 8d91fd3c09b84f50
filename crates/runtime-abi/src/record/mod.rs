//! Records of a thread's log.
//!
//! A log is a sequence of records without padding. Every record starts with a tag byte; bit 7 says
//! that a payload (length as varint, then bytes) ends the record. The fields in between:
//!
//! | tag | fields | meaning |
//! | --- | --- | --- |
//! | `SYSCALL` | nr varint, check u8, result zigzag | a call with its result; payload: what it wrote |
//! | `SEND` | nr varint, check u8, length varint | bytes given to a stream of the set; written *before* the call; result = length unless a `RESULT` follows (at the end of a log: [`UNENDED`]) |
//! | `RESULT` | result zigzag | the real result of the record before it (a `TURN` may stand between them) |
//! | `RECEIVE` | nr varint, check u8, count varint | bytes taken from a stream of the set, not their contents |
//! | `TURN` | turn varint | the thread took the token of its serial domain; payload: domain switch |
//! | `SIGNAL` | number varint, place u8, flags zigzag | a handler ran; payload: the siginfo |
//! | `START` | – | a program image began; payload as in [`start`] |
//! | `YIELD` | – | the token was taken from a thread that kept it for long; payload, where that was between two events: crossings since the last event × 4, + 1 if it was at the next one, + 2 if the thread waited in a loop of its own, which follows |
//! | `NOTE` | code varint, check 0, value zigzag | a warning; payload: text |
//! | `EXIT` | nr varint, check u8, code zigzag | exit or exit_group; check covers all output of the thread |
//! | `OUTPUT` | nr varint, check u8, length varint | bytes written to the session's own output; payload: turn as varint; as `SEND` otherwise |
//! | `ACQUIRE` | object varint, length u8, run varint | a thread began a run of a sync object: see [`sync`] |
//! | `OUTCOME` | skipped varint, 0, result zigzag | a try, a timed wait or its like gave this result, after that many calls of this kind with the usual one (0) |
//! | `OBJECT` | object varint, kind u8, detail zigzag | a sync object got its number; detail: how many threads a barrier waits for, or how many began what is done once and gave it up, else 0; payload: its address and the place in the code that made it, 8 bytes each |
//! | `FINAL` | object varint, 0, length varint | length of the last run of a sync object |
//! | `THREADS` | mode varint, reason u8, value zigzag | the process gets its second thread; from now on it is serial (0) or parallel (1); reason: [`threads`] |
//! | `ACQUIRE_READ` | object varint, length u8, run varint | the same for a run of a reader, who lets other readers in |
//! | `WAIT` | object varint, scale u8, count varint | the acquisition noted last of that object had to wait: see [`crate::wait`] |
//! | `POSTS` | object varint, 0, count varint | so many accesses of the run that ends with the next `ACQUIRE` or `FINAL` of that semaphore were posts |
//! | `CLOCK`+id | delta zigzag | a clock read; nanoseconds since the thread's last read of that clock |
//!
//! The check byte of a call is a checksum of its scalar arguments and of the strings and bytes that
//! it passes to the kernel; see the runtime's `check` module. Counted as events: every tag but
//! `RESULT`, `TURN`, `START`, `YIELD`, `NOTE` and those of sync objects.

use crate::encode::{unzigzag, zigzag};

mod head;
mod payload;
mod read;

pub use head::{Encoded, Head, close};
pub use payload::{Acquire, Birth, Child};
pub use read::{BadRecord, Record, read, read_rest};

pub const SYSCALL: u8 = 0x01;
pub const SEND: u8 = 0x02;
pub const RESULT: u8 = 0x03;
pub const RECEIVE: u8 = 0x04;
pub const TURN: u8 = 0x05;
pub const SIGNAL: u8 = 0x06;
pub const START: u8 = 0x07;
pub const YIELD: u8 = 0x08;
pub const NOTE: u8 = 0x09;
pub const EXIT: u8 = 0x0a;
pub const OUTPUT: u8 = 0x0b;
pub const ACQUIRE: u8 = 0x0c;
pub const OUTCOME: u8 = 0x0d;
pub const OBJECT: u8 = 0x0e;
pub const FINAL: u8 = 0x0f;
pub const THREADS: u8 = 0x10;
pub const ACQUIRE_READ: u8 = 0x11;
pub const WAIT: u8 = 0x12;
pub const POSTS: u8 = 0x13;
/// `CLOCK + id` for clock ids 0 to 15.
pub const CLOCK: u8 = 0x40;
pub const CLOCK_LAST: u8 = 0x4f;
/// Pseudo clock ids: `gettimeofday` and `time`, which have their own resolution.
pub const CLOCK_GETTIMEOFDAY: u8 = 12;
pub const CLOCK_TIME: u8 = 13;
/// `getcpu` through the vDSO; the "delta" is cpu + node × 2^16.
pub const CLOCK_GETCPU: u8 = 14;
/// The time-stamp counter, in ticks.
pub const CLOCK_COUNTER: u8 = 15;
pub const PAYLOAD: u8 = 0x80;

/// Which fields stand between the tag of a record and its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fields {
    /// Number, check byte, value.
    Call,
    /// A value alone; of a turn: its number.
    Value,
    Nothing,
}

/// Which fields a tag has; `None`: there is no such tag.
#[inline(always)]
pub const fn fields(tag: u8) -> Option<Fields> {
    match tag {
        SYSCALL | NOTE | EXIT | SIGNAL | SEND | RECEIVE | OUTPUT | ACQUIRE..=POSTS => {
            Some(Fields::Call)
        }
        RESULT | TURN | CLOCK..=CLOCK_LAST => Some(Fields::Value),
        START | YIELD => Some(Fields::Nothing),
        _ => None,
    }
}

/// Whether the value of a record is never below zero: a length, a count, a run, a turn.
#[inline(always)]
const fn is_count(tag: u8) -> bool {
    matches!(
        tag,
        SEND | RECEIVE | OUTPUT | TURN | ACQUIRE | FINAL | ACQUIRE_READ | WAIT | POSTS
    )
}

/// A value as it stands in the log, before it becomes a varint.
#[inline(always)]
pub const fn coded(tag: u8, value: i64) -> u64 {
    if is_count(tag) {
        value as u64
    } else {
        zigzag(value)
    }
}

/// The value that stands so in the log.
#[inline(always)]
pub const fn decoded(tag: u8, coded: u64) -> i64 {
    if is_count(tag) {
        coded as i64
    } else {
        unzigzag(coded)
    }
}

/// Whether records of this tag are counted as events.
#[inline(always)]
pub const fn is_event(tag: u8) -> bool {
    !matches!(tag, RESULT | TURN | START | YIELD | NOTE | ACQUIRE..=POSTS)
}

/// Whether records of this tag begin a run of a sync object.
#[inline(always)]
pub const fn is_acquire(tag: u8) -> bool {
    matches!(tag, ACQUIRE | ACQUIRE_READ)
}

/// Where a signal handler ran, relative to the event that follows or precedes it in the log.
pub mod place {
    /// Before the next event, at the moment when the thread asked for it. In a parallel process the value says how many
    /// calls with the usual outcome the thread had made since its last `OUTCOME`.
    pub const ENTRY: u8 = 0;
    /// Right after the event before, before the program saw its result. See [`exit`].
    pub const EXIT: u8 = 1;
    /// Somewhere in between, by force.
    pub const FORCED: u8 = 2;
    /// Within the next event: the call was interrupted, the handler ran, and it was made again.
    pub const RESTART: u8 = 3;
    /// In a call that only yields the processor, which is no event of a parallel process; value: the how manieth of
    /// those since the event before.
    pub const YIELD: u8 = 4;
    /// While the thread waited for another one to do what is done once; value: the address of that.
    pub const ONCE: u8 = 5;

    /// The event before may be the last one that a handler made, and this the exit of the call that the handler
    /// interrupted: so it says how many handlers were running.
    pub const fn exit(handlers: u8) -> u8 {
        EXIT | (if handlers < 15 { handlers } else { 15 }) << 4
    }

    /// One of the constants above.
    pub const fn kind(place: u8) -> u8 {
        place & 15
    }
}

/// Value of a `RESULT` behind a `SEND` or `OUTPUT` that a signal interrupted before any byte went out:
/// the handler follows (place `RESTART`), then the same call again.
pub const RESTARTED: i64 = -512;

/// Value of a `RESULT` at the end of a log: the call before it had not come back when the recording ended.
pub const UNENDED: i64 = -513;

/// The same, but all that was asked for was written: the thread waited for its turn.
pub const WENT_OUT: i64 = -514;

/// Those records.
pub const UNENDED_RESULT: [u8; 3] = result_of(UNENDED);
pub const WENT_OUT_RESULT: [u8; 3] = result_of(WENT_OUT);
const _: () = assert!(UNENDED_RESULT[2] == WENT_OUT_RESULT[2]);

const fn result_of(value: i64) -> [u8; 3] {
    let record = Head::result(value).encode();
    assert!(record.length == 3);
    [record.bytes[0], record.bytes[1], record.bytes[2]]
}

/// Codes of `NOTE`.
pub mod note {
    /// A system call that we do not know; value: its number.
    pub const UNKNOWN_CALL: u64 = 1;
    /// A static, setuid or foreign program was started; payload: its path.
    pub const OPAQUE_PROGRAM: u64 = 2;
    /// An ioctl whose outputs we do not know; value: its number.
    pub const UNKNOWN_IOCTL: u64 = 3;
    /// io_uring or kernel AIO was asked for and refused.
    pub const REFUSED_ASYNC_IO: u64 = 4;
    /// No Syscall User Dispatch here: calls outside patched sites go unseen.
    pub const NO_DISPATCH: u64 = 5;
    /// No site of libc could be patched (unknown build); payload: its path.
    pub const NOT_PATCHED: u64 = 6;
    /// A clone that shares memory but neither waits nor is a thread: it runs unseen.
    pub const UNSEEN_CLONE: u64 = 7;
    /// A file was mapped shared and writable: other programs' stores into it go unseen.
    pub const SHARED_FILE: u64 = 8;
    /// A signal handler was run by force; its place in a replay is approximate.
    pub const FORCED_SIGNAL: u64 = 9;
    /// No warning: all calls were patched, so dispatch was switched off.
    pub const DISPATCH_OFF: u64 = 10;
    /// No warning: the next thread that this one makes begins with the function at this address (the value).
    pub const THREAD_ROUTINE: u64 = 11;
    /// A process that ran in parallel already loaded a library that would have made it serial; value: why, one of
    /// [`super::threads`]; payload: its path.
    pub const LATE_LIBRARY: u64 = 12;
    /// No warning: the program loaded a library that cancels threads, so calls are left to libc's own functions from
    /// here on. A replay acts on it.
    pub const CALLS_BY_LIBC: u64 = 13;
    /// No warning: in a function of libc that only one thread is in at a time, this one waited for a lock and let others
    /// in; now it is in again, as the record before tells. A replay acts on it.
    pub const LET_IN: u64 = 14;
    /// No warning: it begins to wait there. If it is the last record, the process ended meanwhile.
    pub const WAITS_INSIDE: u64 = 15;
    /// A process that ran in parallel already came to do what would have made it serial; value: what, one of
    /// [`super::threads`].
    pub const LATE_REASON: u64 = 16;

    /// Whether it is something that the user should know before a replay.
    pub const fn is_warning(code: u64) -> bool {
        !matches!(
            code,
            DISPATCH_OFF | THREAD_ROUTINE | CALLS_BY_LIBC | LET_IN | WAITS_INSIDE
        )
    }
}

/// Sync objects: locks and their like, whose order of accesses is recorded in parallel mode.
///
/// The accesses of an object form *runs*: a run is a number of accesses by one thread with none by
/// another in between, all of them a reader's or all a writer's. Runs are counted from 1. The thread
/// that begins a run writes an `ACQUIRE` or `ACQUIRE_READ` with the number of the run; its length byte (and, from [`sync::LONG`] on, a varint as payload) tells how long
/// the run *before* was, because only then it is known. For a replay the host puts the length of the
/// run itself in its place; 0 stands for a run that never ended.
pub mod sync {
    /// The length is in the payload.
    pub const LONG: u8 = 255;
    /// Kinds of objects.
    pub const EVENTS: u8 = 0;
    pub const MUTEX: u8 = 1;
    pub const RWLOCK: u8 = 2;
    pub const SEMAPHORE: u8 = 3;
    pub const SPINLOCK: u8 = 4;
    pub const ONCE: u8 = 5;
    pub const STREAM: u8 = 6;
    pub const HEAP: u8 = 7;
    pub const RANDOM: u8 = 8;
    pub const USER: u8 = 9;
    pub const BARRIER: u8 = 10;
    pub const CONDITION: u8 = 11;
    pub const THREADS: u8 = 12;
    pub const FORKS: u8 = 13;
    pub const LIBRARY: u8 = 14;
    /// Bytes of the payload of an `OBJECT`: address, place.
    pub const OBJECT_PAYLOAD: usize = 16;
}

/// Why the threads of a process are recorded as they are (`THREADS`).
pub mod threads {
    pub const SERIAL: u64 = 0;
    pub const PARALLEL: u64 = 1;
    /// The user said so.
    pub const ASKED: u8 = 1;
    /// Every synchronisation that we found goes through pthread functions.
    pub const ALL_VISIBLE: u8 = 2;
    /// It imports `syscall`, as Rust's std and hand-made locks do; value: 0.
    pub const OWN_FUTEX: u8 = 3;
    /// Its code has many atomic operations; value: how many.
    pub const ATOMICS: u8 = 4;
    /// Its code waits in loops by hand (`pause`); value: how many places.
    pub const SPINS: u8 = 5;
    /// It uses a library that synchronises by hand (OpenMP and its like).
    pub const LIBRARY: u8 = 6;
    /// It shares memory with other processes.
    pub const SHARED_MEMORY: u8 = 7;
    /// It takes no lock of pthread's at all, yet has threads.
    pub const NO_LOCKS: u8 = 8;
    /// A function that it needs was not found in its libc.
    pub const UNKNOWN_LIBC: u8 = 9;
    /// It cancels threads.
    pub const CANCELS: u8 = 10;
    /// A replay of an earlier recording in parallel diverged by a race.
    pub const RACED: u8 = 11;
    /// Threads of libc's own work for it, with locks that nobody sees.
    pub const THREADS_OF_LIBC: u8 = 12;
}

/// Payload of a `START` record: fields, each a varint length and bytes, in this order: executable
/// path (of the ELF file, never of a script), working directory, the kernel's AT_EXECFN, arguments
/// (zero terminated strings, as the kernel laid them out), environment (the same, without ours),
/// modules, the 16 bytes behind AT_RANDOM. Modules: for each a zero terminated path, load address (8 bytes, little endian), length
/// of build id (1 byte), build id. A module with an empty path is the vDSO or nameless.
///
/// A replay executes the executable path itself with these arguments and this environment, so that
/// scripts, PATH and working directories need not exist. The stack keeps its shape because the
/// padding of [`crate::SESSION_VARIABLE`] makes up for the difference between AT_EXECFN and the path:
/// `BASE_PADDING + length of AT_EXECFN - length of executable path` dots.
pub mod start {
    pub const FIELDS: usize = 7;
    pub const EXECUTABLE: usize = 0;
    pub const WORKING_DIRECTORY: usize = 1;
    pub const EXECFN: usize = 2;
    pub const ARGUMENTS: usize = 3;
    pub const ENVIRONMENT: usize = 4;
    pub const MODULES: usize = 5;
    pub const RANDOM: usize = 6;
}

/// Payload of the record of a fork, vfork, clone or clone3, which is written before the call and has a
/// `RESULT` behind it: process id of the session (equal to the caller's own for a thread) and global
/// thread number, 4 bytes each, little endian.
pub const CLONE_PAYLOAD: usize = 8;

/// Payload of an execve or execveat record, written before the call: one byte of [`exec`] flags, the
/// number of surviving tracked descriptors (4 bytes), for each descriptor and entry (4 + 4 bytes), and
/// the path as the program gave it. The call failed if a `RESULT` follows.
pub mod exec {
    /// The program cannot carry the runtime: static, setuid, another architecture.
    pub const OPAQUE: u8 = 1;
}

/// Payload of a successful pipe, socketpair, accept or connect record: what the call wrote, and behind
/// it the number of the object (4 bytes; 0: not tracked).
pub const OBJECT_SUFFIX: usize = 4;

#[cfg(test)]
mod tests;
