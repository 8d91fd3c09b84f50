//! Writing a thread's log: reserve, fill, commit.
//!
//! A log is a chain of chunks in the arena of the session file. The committed length in the head of
//! a chunk is stored after the record, so that a reader finds whole records after a `kill -9`.
//!
//! # Children, sends and outputs are announced
//!
//! The record of a fork, of a send and of an output comes before the call, and its result after it,
//! because the child, the bytes or a signal may be faster than we are. The result of a send that
//! did what was asked is left out. Until the thread has its turn again, the log ends with a result
//! that says that the call has not come back. Otherwise a log whose last record is a send would
//! leave open whether the thread ran on before others had their turn.
//!
//! # A recording that runs out of room
//!
//! The program goes on without its log. Threads still take turns, keep the order of accesses and
//! pass both on when they end: a thread that stopped alone would leave the others waiting forever.
//! Nothing is written after the first record that found no room.

pub mod end;
pub mod reader;

use crate::memory::user;
use crate::state::crossings::Place;
use crate::state::order::OFF;
use crate::state::upcalls::up;
use crate::state::{Thread, at, header, take_units};
use wayfarer_calls::Number;
use wayfarer_entrance::arguments::Address;
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::encode::{put_varint, varint_length};
use wayfarer_runtime_abi::layout::{ARENA_OFFSET, CHUNK_HEAD, CHUNK_MAGIC, Chunk};
use wayfarer_runtime_abi::record::{Acquire, Head, UNENDED_RESULT as UNENDED, close};
use wayfarer_runtime_abi::{Broken, SESSION_FD, UNIT, record};

/// More than any record needs besides its payload.
pub const RECORD_HEAD: usize = Head::LONGEST + 6;
const _: () = assert!(RECORD_HEAD >= Acquire::LONGEST);
const _: () = assert!(RECORD_HEAD >= 2 + Place::ENCODED);

const ENOSPC: isize = -28;
const EDQUOT: isize = -122;
const EFBIG: isize = -27;

/// Of the first chunk of a thread only so much gets room on the disk before more is needed: many threads say little.
const FIRST_BYTES: u64 = 4096;

/// Takes units from the arena and makes sure that the disk has room for them.
pub fn allocate(units: u64) -> Option<u64> {
    allocate_part(units, units * UNIT)
}

/// The same, with room for their first `bytes`.
fn allocate_part(units: u64, bytes: u64) -> Option<u64> {
    let head = header();
    let first = take_units(&head.arena_next, units);
    if first.wrapping_add(units) > head.arena_units {
        break_off(Broken::ArenaFull, 0);
        return None;
    }
    let offset = ARENA_OFFSET + first * UNIT;
    make_room(offset, bytes).then_some(offset)
}

/// Makes sure that the disk has room for so many bytes; whether it has.
fn make_room(offset: u64, bytes: u64) -> bool {
    // SAFETY: fallocate on the session descriptor touches no memory of the program.
    let result = unsafe {
        raw::syscall6(
            Number::FALLOCATE,
            SESSION_FD as usize,
            0,
            offset as usize,
            bytes as usize,
            0,
            0,
        )
    };
    if matches!(result, ENOSPC | EDQUOT | EFBIG) {
        break_off(Broken::DiskFull, (-result) as u32);
        return false;
    }
    true
}

/// Marks the session as broken; recording stops where each thread needs its next chunk.
pub fn break_off(reason: Broken, errno: u32) {
    let head = header();
    if head
        .broken
        .compare_exchange(0, reason as u32, Ordering::AcqRel, Ordering::Relaxed)
        .is_ok()
    {
        head.broken_errno.store(errno, Ordering::Relaxed);
    }
}

/// A thread that fills more chunks than this makes many events.
const BUSY: u32 = 1;

impl Thread {
    /// Room for `bytes` in the log, or null when recording has stopped.
    #[inline(always)]
    pub fn room(&mut self, bytes: usize) -> *mut u8 {
        if (self.log.limit as usize).wrapping_sub(self.log.cursor as usize) >= bytes {
            return self.log.cursor;
        }
        self.next_chunk(bytes)
    }

    #[cold]
    #[inline(never)]
    fn next_chunk(&mut self, bytes: usize) -> *mut u8 {
        if header().broken.load(Ordering::Relaxed) != 0 {
            return self.close();
        }
        if self.log.sequence == 1 && self.is_first_part() {
            if !self.widen() {
                return self.close();
            }
            return self.room(bytes);
        }
        let needed = (bytes as u64 + CHUNK_HEAD).div_ceil(UNIT);
        let usual = if self.log.sequence < 4 { 1 } else { 4 };
        let units = if needed > usual { needed } else { usual };
        let is_small = self.log.sequence == 0 && bytes as u64 + CHUNK_HEAD <= FIRST_BYTES;
        let part = if is_small { FIRST_BYTES } else { units * UNIT };
        let Some(offset) = allocate_part(units, part) else {
            return self.close();
        };
        let chunk = at(offset).cast::<Chunk>();
        if units > 1 || self.log.sequence > 0 {
            // A thread with much to say: all pages in one go cost a fraction of a fault each.
            const POPULATE_WRITE: usize = 23;
            // SAFETY: fresh units of the session mapping.
            unsafe {
                raw::syscall6(
                    Number::MADVISE,
                    chunk as usize,
                    (units * UNIT) as usize,
                    POPULATE_WRITE,
                    0,
                    0,
                    0,
                );
            }
        }
        // SAFETY: the units belong to this thread alone; the mapping covers the whole arena.
        unsafe {
            (*chunk).thread = self.number;
            (*chunk).sequence = self.log.sequence;
            (*chunk).units = units as u32;
            (*chunk).process = (*self.process).id.get();
            (*chunk).committed.store(0, Ordering::Relaxed);
            wayfarer_runtime_abi::atomic::fence(Ordering::Release);
            (&raw mut (*chunk).magic).write_volatile(CHUNK_MAGIC);
            self.attach(chunk, 0, part);
        }
        self.slot().log_offset.set(offset);
        self.slot()
            .log_position
            .store(u64::from(self.log.sequence), Ordering::Relaxed);
        self.log.sequence = self.log.sequence.wrapping_add(1);
        if self.log.sequence > BUSY && self.room_left() > bytes + RECORD_HEAD {
            (up().chunk_begins)(self);
        }
        self.log.cursor
    }

    /// Whether only the first bytes of the present chunk have room on the disk.
    fn is_first_part(&self) -> bool {
        self.log.limit as usize == self.log.chunk as usize + FIRST_BYTES as usize
    }

    /// Room on the disk for the rest of the first chunk; whether there is.
    fn widen(&mut self) -> bool {
        let offset = (self.log.chunk as u64).wrapping_sub(at(0) as u64);
        if !make_room(offset + FIRST_BYTES, UNIT - FIRST_BYTES) {
            return false;
        }
        self.log.limit = (self.log.chunk as u64 + UNIT) as *mut u8;
        true
    }

    /// Nothing more of this thread is recorded.
    pub fn stop_log(&mut self) {
        self.close();
    }

    /// Recording has stopped: no record comes after the one that found no room. The thread goes on as before in
    /// everything else: others still wait for it to pass its turn on, and count on the order of accesses.
    fn close(&mut self) -> *mut u8 {
        self.log.limit = self.log.cursor;
        core::ptr::null_mut()
    }

    fn room_left(&self) -> usize {
        (self.log.limit as usize).wrapping_sub(self.log.cursor as usize)
    }

    /// Goes on writing in a chunk that has room on the disk for so many bytes, after its first `committed` ones.
    ///
    /// # Safety
    /// The chunk must be this thread's, and at least that long.
    unsafe fn attach(&mut self, chunk: *mut Chunk, committed: u64, room: u64) {
        self.log.chunk = chunk;
        self.log.cursor = (chunk as u64 + CHUNK_HEAD + committed) as *mut u8;
        self.log.limit = (chunk as u64 + room) as *mut u8;
    }

    /// Goes on in the chunk that the image before used.
    ///
    /// # Safety
    /// The chunk must be this thread's last one.
    pub unsafe fn attach_again(&mut self, chunk: *mut Chunk) {
        // SAFETY: as the caller says.
        let (sequence, units, committed) = unsafe {
            let committed = (*chunk).committed.load(Ordering::Acquire);
            ((*chunk).sequence, u64::from((*chunk).units), committed)
        };
        let is_small = sequence == 0 && CHUNK_HEAD + committed <= FIRST_BYTES;
        let room = if is_small { FIRST_BYTES } else { units * UNIT };
        // SAFETY: as the caller says.
        unsafe { self.attach(chunk, committed, room) };
        self.log.sequence = sequence.wrapping_add(1);
    }

    /// Makes everything up to `end` part of the log.
    #[inline(always)]
    pub fn commit(&mut self, end: *mut u8) {
        self.log.cursor = end;
        let committed = (end as u64).wrapping_sub(self.log.chunk as u64 + CHUNK_HEAD);
        // SAFETY: `room` returned non-null, so the chunk is mapped and ours.
        unsafe {
            (*self.log.chunk)
                .committed
                .store(committed, Ordering::Release)
        };
    }

    /// Makes what `put` writes at the end of the log part of it: at most `bytes`. Whether recording goes on.
    #[inline(always)]
    pub fn append(&mut self, bytes: usize, put: impl FnOnce(*mut u8) -> *mut u8) -> bool {
        let place = self.room(bytes);
        if place.is_null() {
            return false;
        }
        self.commit(put(place));
        true
    }

    /// Parallel mode: the event about to be written gets its place among those of the process.
    #[inline(always)]
    pub fn order_event(&mut self) {
        if self.sync != OFF {
            (up().order_event)(self);
        }
    }

    /// An event without payload.
    #[inline(always)]
    pub fn emit(&mut self, head: Head) {
        self.order_event();
        self.emit_plain(head);
        self.count_event();
    }

    /// A call whose payload of `length` bytes `fill` writes.
    #[inline(always)]
    pub fn emit_filled(&mut self, head: Head, length: usize, fill: impl FnOnce(*mut u8)) {
        self.order_event();
        let is_recorded = self.append(RECORD_HEAD + length, |place| {
            // SAFETY: the room that is asked for.
            unsafe {
                let payload = head.with_payload(length).put(place);
                fill(payload);
                payload.add(length)
            }
        });
        if is_recorded {
            self.count_event();
        }
    }

    /// The record of a call that is not made yet, with its place in the order of all writes to the output if it is one
    /// of those, and a `RESULT` that says that the call has not come back; whether [`Thread::came_back`] has to take that
    /// away.
    pub fn announce(&mut self, mut head: Head, output: Option<u32>) -> bool {
        self.order_event();
        if let Some(output) = output {
            head = head.with_payload(varint_length(u64::from(output)));
        }
        let is_recorded = self.append(RECORD_HEAD * 2, |place| {
            // SAFETY: the room that is asked for.
            unsafe {
                let mut end = head.put(place);
                if let Some(output) = output {
                    end = put_varint(end, u64::from(output));
                }
                end.cast::<[u8; UNENDED.len()]>().write_unaligned(UNENDED);
                end.add(UNENDED.len())
            }
        });
        if is_recorded {
            self.count_event();
        }
        is_recorded
    }

    /// The call that was announced has done all that was asked, but the thread has not its turn yet.
    pub fn went_out(&mut self) {
        let done = record::WENT_OUT_RESULT;
        // SAFETY: the bytes were written by `announce`; readers see one record or the other, which differ in one byte.
        unsafe {
            self.log
                .cursor
                .sub(UNENDED.len())
                .add(1)
                .write_volatile(done[1])
        };
    }

    /// The call that was announced has come back: nothing was written since.
    #[inline(always)]
    pub fn came_back(&mut self) {
        // SAFETY: the bytes were written by `announce`.
        let end = unsafe { self.log.cursor.sub(UNENDED.len()) };
        self.commit(end);
    }

    /// A record without payload that is not an event.
    #[inline(always)]
    pub fn emit_plain(&mut self, head: Head) {
        let place = self.room(RECORD_HEAD);
        if place.is_null() {
            return;
        }
        // SAFETY: room was made above.
        let end = unsafe { head.put(place) };
        self.commit(end);
    }

    #[inline(always)]
    pub fn emit_call(&mut self, number: Number, check: u8, result: i64) {
        self.emit(Head::call(number.word(), check, result));
    }

    /// A record with a payload that lies in one piece.
    #[inline]
    pub fn emit_with(&mut self, head: Head, payload: &[u8]) {
        self.emit_piece(head, Address::new(payload.as_ptr() as usize), payload.len());
    }

    /// The same with a piece of the program's memory. Another thread may take it away meanwhile: then it is not seen.
    pub fn emit_piece(&mut self, head: Head, from: Address, length: usize) {
        let tag = head.tag();
        if record::is_event(tag) && tag != record::SIGNAL {
            self.order_event();
        }
        let head = head.with_payload(length);
        let is_recorded = self.append(RECORD_HEAD + length, |place| {
            // SAFETY: the room that is asked for.
            unsafe {
                let place = head.put(place);
                user::copy_in(place, from, length);
                place.add(length)
            }
        });
        if is_recorded && record::is_event(tag) {
            self.count_event();
        }
    }

    /// The real result of the record before.
    pub fn emit_result(&mut self, result: i64) {
        self.emit_plain(Head::result(result));
    }

    /// A `TURN` record.
    pub fn emit_turn(&mut self, turn: u32) {
        self.emit_plain(Head::turn(u64::from(turn)));
    }

    /// A `YIELD` record; `between`: where between two events.
    pub fn emit_yield(&mut self, between: Option<Place>) {
        let head = Head::bare(record::YIELD);
        // SAFETY: the room that is asked for holds the longest place, too.
        self.append(RECORD_HEAD, |place| unsafe {
            let Some(between) = between else {
                return head.put(place);
            };
            let payload = head.open::<1>(place);
            let end = between.encode(payload);
            close::<1>(payload, end);
            end
        });
    }

    pub fn note(&mut self, code: u64, value: i64, text: &[u8]) {
        if self.mode == wayfarer_runtime_abi::layout::MODE_RECORD {
            self.emit_with(Head::new(record::NOTE, code, 0, value), text);
        }
    }
}
