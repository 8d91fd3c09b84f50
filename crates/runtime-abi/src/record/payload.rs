//! Payloads that both sides write or read: what begins a run, describes an object, announces a child.

use super::{ACQUIRE_READ, CLONE_PAYLOAD, Encoded, Head, Record, sync};
use crate::encode::{put_varint, varint_length};

/// A thread begins a run of a sync object: see [`sync`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acquire {
    /// A reader's run.
    pub reads: bool,
    pub object: u64,
    pub run: u64,
    /// Of the run that the record tells the length of.
    pub length: u64,
}

impl Acquire {
    /// Longest encoding of the record: the length of its payload takes one byte.
    pub const LONGEST: usize = Head::LONGEST + 1;

    /// What `record` says, if it begins a run.
    pub fn of(record: &Record<'_>) -> Option<Self> {
        record.is_acquire().then(|| Self {
            reads: record.tag == ACQUIRE_READ,
            object: record.number,
            run: record.value as u64,
            length: record.run_length(),
        })
    }

    /// Whether the length is in the payload.
    #[inline(always)]
    pub const fn is_long(&self) -> bool {
        self.length >= sync::LONG as u64
    }

    #[inline(always)]
    const fn head(&self) -> Head {
        if self.is_long() {
            Head::acquire(self.reads, self.object, sync::LONG, self.run)
                .with_payload(varint_length(self.length))
        } else {
            Head::acquire(self.reads, self.object, self.length as u8, self.run)
        }
    }

    /// Writes the whole record and returns the place behind it.
    ///
    /// # Safety
    /// `place` must be valid for writes of [`Acquire::LONGEST`] bytes.
    #[inline(always)]
    pub const unsafe fn put(&self, place: *mut u8) -> *mut u8 {
        // SAFETY: a head with a length of one byte, and a varint.
        unsafe {
            let end = self.head().put(place);
            if self.is_long() {
                put_varint(end, self.length)
            } else {
                end
            }
        }
    }

    /// The bytes of the whole record.
    pub const fn encode(&self) -> Encoded {
        let mut bytes = [0; Encoded::ROOM];
        // SAFETY: the array is as long as the longest record.
        unsafe { self.put(bytes.as_mut_ptr()) };
        let head = self.head();
        Encoded {
            bytes,
            length: head.size() + head.length as usize,
        }
    }
}

/// What a new sync object is known by: payload of an `OBJECT`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Birth {
    pub address: u64,
    /// The place in the code that made it.
    pub place: u64,
}

impl Birth {
    pub const fn encode(&self) -> [u8; sync::OBJECT_PAYLOAD] {
        (self.address as u128 | (self.place as u128) << 64).to_le_bytes()
    }

    pub fn decode(payload: &[u8]) -> Option<Self> {
        let word = u128::from_le_bytes(payload.try_into().ok()?);
        Some(Self {
            address: word as u64,
            place: (word >> 64) as u64,
        })
    }
}

/// The numbers that a child gets before it is made: payload of a fork, vfork, clone or clone3.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Child {
    /// Process id of the session; of a new thread: the caller's own.
    pub process: u32,
    /// Thread number of the session.
    pub thread: u32,
}

impl Child {
    pub const fn encode(&self) -> [u8; CLONE_PAYLOAD] {
        (self.process as u64 | (self.thread as u64) << 32).to_le_bytes()
    }

    pub fn decode(payload: &[u8]) -> Option<Self> {
        let word = u64::from_le_bytes(*payload.first_chunk()?);
        Some(Self {
            process: word as u32,
            thread: (word >> 32) as u32,
        })
    }
}
