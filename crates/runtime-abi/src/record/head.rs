//! The head of a record, all of it but the bytes of its payload: the one place that knows its layout.

use core::ops::Deref;

use super::{
    ACQUIRE, ACQUIRE_READ, Acquire, BadRecord, CLOCK, Fields, PAYLOAD, RESULT, SYSCALL, TURN,
    coded, decoded, fields,
};
use crate::encode::{MAX_VARINT, get_varint, put_varint, varint_length};

/// The fields as they stand in the log. Those that a tag has not are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Those of the tag. Kept, so that writing a record need not look at a tag which is one of several.
    fields: Fields,
    /// The tag, with [`PAYLOAD`] if there is one.
    pub first: u8,
    pub number: u64,
    pub check: u8,
    /// The value: see [`coded`].
    pub value: u64,
    /// Of the payload.
    pub length: u64,
}

impl Head {
    /// Longest encoding of a head.
    pub const LONGEST: usize = 2 + 3 * MAX_VARINT;

    /// A record without payload.
    #[inline(always)]
    pub const fn new(tag: u8, number: u64, check: u8, value: i64) -> Self {
        let fields = match fields(tag) {
            Some(fields) => fields,
            None => Fields::Nothing,
        };
        Self {
            fields,
            first: tag,
            number,
            check,
            value: coded(tag, value),
            length: 0,
        }
    }

    /// The head with these fields, as [`Head::read`] gives them.
    pub const fn coded(first: u8, number: u64, check: u8, value: u64, length: u64) -> Self {
        Self {
            value,
            length,
            first,
            ..Self::new(first & !PAYLOAD, number, check, 0)
        }
    }

    /// A record that begins a run.
    #[inline(always)]
    pub(super) const fn acquire(reads: bool, object: u64, length: u8, run: u64) -> Self {
        Self {
            fields: Fields::Call,
            first: if reads { ACQUIRE_READ } else { ACQUIRE },
            number: object,
            check: length,
            value: run,
            length: 0,
        }
    }

    /// A call with its result.
    #[inline(always)]
    pub const fn call(number: u64, check: u8, result: i64) -> Self {
        Self::new(SYSCALL, number, check, result)
    }

    #[inline(always)]
    pub const fn result(result: i64) -> Self {
        Self::new(RESULT, 0, 0, result)
    }

    #[inline(always)]
    pub const fn turn(turn: u64) -> Self {
        Self::new(TURN, 0, 0, turn as i64)
    }

    /// A clock with an id below 16.
    #[inline(always)]
    pub const fn clock(id: u8, delta: i64) -> Self {
        Self::new(CLOCK + (id & 15), 0, 0, delta)
    }

    /// A record without fields.
    #[inline(always)]
    pub const fn bare(tag: u8) -> Self {
        Self::new(tag, 0, 0, 0)
    }

    /// The same, and a payload of so many bytes follows.
    #[inline(always)]
    #[must_use]
    pub const fn with_payload(mut self, length: usize) -> Self {
        self.first |= PAYLOAD;
        self.length = length as u64;
        self
    }

    #[inline(always)]
    pub const fn tag(&self) -> u8 {
        self.first & !PAYLOAD
    }

    #[inline(always)]
    pub const fn has_payload(&self) -> bool {
        self.first & PAYLOAD != 0
    }

    /// The value that the record stands for.
    #[inline(always)]
    pub const fn value(&self) -> i64 {
        decoded(self.tag(), self.value)
    }

    /// Writes the head at `place` and returns the place behind it, where the payload begins.
    ///
    /// # Safety
    /// `place` must be valid for writes of [`Head::LONGEST`] bytes.
    #[inline(always)]
    pub const unsafe fn put(&self, place: *mut u8) -> *mut u8 {
        // SAFETY: each varint has ten bytes of room, as the caller says.
        unsafe {
            let end = self.put_fields(place);
            if self.has_payload() {
                put_varint(end, self.length)
            } else {
                end
            }
        }
    }

    /// Writes the head of a record whose payload is written before its length is known; returns the place where the
    /// payload begins. [`close`] writes the length, which gets `WIDTH` bytes.
    ///
    /// # Safety
    /// `place` must be valid for writes of [`Head::LONGEST`] bytes.
    #[inline(always)]
    pub const unsafe fn open<const WIDTH: usize>(&self, place: *mut u8) -> *mut u8 {
        const { assert!(WIDTH <= MAX_VARINT) };
        // SAFETY: as in `put`; a length has at most ten bytes.
        unsafe { self.with_payload(0).put_fields(place).add(WIDTH) }
    }

    /// # Safety
    /// As for [`Head::put`].
    #[inline(always)]
    const unsafe fn put_fields(&self, place: *mut u8) -> *mut u8 {
        // SAFETY: as the caller says.
        unsafe {
            *place = self.first;
            let place = place.add(1);
            match self.fields {
                Fields::Call => {
                    let place = put_varint(place, self.number);
                    *place = self.check;
                    put_varint(place.add(1), self.value)
                }
                Fields::Value => put_varint(place, self.value),
                Fields::Nothing => place,
            }
        }
    }

    /// How many bytes [`Head::put`] writes.
    #[inline(always)]
    pub const fn size(&self) -> usize {
        let fields = match self.fields {
            Fields::Call => varint_length(self.number) + 1 + varint_length(self.value),
            Fields::Value => varint_length(self.value),
            Fields::Nothing => 0,
        };
        let length = if self.has_payload() {
            varint_length(self.length)
        } else {
            0
        };
        1 + fields + length
    }

    /// The bytes of the head.
    pub const fn encode(&self) -> Encoded {
        let mut bytes = [0; Encoded::ROOM];
        // SAFETY: the array is longer than the longest head.
        unsafe { self.put(bytes.as_mut_ptr()) };
        Encoded {
            bytes,
            length: self.size(),
        }
    }

    /// Reads the head at the start of `bytes`, and says where it ends.
    #[inline(always)]
    pub fn read(bytes: &[u8]) -> Result<(Self, usize), BadRecord> {
        use BadRecord::Truncated;
        let first = *bytes.first().ok_or(Truncated)?;
        let tag = first & !PAYLOAD;
        let mut head = Self {
            fields: fields(tag).ok_or(BadRecord::UnknownTag(tag))?,
            first,
            number: 0,
            check: 0,
            value: 0,
            length: 0,
        };
        let mut position = 1;
        match head.fields {
            Fields::Call => {
                (head.number, position) = get_varint(bytes, position).ok_or(Truncated)?;
                head.check = *bytes.get(position).ok_or(Truncated)?;
                (head.value, position) = get_varint(bytes, position + 1).ok_or(Truncated)?;
            }
            Fields::Value => {
                (head.value, position) = get_varint(bytes, position).ok_or(Truncated)?;
            }
            Fields::Nothing => {}
        }
        if head.has_payload() {
            (head.length, position) = get_varint(bytes, position).ok_or(Truncated)?;
        }
        Ok((head, position))
    }
}

/// Writes the length of the payload that begins at `payload` and ends at `end` into the `WIDTH` bytes that
/// [`Head::open`] left for it. The payload is shorter than 128 to the power of `WIDTH`.
///
/// # Safety
/// Both places must be of one record, which was begun by [`Head::open`] with the same `WIDTH`.
#[inline(always)]
pub unsafe fn close<const WIDTH: usize>(payload: *mut u8, end: *mut u8) {
    let mut length = (end as usize).wrapping_sub(payload as usize);
    let mut index = WIDTH;
    while index > 0 {
        let more = if index > 1 { 0x80 } else { 0 };
        // SAFETY: the bytes before the payload are those of its length.
        unsafe { *payload.sub(index) = length as u8 & 0x7f | more };
        length >>= 7;
        index -= 1;
    }
}

/// A record without the bytes of its payload, or a short one with them.
#[derive(Clone, Copy, Debug)]
pub struct Encoded {
    pub(super) bytes: [u8; Self::ROOM],
    pub(super) length: usize,
}

impl Encoded {
    pub(super) const ROOM: usize = Acquire::LONGEST;
}

impl Deref for Encoded {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or(&[])
    }
}
