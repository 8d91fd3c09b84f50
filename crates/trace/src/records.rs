//! Records of one thread with their event numbers.

use wayfarer_model::{EventNumber, ThreadId};
use wayfarer_runtime_abi::record::{self, BadRecord, Record};

/// A record with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// Byte offset in the log of the thread.
    pub position: u64,
    /// Number of the event; for records that are not events, that of the next one.
    pub event: EventNumber,
    pub record: Record<'a>,
}

/// A log that could not be read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadLog {
    pub thread: ThreadId,
    /// Byte offset in the log.
    pub position: u64,
    pub event: EventNumber,
    pub cause: BadRecord,
}

impl std::fmt::Display for BadLog {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            thread,
            position,
            event,
            cause,
        } = self;
        write!(
            formatter,
            "the log of thread {thread} cannot be read on at its byte {position} (event {event}): "
        )?;
        match cause {
            BadRecord::Truncated => write!(formatter, "it ends within a record"),
            BadRecord::UnknownTag(tag) => write!(formatter, "no record begins with {tag:#04x}"),
        }?;
        write!(formatter, "; a replay can go that far")
    }
}

impl std::error::Error for BadLog {}

/// The records of one log. `for entry in records.iter()`.
pub struct Records {
    thread: ThreadId,
    log: Vec<u8>,
}

impl Records {
    /// The records of `log`, whose thread is named in errors.
    pub fn new(thread: ThreadId, log: Vec<u8>) -> Self {
        Self { thread, log }
    }

    pub fn log(&self) -> &[u8] {
        &self.log
    }

    pub fn iter(&self) -> RecordsIter<'_> {
        RecordsIter {
            walk: Walk::new(self.thread),
            log: &self.log,
        }
    }
}

impl<'a> IntoIterator for &'a Records {
    type Item = Result<Entry<'a>, BadLog>;
    type IntoIter = RecordsIter<'a>;

    fn into_iter(self) -> RecordsIter<'a> {
        self.iter()
    }
}

/// Ends after the last record or after the first error.
pub struct RecordsIter<'a> {
    walk: Walk,
    log: &'a [u8],
}

impl<'a> Iterator for RecordsIter<'a> {
    type Item = Result<Entry<'a>, BadLog>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.walk.step(self.log)? {
            Ok(entry) => {
                self.log = &self.log[entry.record.length..];
                Some(Ok(entry))
            }
            Err(bad) => {
                self.log = &[];
                Some(Err(bad))
            }
        }
    }
}

/// The place in a log that is read record by record, possibly from several pieces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk {
    thread: ThreadId,
    position: u64,
    event: u64,
}

impl Walk {
    pub(crate) fn new(thread: ThreadId) -> Self {
        Self {
            thread,
            position: 0,
            event: 0,
        }
    }

    /// The record at the start of `rest`; `None` at the end.
    pub(crate) fn step<'a>(&mut self, rest: &'a [u8]) -> Option<Result<Entry<'a>, BadLog>> {
        if rest.is_empty() {
            return None;
        }
        let position = self.position;
        let event = EventNumber(self.event);
        Some(match record::read(rest) {
            Ok(record) => {
                self.position += record.length as u64;
                self.event += u64::from(record.is_event());
                Ok(Entry {
                    position,
                    event,
                    record,
                })
            }
            Err(cause) => Err(BadLog {
                thread: self.thread,
                position,
                event,
                cause,
            }),
        })
    }

    /// Gives each record of a piece to `sink`.
    pub(crate) fn piece(
        &mut self,
        mut piece: &[u8],
        sink: &mut dyn FnMut(Entry<'_>),
    ) -> Result<(), BadLog> {
        while let Some(entry) = self.step(piece).transpose()? {
            piece = &piece[entry.record.length..];
            sink(entry);
        }
        Ok(())
    }
}
