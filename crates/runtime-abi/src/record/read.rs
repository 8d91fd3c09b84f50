//! Reading records.

use super::{CLOCK, CLOCK_LAST, Head, TURN, decoded, is_acquire, is_event, sync};
use crate::encode::get_varint;

/// A record as read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// Without [`super::PAYLOAD`]. For a clock: [`super::CLOCK`] + id.
    pub tag: u8,
    /// Call number, signal number, turn, note code; 0 where the tag has none.
    pub number: u64,
    pub check: u8,
    /// Result, length, delta, exit code; 0 where the tag has none.
    pub value: i64,
    pub payload: &'a [u8],
    /// Bytes of the whole record.
    pub length: usize,
}

impl Record<'_> {
    pub const fn is_event(&self) -> bool {
        is_event(self.tag)
    }

    /// Whether it begins a run of a sync object.
    #[inline]
    pub const fn is_acquire(&self) -> bool {
        is_acquire(self.tag)
    }

    /// The length that a record tells which begins a run.
    #[inline]
    pub fn run_length(&self) -> u64 {
        match self.check {
            sync::LONG => get_varint(self.payload, 0).map_or(0, |(length, _)| length),
            short => u64::from(short),
        }
    }
}

/// Why a log could not be read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadRecord {
    /// The bytes end within the record.
    Truncated,
    /// No such tag.
    UnknownTag(u8),
}

/// Reads the record at the start of `bytes`.
#[inline]
pub fn read(bytes: &[u8]) -> Result<Record<'_>, BadRecord> {
    let (head, position) = Head::read(bytes)?;
    read_rest(head, position, bytes)
}

/// Reads the record at the start of `bytes` whose head was read already, and ends at `position`.
#[inline(always)]
pub fn read_rest(head: Head, position: usize, bytes: &[u8]) -> Result<Record<'_>, BadRecord> {
    use BadRecord::Truncated;
    let tag = head.tag();
    let mut record = Record {
        tag,
        number: match tag {
            TURN => head.value,
            CLOCK..=CLOCK_LAST => u64::from(tag - CLOCK),
            _ => head.number,
        },
        check: head.check,
        value: match tag {
            TURN => 0,
            _ => decoded(tag, head.value),
        },
        payload: &[],
        length: position,
    };
    if head.has_payload() {
        let end = (position as u64)
            .checked_add(head.length)
            .ok_or(Truncated)?;
        if end > bytes.len() as u64 {
            return Err(Truncated);
        }
        record.payload = bytes.get(position..end as usize).ok_or(Truncated)?;
        record.length = end as usize;
    }
    Ok(record)
}
