//! Recording: libraries that are loaded after the process was surveyed.
//!
//! The mode of a process is settled by then. To change it, every other thread would have to be
//! stopped first, and one that spins in the new code makes no event at which it could be. So what a
//! survey would have found in the library (futex calls of its own, loops that spin) is written down
//! as a note, and a divergence report names it. The file is read by calls, because only this one
//! part of the library is mapped yet, and because a file that gets shorter meanwhile must not
//! fault.

use crate::program::path::path_of;
use crate::program::resolve::{FUTEX_NUMBER, LARGEST_CODE, contains, has_order_by_hand};
use crate::program::survey::{BY_HAND, FOLLOWED};
use crate::state::Thread;
use crate::state::order::RECORD;
use wayfarer_calls::Number;
use wayfarer_entrance::call as entrance;
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::record::{note, threads};

const HEADER: u64 = 56;
const MOST_HEADERS: u64 = 64;
const MOST_ENTRIES: u64 = 256;
const MOST_SYMBOLS: u64 = 1 << 20;
const SYMBOL: u64 = 24;
const PT_LOAD: u64 = 1;
const PT_DYNAMIC: u64 = 2;
const DT_STRTAB: u64 = 5;
const DT_SYMTAB: u64 = 6;
const DT_STRSZ: u64 = 10;
const DT_GNU_HASH: u64 = 0x6fff_fef5;
const SYSCALL: &[u8; 8] = b"syscall\0";
const PTHREAD_CREATE: &[u8; 15] = b"pthread_create\0";
const PTHREAD_CANCEL: &[u8; 15] = b"pthread_cancel\0";

/// A parallel process does something for which it would have been serial; told once.
#[cold]
#[inline(never)]
pub fn tell(thread: &mut Thread, reason: u8) {
    let bit = 1u32 << (reason & 31);
    let told = &mut thread.process().threads.told_late.get();
    if thread.sync == RECORD && *told & bit == 0 {
        *told |= bit;
        thread.note(note::LATE_REASON, i64::from(reason), &[]);
    }
}

/// Part of an open file has just been mapped to be run.
#[cold]
#[inline(never)]
pub fn code_mapped(thread: &mut Thread, descriptor: usize, offset: u64, length: u64) {
    // A call in which a thread waits by then must be one that libc can cancel.
    if entrance::ARE_DIRECT.load(Ordering::Relaxed)
        && imports(descriptor, &mut thread.scratch, PTHREAD_CANCEL) == Some(true)
    {
        entrance::switch_off();
        thread.note(note::CALLS_BY_LIBC, 0, &[]);
    }
    let process = thread.process();
    if thread.sync != RECORD || !process.threads.parallel.get() || !process.code.surveyed.get() {
        return;
    }
    let Some(reason) = survey(descriptor, offset, length, &mut thread.scratch) else {
        return;
    };
    let name_length = path_of(descriptor, &mut thread.scratch).min(thread.scratch.len());
    // SAFETY: within the buffer, which lives as long as the thread; writing a note does not use it.
    let name = unsafe { core::slice::from_raw_parts(thread.scratch.as_ptr(), name_length) };
    thread.note(note::LATE_LIBRARY, i64::from(reason), name);
}

/// Why a process with this library would have been serial; by the rules for libraries that were there in time.
fn survey(descriptor: usize, offset: u64, length: u64, buffer: &mut [u8; 4096]) -> Option<u8> {
    let name_length = path_of(descriptor, buffer);
    let name = buffer.get(..name_length).unwrap_or(&[]);
    let is_one_of = |known: &[&[u8]]| known.iter().any(|known| contains(name, known));
    if is_one_of(&BY_HAND) {
        return Some(threads::LIBRARY);
    }
    if is_one_of(&FOLLOWED) || length > LARGEST_CODE as u64 {
        return None;
    }
    let makes_calls = imports(descriptor, buffer, SYSCALL)?
        && holds(descriptor, buffer, offset, length, &FUTEX_NUMBER);
    if makes_calls {
        return Some(threads::OWN_FUTEX);
    }
    let orders_by_hand = imports(descriptor, buffer, PTHREAD_CREATE)?
        && has(descriptor, buffer, (offset, length), 4, has_order_by_hand);
    orders_by_hand.then_some(threads::LIBRARY)
}

/// Whether the library in this file asks others for a function of that name, which ends with a zero.
fn imports<const LENGTH: usize>(
    descriptor: usize,
    buffer: &mut [u8; 4096],
    wanted: &[u8; LENGTH],
) -> Option<bool> {
    let file = Library::open(descriptor)?;
    let (mut strings, mut strings_length, mut symbols, mut table) = (0, 0, 0, 0);
    let (dynamic, length) = file.dynamic()?;
    for index in 0..(length / 16).min(MOST_ENTRIES) {
        let place = dynamic.wrapping_add(index * 16);
        let value = word(descriptor, place.wrapping_add(8))?;
        match word(descriptor, place)? {
            0 => break,
            DT_STRTAB => strings = file.place_of(value)?,
            DT_SYMTAB => symbols = file.place_of(value)?,
            DT_STRSZ => strings_length = value,
            DT_GNU_HASH => table = file.place_of(value)?,
            _ => {}
        }
    }
    // Most libraries have no such name at all.
    if !holds(descriptor, buffer, strings, strings_length, wanted) {
        return Some(false);
    }
    // Names that others shall define come in front of those that the hash table has.
    let first_defined = u32::from_le_bytes(read(descriptor, table.wrapping_add(4))?);
    for index in 1..u64::from(first_defined).min(MOST_SYMBOLS) {
        let place = symbols.wrapping_add(index * SYMBOL);
        let [a, b, c, d, _, _, section, more] = read(descriptor, place)?;
        let name = u64::from(u32::from_le_bytes([a, b, c, d]));
        let is_undefined = section == 0 && more == 0;
        if is_undefined && &read(descriptor, strings.wrapping_add(name))? == wanted {
            return Some(true);
        }
    }
    Some(false)
}

/// An ELF file, as far as it says where its parts are.
struct Library {
    descriptor: usize,
    headers: u64,
    count: u64,
}

impl Library {
    fn open(descriptor: usize) -> Option<Self> {
        const HEADERS_AT: u64 = 32;
        const COUNT_AT: u64 = 56;
        let magic: [u8; 4] = read(descriptor, 0)?;
        let count = u64::from(u16::from_le_bytes(read(descriptor, COUNT_AT)?));
        (&magic == b"\x7fELF").then_some(Library {
            descriptor,
            headers: word(descriptor, HEADERS_AT)?,
            count: count.min(MOST_HEADERS),
        })
    }

    /// Kind, place in the file, address and length there of a segment.
    fn segment(&self, index: u64) -> Option<[u64; 4]> {
        let header = self.headers.wrapping_add(index * HEADER);
        let at = |offset| word(self.descriptor, header.wrapping_add(offset));
        Some([at(0)? & 0xffff_ffff, at(8)?, at(16)?, at(32)?])
    }

    fn segments(&self) -> impl Iterator<Item = [u64; 4]> + '_ {
        (0..self.count).map_while(|index| self.segment(index))
    }

    /// Where in the file the dynamic section is, and how long.
    fn dynamic(&self) -> Option<(u64, u64)> {
        let mut segments = self.segments();
        segments
            .find_map(|[kind, place, _, length]| (kind == PT_DYNAMIC).then_some((place, length)))
    }

    /// Where in the file the byte of an address is.
    fn place_of(&self, address: u64) -> Option<u64> {
        self.segments().find_map(|[kind, place, from, length]| {
            let inside = address.wrapping_sub(from);
            (kind == PT_LOAD && inside < length).then_some(place.wrapping_add(inside))
        })
    }
}

fn word(descriptor: usize, offset: u64) -> Option<u64> {
    read(descriptor, offset).map(u64::from_le_bytes)
}

fn read<const LENGTH: usize>(descriptor: usize, offset: u64) -> Option<[u8; LENGTH]> {
    let mut bytes = [0; LENGTH];
    (fill(descriptor, offset, &mut bytes) == LENGTH).then_some(bytes)
}

/// How many bytes there were.
fn fill(descriptor: usize, offset: u64, into: &mut [u8]) -> usize {
    let (place, length) = (into.as_mut_ptr() as usize, into.len());
    // SAFETY: the kernel writes into the slice, as far as it reaches.
    let result = unsafe {
        raw::syscall6(
            Number::PREAD64,
            descriptor,
            place,
            length,
            offset as usize,
            0,
            0,
        )
    };
    usize::try_from(result).unwrap_or(0).min(length)
}

/// Whether a part of the file has these bytes in a row.
fn holds(
    descriptor: usize,
    buffer: &mut [u8; 4096],
    offset: u64,
    length: u64,
    wanted: &[u8],
) -> bool {
    let part = (offset, length);
    has(descriptor, buffer, part, wanted.len(), |bytes| {
        contains(bytes, wanted)
    })
}

/// Whether a part of the file has something that is at most `longest` bytes long.
fn has(
    descriptor: usize,
    buffer: &mut [u8; 4096],
    (mut offset, mut length): (u64, u64),
    longest: usize,
    is_in: impl Fn(&[u8]) -> bool,
) -> bool {
    loop {
        let asked = length.min(4096) as usize;
        let there = fill(
            descriptor,
            offset,
            buffer.get_mut(..asked).unwrap_or(&mut []),
        );
        if is_in(buffer.get(..there).unwrap_or(&[])) {
            return true;
        }
        // The next piece begins with the last bytes of this one, which may be the first of those wanted.
        let step = there.saturating_sub(longest.saturating_sub(1));
        if there < asked || step == 0 || there as u64 == length {
            return false;
        }
        offset = offset.wrapping_add(step as u64);
        length = length.saturating_sub(step as u64);
    }
}
