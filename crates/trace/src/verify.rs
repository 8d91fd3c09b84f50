//! Reads everything of a trace and tells all that is wrong with it.

use std::fmt;

use crate::error::{Damage, ReadError};
use crate::format::kind;
use crate::records::{BadLog, Walk};
use crate::trace::Trace;

/// Something that is wrong.
#[derive(Debug)]
pub enum Problem {
    /// Found when the trace was opened.
    Damage(Damage),
    /// Found when a part was read.
    Read(ReadError),
    /// A log that does not consist of records.
    Log(BadLog),
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damage(damage) => damage.fmt(formatter),
            Self::Read(error) => error.fmt(formatter),
            Self::Log(bad) => bad.fmt(formatter),
        }
    }
}

/// What was read, and what is wrong with it.
#[derive(Debug, Default)]
pub struct Verification {
    pub threads: u64,
    pub records: u64,
    pub events: u64,
    pub log_bytes: u64,
    pub problems: Vec<Problem>,
}

impl Verification {
    pub fn is_good(&self) -> bool {
        self.problems.is_empty()
    }
}

/// Checks every checksum, that no part of a log is missing, and that all logs consist of records.
pub fn verify(trace: &Trace) -> Verification {
    let mut found = Verification::default();
    found
        .problems
        .extend(trace.damage().iter().cloned().map(Problem::Damage));
    if let Some(sealed) = trace.sealed() {
        let unread = |block: &&crate::sealed::Block| block.head.kind != kind::LOG;
        for block in sealed.blocks().iter().filter(unread) {
            found
                .problems
                .extend(sealed.unpack_plain(block).err().map(Problem::Read));
        }
    }
    for thread in trace.threads() {
        found.threads += 1;
        let mut walk = Walk::new(thread.id);
        let mut bad = None;
        let (mut records, mut events, mut bytes) = (0, 0, 0);
        let read = trace.read_log(thread.id, &mut |piece| {
            bytes += piece.len() as u64;
            if bad.is_none() {
                let walked = walk.piece(piece, &mut |entry| {
                    records += 1;
                    events += u64::from(entry.record.is_event());
                });
                bad = walked.err();
            }
        });
        found.records += records;
        found.events += events;
        found.log_bytes += bytes;
        found.problems.extend(read.err().map(Problem::Read));
        found.problems.extend(bad.map(Problem::Log));
    }
    found
}
