//! What can be wrong with a trace, each with where and what to do.

use std::fmt;
use std::io;
use std::path::PathBuf;

use thiserror::Error;
use wayfarer_model::ThreadId;

/// Why a directory could not be opened as a trace.
#[derive(Debug, Error)]
pub enum OpenError {
    #[error("{} is not a trace: it has no manifest.json; give the directory that `wayfarer record` made", .directory.display())]
    NotATrace { directory: PathBuf },
    #[error("{} could not be read: {source}", .path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{} is damaged: {reason}; restore it from a copy or record again", .path.display())]
    BadManifest { path: PathBuf, reason: String },
    #[error("{} has {what} version {found}; this wayfarer reads version {known} only; use the wayfarer that recorded it{}", .path.display(), newer(.found, .known))]
    OtherVersion {
        path: PathBuf,
        what: &'static str,
        found: u32,
        known: u32,
    },
    #[error("{} holds no events: neither events.wft nor session is there; record again", .directory.display())]
    NoEvents { directory: PathBuf },
    #[error("{} is damaged at offset {offset}: {reason}; restore it from a copy or record again", .path.display())]
    Damaged {
        path: PathBuf,
        offset: u64,
        reason: String,
    },
}

fn newer(found: &u32, known: &u32) -> &'static str {
    if found > known {
        " (it is newer than this one)"
    } else {
        ""
    }
}

/// Why a part of an opened trace could not be read.
#[derive(Debug, Error)]
pub enum ReadError {
    #[error("{file} could not be read at offset {offset}: {source}")]
    Unreadable {
        file: &'static str,
        offset: u64,
        source: io::Error,
    },
    #[error(transparent)]
    Damaged(#[from] Damage),
    #[error("there is no thread {0} in this trace")]
    NoSuchThread(ThreadId),
    #[error("the log of thread {thread} has {length} bytes, too many to hold at once")]
    TooLong { thread: ThreadId, length: u64 },
}

/// A place in a file that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Name of the file in the trace directory.
    pub file: &'static str,
    /// Byte offset in that file.
    pub offset: u64,
    pub reason: String,
    /// The thread whose log suffers, where it is one thread's.
    pub thread: Option<ThreadId>,
    /// Bytes of that thread's log that are good; a replay can go that far.
    pub good_until: u64,
}

impl fmt::Display for Damage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} is damaged at offset {}: {}",
            self.file, self.offset, self.reason
        )?;
        match self.thread {
            Some(thread) => write!(
                formatter,
                "; the log of thread {thread} is good up to its byte {}, a replay can go that far",
                self.good_until
            ),
            None => write!(formatter, "; restore the file from a copy or record again"),
        }
    }
}

impl std::error::Error for Damage {}

/// Why a session could not be sealed. The raw session is still there, and readers accept it.
#[derive(Debug, Error)]
pub enum SealError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("{} could not be written: {source}; the raw session stays and can be replayed as it is", .path.display())]
    Unwritable { path: PathBuf, source: io::Error },
}
