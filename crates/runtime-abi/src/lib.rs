//! The one contract between the runtime inside a debuggee and the host.
//!
//! A *session file* is mapped shared, at the same address, in every process of a session. It is the
//! only channel between the runtime and `wayfarer`: while recording it lies in the trace directory
//! and survives `kill -9` of everybody; for a replay the host builds one from the trace.
//!
//! **Rule for bumping [`ABI_VERSION`]:** any change to the layout of a struct here, to an offset, or
//! to the meaning of a record. A trace stores the version that wrote it; another version refuses it.
#![no_std]

pub mod atomic;
pub mod encode;
pub mod layout;
pub mod library;
pub mod record;
pub mod sites;
pub mod wait;
pub mod word;

/// Version of everything in this crate. A trace with another number is refused.
pub const ABI_VERSION: u32 = 13;

/// The descriptor under which every debuggee holds the session file, across fork and exec.
pub const SESSION_FD: i32 = 1018;
/// The descriptor under which every debuggee holds the runtime library, so that the text of
/// `LD_PRELOAD` is the same on every machine and for every user (its length shapes the stack).
pub const RUNTIME_FD: i32 = 1019;

/// What `LD_PRELOAD` says; a program's own preloads follow behind a colon.
pub const PRELOAD_PATH: &str = "/proc/self/fd/1019";
/// Name of the variable that tells the runtime which process of the session it is in.
/// Its value is eight hexadecimal digits, the process id of the session, and then padding: as many
/// `.` as the exec needs to give the new stack the length that the recorded one had. While recording
/// there are [`BASE_PADDING`]. `LD_PRELOAD` and this variable are always the last two of an environment.
pub const SESSION_VARIABLE: &str = "WAYFARER_SESSION";
pub const BASE_PADDING: usize = 200;

/// Why a runtime stepped aside (`Header::broken`). Zero is "not broken".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Broken {
    DiskFull = 1,
    ArenaFull = 2,
    TooManyProcesses = 3,
    TooManyThreads = 4,
    InternalFault = 5,
    TooManyObjects = 6,
}

/// Size of one unit of the arena.
pub const UNIT: u64 = 64 * 1024;
