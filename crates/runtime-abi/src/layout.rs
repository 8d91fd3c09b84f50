//! What lies where in the session file.
//!
//! Every process maps it, and so does the host. So each field that changes while the debuggee runs is an atomic or a
//! [`Word`]; plain fields are filled in before it starts. A chunk belongs to one thread.

use crate::atomic::{AtomicU16, AtomicU32, AtomicU64};
use crate::word::Word;

/// Every process maps the session file here: far from the heap, the libraries and the stack.
pub const SESSION_BASE: usize = 0x2000_0000_0000;
/// Size of the session file (sparse) and of its mapping.
pub const SESSION_SIZE: u64 = 256 << 30;

pub const MAGIC: u64 = u64::from_le_bytes(*b"WAYFARER");

pub const HEADER_OFFSET: u64 = 0;
/// Replay with [`flags::SOLID`]: the delays ([`Delay`]) of all processes, sorted by process and point.
pub const DELAYS_OFFSET: u64 = 0x1000;
pub const MAX_DELAYS: usize = 2048;
/// Replay with [`flags::SOLID`]: the last points ([`Delay`] without a delay) behind which a thread ran until it
/// had to wait; entry `n` is at `n % MAX_TURN_ENDS`.
pub const TURN_ENDS_OFFSET: u64 = 0x5000;
pub const MAX_TURN_ENDS: usize = 1536;
/// Replay: who sleeps until which run of which object is over; 8 bytes for each entry.
pub const WAITERS_OFFSET: u64 = 0x8000;
pub const WAITERS: usize = 2048;
/// Replay: a word for all objects whose numbers leave the same rest; it changes whenever a run of one is over. Each has
/// a line of memory to itself.
pub const HANDOVERS_OFFSET: u64 = 0xc000;
pub const HANDOVERS: usize = 256;
pub const HANDOVER_SIZE: usize = 64;
pub const PROCESSES_OFFSET: u64 = 0x0001_0000;
pub const MAX_PROCESSES: u32 = 65_536;
/// The numbers behind these are for processes and threads that are made when recording has stopped for want of numbers.
pub const RECORDED_PROCESSES: u32 = MAX_PROCESSES - 4096;
pub const RECORDED_THREADS: u32 = MAX_THREADS - 65_536;
pub const OBJECTS_OFFSET: u64 = 0x0300_0000;
pub const MAX_OBJECTS: u32 = 262_144;
pub const CONNECTIONS_OFFSET: u64 = 0x0500_0000;
pub const MAX_CONNECTIONS: u32 = 65_536;
pub const SITES_OFFSET: u64 = 0x0600_0000;
pub const SITES_SIZE: u64 = 0x0100_0000;
/// Modules that were looked through for reads of the time-stamp counter ([`CounterModule`]).
pub const COUNTERS_OFFSET: u64 = 0x0700_0000;
pub const COUNTER_MODULES: usize = 2048;
pub const THREADS_OFFSET: u64 = 0x0800_0000;
pub const MAX_THREADS: u32 = 1_048_576;
pub const ARENA_OFFSET: u64 = 0x0c00_0000;

pub const MODE_RECORD: u32 = 1;
pub const MODE_REPLAY: u32 = 2;

/// Bits of [`Header::flags`]. The recipes are those of `docs/interception.md`.
pub mod flags {
    /// Log every received byte, not only those that come from outside the set.
    pub const CONTENTS_ALL: u32 = 1;
    /// Do not patch `syscall` sites (ablation, or the user's wish): dispatch only.
    pub const NO_PATCH: u32 = 2;
    /// Do not patch the vDSO: clocks go unseen (ablation).
    pub const NO_VDSO: u32 = 4;
    /// Replay only the processes whose slot carries [`super::process_flags::WANTED`].
    pub const ONLY: u32 = 8;
    /// Ablation of recipe R6: leave SIGSYS in the masks that the program sets.
    pub const NO_MASK_STRIP: u32 = 16;
    /// Ablation of recipe R10: do not arm dispatch again in children and threads.
    pub const NO_REARM: u32 = 32;
    /// Ablation of recipe R5: leave libc's signal restorer in place.
    pub const NO_RESTORER: u32 = 64;
    /// Ablation of recipe R12: do not put the runtime back into the environment of an exec.
    pub const NO_ENVIRONMENT: u32 = 128;
    /// Ablation: do not arm Syscall User Dispatch at all.
    pub const NO_DISPATCH: u32 = 256;
    /// Ablation of recipe R13: install the program's seccomp filters as they are.
    pub const NO_FILTER_PREFIX: u32 = 512;
    /// Ablation of recipe R14: let a bad pointer of the program fault in our own code.
    pub const NO_GUARD: u32 = 1024;
    /// The user asks for serial or parallel recording of threads; neither: each process as it fits.
    pub const SERIAL: u32 = 2048;
    pub const PARALLEL: u32 = 4096;
    /// Replay: threads step aside for a random while before they begin a run (`--retry`).
    pub const PERTURB: u32 = 8192;
    /// Replay: the threads of a parallel process run one at a time under a fixed rule that
    /// [`super::Delay`]s vary.
    pub const SOLID: u32 = 16384;
    /// Ablation of recipe R9: start a child with a new stack without our frame on it.
    pub const NO_CHILD_FRAME: u32 = 1 << 15;
    /// Ablation of recipe R11: make a vfork from our frames like any fork.
    pub const NO_VFORK: u32 = 1 << 16;
    /// Ablation of recipe R17: catch dispatched calls on the program's own stack.
    pub const NO_ALTERNATE_STACK: u32 = 1 << 17;
    /// Ablation of recipe R18: start after the other libraries. For the host, which marks the library.
    pub const NO_EARLY_START: u32 = 1 << 18;
}

/// The token of a serial domain: whoever holds it runs. `turn` counts the changes of owner.
#[repr(C)]
pub struct Token {
    /// Global thread number of the last owner, plus one. Zero: nobody yet.
    pub owner: AtomicU32,
    /// 0 free, 1 held, 2 held and somebody waits (futex word while recording).
    pub state: AtomicU32,
    /// Number of changes of owner so far; in a replay: the turn that may run (futex word).
    pub turn: AtomicU32,
    /// Recording: after how many microseconds a waiting thread looks at the owner; 0: not known yet.
    pub look_us: AtomicU16,
    /// Recording: threads that waited for others in a loop, and now sleep until the next turn (`turn` is their futex word).
    pub nappers: AtomicU16,
}

#[repr(C)]
pub struct Header {
    pub magic: AtomicU64,
    pub abi_version: u32,
    pub mode: u32,
    pub flags: u32,
    /// Recorder's or replayer's process id, to be told about trouble.
    pub host_pid: u32,
    /// Next free unit of the arena.
    pub arena_next: AtomicU64,
    /// Units that exist.
    pub arena_units: u64,
    pub next_process: AtomicU32,
    pub next_thread: AtomicU32,
    pub next_object: AtomicU32,
    /// A [`crate::Broken`] as number: recording stopped there.
    pub broken: AtomicU32,
    /// System error behind `broken`, where there is one.
    pub broken_errno: AtomicU32,
    /// Counts calls that came through dispatch instead of a patched site.
    pub dispatch_traps: AtomicU32,
    /// Futex lock around writes to the standard output and error that the session inherited.
    pub output_lock: AtomicU32,
    /// Number of such writes; in a replay: the number of the write that may go next.
    pub output_turn: AtomicU32,
    /// The domain of all processes that share memory with each other.
    pub shared_domain: Token,
    /// Replay: 0 go on; anything else: somebody diverged or the host gave up, park.
    pub stop: AtomicU32,
    /// Counts connects that are on their way and not yet in the connection table.
    pub connects_pending: AtomicU32,
    /// Replay: last byte that was written to the standard output, plus 256; 0: none was.
    pub output_tail: AtomicU32,
    /// Number of the newest sync object.
    pub next_sync: AtomicU32,
    /// Wall clock when the session began, nanoseconds since 1970.
    pub start_realtime_ns: u64,
    /// Replay with [`flags::SOLID`]: number of delays.
    pub solid_delays: u32,
    /// Replay with [`flags::SOLID`]: turns that ended because the thread had to wait.
    pub solid_turn_ends: AtomicU32,
    /// Replay: the thread that the host holds back before one of its events; 0: none.
    pub held_thread: AtomicU32,
    /// Replay: changes whenever the host holds back otherwise (futex word of that thread).
    pub held_changes: AtomicU32,
    /// Replay: so many events it may make.
    pub held_events: AtomicU64,
    /// Replay: writes to the output with smaller numbers are not shown: they were, when this stretch was replayed before.
    pub shown_before: AtomicU32,
    pub spare: u32,
    /// Recording: programs that raced ([`race_key`]); 0: no more.
    pub raced: [u64; MAX_RACED],
    pub divergence: Divergence,
}

/// Programs that raced of which a recording is told.
pub const MAX_RACED: usize = 256;

/// What stands for a program that raced: the beginning of its build id; `None` for one that has none.
pub fn race_key(build_id: &[u8]) -> Option<u64> {
    let start = build_id.first_chunk()?;
    Some(u64::from_le_bytes(*start)).filter(|key| *key != 0)
}

/// Solid replay: behind an access of a parallel process, the *point*, the thread steps aside for a while.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Delay {
    /// Accesses of the process before this one, since it has threads.
    pub point: u32,
    pub process: u16,
    /// So many accesses of other threads come first, if they can; 0: as many as can.
    pub others: u16,
}

/// What a replaying thread met that its log did not promise. Written once, by the first.
#[repr(C)]
pub struct Divergence {
    /// 0 none, 1 being written, 2 complete (set last).
    pub state: AtomicU32,
    /// One of [`divergence`].
    pub kind: Word<u32>,
    pub process: Word<u32>,
    pub thread: Word<u32>,
    /// Number of the event in that thread, counted from zero.
    pub event: Word<u64>,
    /// Promised record: tag, call number, check byte, result. Tag 0: the log had ended.
    pub promised_tag: Word<u32>,
    pub promised_check: Word<u32>,
    pub promised_nr: Word<i64>,
    pub promised_result: Word<i64>,
    /// What came: call number (or -1), check byte, arguments.
    pub came_nr: Word<i64>,
    pub came_check: Word<u32>,
    pub spare: Word<u32>,
    pub came_arguments: [Word<u64>; 6],
    /// Free words whose meaning depends on `kind` (addresses, sizes, an errno).
    pub detail: [Word<u64>; 4],
    /// A path or other text, zero padded.
    pub text: [Word<u8>; 128],
}

pub mod divergence {
    /// Another system call (or clock read, or exit) than promised.
    pub const OTHER_CALL: u32 = 1;
    /// The same call with other arguments.
    pub const OTHER_ARGUMENTS: u32 = 2;
    /// The same write with other bytes.
    pub const OTHER_OUTPUT: u32 = 3;
    /// A memory mapping could not be placed where it was; detail: address, length, errno.
    pub const OTHER_MEMORY: u32 = 4;
    /// A mapped file or the program is not the recorded one; text: path.
    pub const OTHER_FILE: u32 = 5;
    /// A fault (SIGSEGV …) that the recording did not have; detail: signal, address, instruction.
    pub const FAULT: u32 = 6;
    /// A program could not be started again; detail: errno; text: path.
    pub const EXEC_FAILED: u32 = 7;
    /// A fork or clone failed in the replay; detail: errno.
    pub const CLONE_FAILED: u32 = 8;
    /// The loaded modules lie elsewhere or are others; text: name of the first that differs.
    pub const OTHER_MODULES: u32 = 9;
    /// Another access to a sync object than promised; detail: object that came (0: a new one), its
    /// address, object promised, its run.
    pub const OTHER_SYNC: u32 = 10;
}

/// States of a process.
pub mod process_state {
    pub const FREE: u32 = 0;
    pub const RUNNING: u32 = 1;
    /// It left by exit or exit_group; `status` holds the code.
    pub const EXITED: u32 = 2;
    /// Its log ended without an exit (killed, or the trace was cut).
    pub const ENDED: u32 = 3;
    /// It became a program that we cannot follow (static, setuid …).
    pub const OPAQUE: u32 = 4;
    /// Replay: not started because it is not wanted (`--only`).
    pub const SKIPPED: u32 = 5;
}

pub mod process_flags {
    /// Replay with `--only`: run this one.
    pub const WANTED: u32 = 1;
    /// It shares memory with another process: it uses [`super::Header::shared_domain`].
    pub const SHARED_DOMAIN: u32 = 2;
}

/// One process; the index is the stable id of the process in the session (the root is 1).
#[repr(C)]
pub struct ProcessSlot {
    /// One of [`process_state`]; futex word in a replay.
    pub state: AtomicU32,
    pub parent: Word<u32>,
    /// Process id as the program saw it while recording.
    pub pid: Word<u32>,
    /// Process id now.
    pub real_pid: AtomicU32,
    pub flags: AtomicU32,
    pub status: AtomicU32,
    /// Global number of its first thread.
    pub main_thread: Word<u32>,
    pub threads_live: AtomicU32,
    pub threads_parked: AtomicU32,
    /// How its recording ended, filled in by the host for a replay: wait status as wait4 gives it,
    /// with bit 31 set when known.
    pub end_status: Word<u32>,
    pub token: Token,
    /// Thread that made the last exec, and goes on as the first thread of the new image; 0 none.
    pub image_thread: Word<u32>,
    /// One of [`dispatch_state`].
    pub dispatch: AtomicU32,
    pub execs: AtomicU32,
    /// Number of entries in `survivors`.
    pub survivors_count: Word<u32>,
    pub name: [Word<u8>; 32],
    /// Tracked descriptors that survive an exec, for the next program image: descriptor, entry.
    pub survivors: [[Word<u32>; 2]; 19],
}

/// Whether a process may do without Syscall User Dispatch (`ProcessSlot::dispatch`).
pub mod dispatch_state {
    pub const IDLE: u32 = 0;
    /// The process wants to know.
    pub const ASKED: u32 = 1;
    /// The host found no `syscall` in its code but patched ones.
    pub const SILENT: u32 = 2;
    /// There are others.
    pub const LOUD: u32 = 3;
}

/// Why a replaying thread waits (`ThreadSlot::waiting`); the host looks at it to find a standstill.
pub mod waiting {
    pub const NO: u32 = 0;
    /// For bytes of a stream; argument: object × 2 + direction.
    pub const STREAM: u32 = 1;
    /// For its turn in its serial domain; argument: turn.
    pub const TURN: u32 = 2;
    /// For its turn to write to the shared output; argument: number.
    pub const OUTPUT: u32 = 3;
    /// For the end of a child; argument: process.
    pub const CHILD: u32 = 4;
    /// Its log is at its end: nothing more will come.
    pub const END: u32 = 5;
    /// The session stopped.
    pub const STOPPED: u32 = 6;
    /// For its turn on a sync object; argument: object × 2^32 + run.
    pub const SYNC: u32 = 7;
    /// In a real wait on a lock or a futex of the program; argument: its address.
    pub const FUTEX: u32 = 8;
    /// The host holds it back before its next event; argument: how many it has made.
    pub const HELD: u32 = 9;
}

/// One thread; the index is the global number of the thread (the first is 1).
#[repr(C)]
pub struct ThreadSlot {
    pub process: Word<u32>,
    /// Thread id as the program saw it while recording.
    pub tid: Word<u32>,
    pub real_tid: AtomicU32,
    /// Recording: not 0 while somebody asks the thread for its turn. Replay: one of [`waiting`], and its argument.
    pub waiting: AtomicU32,
    pub waiting_for: AtomicU64,
    /// Events done so far.
    pub events: AtomicU64,
    /// Recording: offset of the current chunk, kept for the image after an exec.
    /// Replay: offset of the log in the session file.
    pub log_offset: Word<u64>,
    /// Replay: length of the log.
    pub log_length: Word<u64>,
    /// Recording: sequence number of the current chunk. Replay: bytes consumed so far.
    pub log_position: AtomicU64,
    /// Running checksum of what the thread wrote, kept for the image after an exec.
    pub output_hash: AtomicU64,
}

/// Kinds of objects.
pub mod object_kind {
    /// Standard output and error of the session; always object 1.
    pub const OUTPUT: u32 = 1;
    pub const PIPE: u32 = 2;
    pub const SOCKET_PAIR: u32 = 3;
    pub const TCP: u32 = 4;
    pub const UNIX: u32 = 5;
}

pub mod object_flags {
    /// Both ends lie inside the set.
    pub const BOTH: u32 = 1;
    /// Bytes of direction 0 are logged at the reader: several write or read it, or somebody we
    /// cannot see does.
    pub const CONTENTS_0: u32 = 2;
    pub const CONTENTS_1: u32 = 4;
    /// We gave the socket a name to find its peer; the program must not see it.
    pub const NAMED_BY_US: u32 = 8;
}

/// One direction of an object: who wrote and read it, and, in a replay, its bytes.
#[repr(C)]
pub struct Direction {
    /// Global thread number of the only writer so far; 0 nobody.
    pub writer: AtomicU32,
    pub reader: AtomicU32,
    /// Replay: bytes written and read so far.
    pub written: AtomicU64,
    pub read: AtomicU64,
    /// Replay: arena offsets of the first and the last unit of bytes.
    pub head: AtomicU64,
    pub tail: AtomicU64,
    /// Replay: bumped with every write (futex word), and how many wait for it.
    pub futex: AtomicU32,
    pub waiters: AtomicU32,
}

/// A pipe or connection. Side 0 writes direction 0 and reads direction 1; a pipe has only direction 0.
#[repr(C)]
pub struct Object {
    pub kind: Word<u32>,
    pub flags: AtomicU32,
    /// Process and thread that made it.
    pub process: Word<u32>,
    pub thread: Word<u32>,
    pub directions: [Direction; 2],
    pub padding: [Word<u8>; 16],
}

/// A connection on its way: the client wrote it down, the accepting side looks for it.
#[repr(C)]
pub struct Connection {
    /// 0 free, 1 being written, 2 valid, 3 taken.
    pub state: AtomicU32,
    pub object: Word<u32>,
    pub key_length: Word<u32>,
    pub hash: Word<u32>,
    /// Up to 112 bytes.
    pub key: [Word<u64>; 14],
}

/// Where a module reads the time-stamp counter: found by the first process that loads it, for all others.
#[repr(C)]
pub struct CounterModule {
    /// From its build id, never 0; 0: the entry is free.
    pub key: AtomicU64,
    /// Number of places, plus one; 0: not known yet.
    pub state: AtomicU32,
    /// From the load address of the module.
    pub sites: [AtomicU32; 61],
}

/// Head of a chunk of log (recording) or of a unit of stream bytes (replay).
#[repr(C)]
pub struct Chunk {
    pub magic: u32,
    /// Global thread number.
    pub thread: u32,
    /// Counted from zero in each thread.
    pub sequence: u32,
    /// Length of the chunk in units.
    pub units: u32,
    /// Bytes of complete records behind this head; stored last, so a reader can trust it.
    pub committed: AtomicU64,
    /// Stream units in a replay: arena offset of the next one.
    pub next: AtomicU64,
    pub process: u32,
    pub spare: [u32; 7],
}

pub const CHUNK_MAGIC: u32 = u32::from_le_bytes(*b"WFCH");
pub const CHUNK_HEAD: u64 = 64;

const _: () = assert!(core::mem::size_of::<Header>() <= DELAYS_OFFSET as usize);
const _: () =
    assert!(DELAYS_OFFSET as usize + MAX_DELAYS * size_of::<Delay>() <= TURN_ENDS_OFFSET as usize);
const _: () = assert!(
    TURN_ENDS_OFFSET as usize + MAX_TURN_ENDS * size_of::<Delay>() <= WAITERS_OFFSET as usize
);
const _: () = assert!(WAITERS_OFFSET as usize + WAITERS * 8 <= HANDOVERS_OFFSET as usize);
const _: () =
    assert!(HANDOVERS_OFFSET as usize + HANDOVERS * HANDOVER_SIZE <= PROCESSES_OFFSET as usize);
const _: () = assert!(core::mem::size_of::<Delay>() == 8);
const _: () = assert!(MAX_PROCESSES - 1 <= u16::MAX as u32);
const _: () = assert!(MAX_PROCESSES.is_power_of_two() && MAX_THREADS.is_power_of_two());
const _: () = assert!(MAX_OBJECTS.is_power_of_two() && MAX_CONNECTIONS.is_power_of_two());
const _: () = assert!(core::mem::size_of::<ProcessSlot>() == 256);
const _: () = assert!(core::mem::size_of::<ThreadSlot>() == 64);
const _: () = assert!(core::mem::size_of::<Object>() == 128);
const _: () = assert!(core::mem::size_of::<Connection>() == 128);
const _: () = assert!(core::mem::size_of::<Chunk>() == 64);
const _: () = assert!(core::mem::size_of::<CounterModule>() == 256);
const _: () = assert!(COUNTERS_OFFSET + (COUNTER_MODULES * 256) as u64 <= ARENA_OFFSET);
