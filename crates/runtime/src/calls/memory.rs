//! Memory mappings: really made in both runs, at the same addresses, with the same contents.
//!
//! # Which files a trace carries
//!
//! Files below `/usr`, programs, libraries and large unchanged files are mapped from their place
//! again in a replay. They are verified by size and first page, modules by build id and before
//! anything starts. All other mapped files are carried in the trace. So is everything that was made
//! or changed since the recording began, libraries included and whatever time its maker gave it,
//! because programs remove what they made. A trace stays small this way, and a replay needs the
//! software that was recorded, but not the data.

use crate::calls::check;
use crate::calls::record::{Made, call_kernel};
use crate::calls::replay;
use crate::calls::shared_files::{remember, replay_shared, word};
use crate::calls::writethrough;
use crate::log::reader;
use crate::memory::user;
use crate::program::counter_sites;
use crate::program::disarm;
use crate::program::late;
use crate::program::path::path_of;
use crate::serial::token;
use crate::session::diverge;
use crate::state::{MAP_FIXED, Thread, header};
use wayfarer_calls::Number;
use wayfarer_entrance::arguments::{Address, Span};
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::layout::{SESSION_BASE, divergence};
use wayfarer_runtime_abi::record::{self, note};

const MAP_PRIVATE: usize = 2;
const MAP_ANONYMOUS: usize = 0x20;
const MAP_FIXED_NOREPLACE: usize = 0x10_0000;
const PROT_WRITE: usize = 2;
const PROT_READ: usize = 1;
const PROT_EXEC: usize = 4;
const PAGE: usize = 4096;

/// By how much the time of a change may lie in the past already when the file gets it.
const TICK_NS: u64 = 10_000_000;

/// Larger files that were not changed lately are taken from their place again, like libraries; and so
/// are those below /usr, which come with the system as libraries do.
const LARGEST_COPY: u64 = 1 << 20;

/// First byte of the payload of a file mapping: where a replay gets the bytes from.
mod source {
    /// From the file itself: 8 bytes of checksum over the first page, then the path.
    pub const FILE: u8 = 1;
    /// From the log: the bytes.
    pub const CONTENTS: u8 = 2;
    /// From the log, into memory that all processes share: device, inode, offset in the file and size
    /// of the file (8 bytes each), then the bytes.
    pub const SHARED: u8 = 3;
}

fn is_shared(flags: usize) -> bool {
    matches!(flags & 0xf, 1 | 3)
}

/// Whether what a shared mapping of a file shows may change: through itself, or through a second mapping or a
/// call on the same descriptor. Programs that make code map a file twice like this, to write and to run.
fn may_change(made: &Made) -> bool {
    const GET_FLAGS: usize = 3;
    const ACCESS: isize = 3;
    let a = &made.arguments;
    if !is_shared(a[3]) || a[2] & PROT_WRITE != 0 {
        return is_shared(a[3]);
    }
    // SAFETY: asks for a number.
    let flags = unsafe { raw::syscall6(Number::FCNTL, a[4], GET_FLAGS, 0, 0, 0, 0) };
    flags > 0 && flags & ACCESS != 0
}

#[inline(never)]
pub fn record(thread: &mut Thread, made: &mut Made) -> isize {
    made.check = check::arguments(thread, made.call, made.number, &made.arguments);
    disarm::before_call(thread, made.number, &made.arguments);
    // SAFETY: the program's own call.
    let result = unsafe { call_kernel(made.number, &made.arguments) };
    let mut source = 0;
    match made.number {
        Number::MMAP if is_file_mapping(made, result) => {
            source = record_file(thread, made, result);
            let [_, length, protection, _, descriptor, offset] = *made.arguments;
            if source != source::SHARED && protection & PROT_EXEC != 0 {
                late::code_mapped(thread, descriptor, offset as u64, length as u64);
            }
            mark_counters(thread, made, result);
        }
        Number::SHMAT if result > 0 => record_segment(thread, made, result),
        Number::MREMAP if !is_error(result) => {
            writethrough::moved(
                thread,
                made.arguments[0],
                result as usize,
                made.arguments[2],
            );
            thread.emit_call(Number::MREMAP, made.check, result as i64);
        }
        _ => thread.emit_call(made.number, made.check, result as i64),
    }
    join_if_shared(thread, made, result, source);
    result
}

fn is_file_mapping(made: &Made, result: isize) -> bool {
    made.arguments[3] & MAP_ANONYMOUS == 0 && !is_error(result)
}

fn is_error(result: isize) -> bool {
    (-4095..0).contains(&result)
}

/// Both modes: memory that other processes may share puts us into their domain.
fn join_if_shared(thread: &mut Thread, made: &Made, result: isize, source: u8) {
    let joins = match made.number {
        Number::MMAP if source == source::SHARED => true,
        Number::MMAP => is_shared(made.arguments[3]) && made.arguments[2] & PROT_WRITE != 0,
        Number::SHMAT => true,
        _ => false,
    };
    if joins && !is_error(result) {
        token::join_shared_domain(thread);
    }
}

#[derive(Clone, Copy, Default)]
struct File {
    device: u64,
    inode: u64,
    size: u64,
    is_regular: bool,
    /// It has a name, and was last changed before the session began.
    is_settled: bool,
}

fn describe(descriptor: usize) -> Option<File> {
    // The time of change, not that of modification, which programs set as they like.
    const CHANGED: usize = 13;
    let mut status = [0u64; 18];
    // SAFETY: a stat is 144 bytes.
    let result = unsafe {
        raw::syscall6(
            Number::FSTAT,
            descriptor,
            (&raw mut status) as usize,
            0,
            0,
            0,
            0,
        )
    };
    (result == 0).then_some(File {
        device: status[0],
        inode: status[1],
        is_regular: status[3] & 0o170_000 == 0o100_000,
        is_settled: status[2] > 0
            && status[CHANGED]
                .wrapping_mul(1_000_000_000)
                .wrapping_add(status[CHANGED + 1])
                .wrapping_add(TICK_NS)
                < header().start_realtime_ns,
        size: status[6],
    })
}

fn starts_like_elf(descriptor: usize) -> bool {
    let mut head = [0u8; 4];
    // SAFETY: four bytes on this stack.
    let result = unsafe {
        raw::syscall6(
            Number::PREAD64,
            descriptor,
            (&raw mut head) as usize,
            4,
            0,
            0,
            0,
        )
    };
    result == 4 && &head == b"\x7fELF"
}

/// A file mapping: by its path if it is a program or library, else with its bytes. Says which.
fn record_file(thread: &mut Thread, made: &Made, result: isize) -> u8 {
    let (address, length, offset) = (result as usize, made.arguments[1], made.arguments[5] as u64);
    let start = Address::new(address);
    let file = describe(made.arguments[4]).unwrap_or_default();
    let shared = may_change(made);
    let mut head = [0u8; 33];
    if !file.is_regular {
        // A device: whatever it shows is taken as zeros, which is right for /dev/zero.
        thread.emit_with(made.head(result), &[source::CONTENTS]);
        return source::CONTENTS;
    }
    // What the program has just made may be gone tomorrow, even a library that it loads.
    if !shared && file.is_settled {
        let elf = starts_like_elf(made.arguments[4]);
        // Not on the stack, which is the program's and may be short.
        let length = path_of(made.arguments[4], &mut thread.scratch);
        let path = thread.scratch.get(..length).unwrap_or(&[]);
        if elf || file.size > LARGEST_COPY || path.starts_with(b"/usr/") {
            let path = (path.as_ptr(), path.len());
            let hash = page_hash(thread, start, file, offset, made.arguments[2]);
            head[0] = source::FILE;
            copy_word(&mut head, 1, hash);
            let head = head.get(..9).unwrap_or(&[]);
            thread.emit_filled(made.head(result), head.len() + path.1, |place| {
                // SAFETY: room was made; the path stays where it was put.
                unsafe {
                    core::ptr::copy_nonoverlapping(head.as_ptr(), place, head.len());
                    core::ptr::copy_nonoverlapping(path.0, place.add(head.len()), path.1);
                }
            });
            return source::FILE;
        }
    }
    let there = file.size.saturating_sub(offset).min(length as u64) as usize;
    let readable = made.arguments[2] & 1 != 0;
    let there = Span {
        start,
        length: if readable { there } else { 0 },
    };
    if shared {
        thread.note(note::SHARED_FILE, file.inode as i64, &[]);
        head[0] = source::SHARED;
        copy_word(&mut head, 1, file.device);
        copy_word(&mut head, 9, file.inode);
        copy_word(&mut head, 17, offset);
        copy_word(&mut head, 25, file.size);
        write(thread, made, result, &head, there);
        let (device, inode) = (file.device, file.inode);
        remember(thread, address, length, [device, inode, offset]);
        source::SHARED
    } else {
        head[0] = source::CONTENTS;
        let head = head.get(..1).unwrap_or(&[]);
        write(thread, made, result, head, there);
        source::CONTENTS
    }
}

fn copy_word(head: &mut [u8; 33], at: usize, word: u64) {
    let bytes = word.to_le_bytes();
    let mut index = 0;
    while index < 8 {
        if let (Some(to), Some(from)) = (head.get_mut(at + index), bytes.get(index)) {
            *to = *from;
        }
        index += 1;
    }
}

/// Checksum of the start of a library, to know it again.
fn page_hash(
    thread: &mut Thread,
    address: Address,
    file: File,
    offset: u64,
    protection: usize,
) -> u64 {
    if protection & 1 == 0 || offset != 0 {
        return 0;
    }
    let length = file.size.min(PAGE as u64) as usize;
    user::hash(thread, file.size, address, length)
}

fn write(thread: &mut Thread, made: &Made, result: isize, head: &[u8], piece: Span) {
    thread.emit_filled(made.head(result), head.len() + piece.length, |place| {
        // SAFETY: room was made. Another thread may take the memory away meanwhile: then it is not seen.
        unsafe {
            core::ptr::copy_nonoverlapping(head.as_ptr(), place, head.len());
            user::copy_in(place.add(head.len()), piece.start, piece.length);
        }
    });
}

/// A System V segment: shared memory under the number of the segment.
fn record_segment(thread: &mut Thread, made: &Made, result: isize) {
    let mut status = [0u64; 14];
    // SAFETY: shmid_ds is 112 bytes; IPC_STAT is 2.
    unsafe {
        raw::syscall6(
            Number::SHMCTL,
            made.arguments[0],
            2,
            (&raw mut status) as usize,
            0,
            0,
            0,
        )
    };
    let size = status[6];
    let mut head = [0u8; 33];
    head[0] = source::SHARED;
    copy_word(&mut head, 1, u64::MAX);
    copy_word(&mut head, 9, made.arguments[0] as u32 as u64);
    copy_word(&mut head, 25, size);
    let segment = Span {
        start: Address::new(result as usize),
        length: size as usize,
    };
    write(thread, made, result, &head, segment);
}

/// Replay of the same calls.
#[inline(never)]
pub fn replay(thread: &mut Thread, made: &mut Made) -> isize {
    if made.number == Number::SHMDT || made.number == Number::SHMGET {
        let result = crate::calls::replay::emulate(thread, made, made.call);
        if made.number == Number::SHMDT && result == 0 {
            // The mapping itself stays: its length is not known here, and it is not looked at again.
            return 0;
        }
        return result;
    }
    let check = check::arguments(thread, made.call, made.number, &made.arguments);
    let next = replay::expect(thread, made, record::SYSCALL);
    replay::compare(thread, made, check, &next);
    reader::advance(thread, next.length);
    thread.count_event();
    let promised = next.value as isize;
    if made.number != Number::BRK && is_error(promised) {
        return promised;
    }
    let real = match made.number {
        Number::BRK => {
            // SAFETY: the program's own call.
            unsafe { call_kernel(Number::BRK, &made.arguments) }
        }
        Number::MREMAP => {
            let a = &made.arguments;
            writethrough::moved(thread, a[0], promised as usize, a[2]);
            replay_move(made, promised)
        }
        Number::SHMAT => {
            let length = word(next.payload, 25) as usize;
            replay_shared(thread, promised as usize, length, 3, next.payload)
        }
        _ => replay_map(thread, made, promised, next.payload),
    };
    if real != promised {
        diverge::details([promised as u64, made.arguments[1] as u64, (-real) as u64, 0]);
        diverge::report(
            thread,
            divergence::OTHER_MEMORY,
            made.number.word() as i64,
            check,
            &made.arguments,
            Some(&next),
        );
    }
    let source = next.payload.first().copied().unwrap_or(0);
    if made.number == Number::MMAP && is_file_mapping(made, promised) {
        mark_counters(thread, made, promised);
    }
    join_if_shared(thread, made, promised, source);
    promised
}

/// Both modes: code of a file, which its process alone sees, may read the time-stamp counter.
fn mark_counters(thread: &mut Thread, made: &Made, address: isize) {
    let [_, length, protection, flags, _, offset] = *made.arguments;
    if protection == PROT_READ | PROT_EXEC && !is_shared(flags) {
        counter_sites::mark_mapped(thread, address as usize, length, offset);
    }
}

fn replay_move(made: &Made, promised: isize) -> isize {
    let a = &made.arguments;
    // SAFETY: the program's own call; MREMAP_MAYMOVE | MREMAP_FIXED force the recorded place.
    unsafe {
        if promised as usize == a[0] {
            raw::syscall6(Number::MREMAP, a[0], a[1], a[2], a[3] & !1, 0, 0)
        } else {
            raw::syscall6(
                Number::MREMAP,
                a[0],
                a[1],
                a[2],
                a[3] | 3,
                promised as usize,
                0,
            )
        }
    }
}

fn replay_map(thread: &mut Thread, made: &Made, promised: isize, payload: &'static [u8]) -> isize {
    let a = &made.arguments;
    let place = if a[3] & MAP_FIXED != 0 {
        MAP_FIXED
    } else {
        MAP_FIXED_NOREPLACE
    };
    let flags = (a[3] & !MAP_FIXED_NOREPLACE) | place;
    let address = promised as usize;
    if a[3] & MAP_ANONYMOUS != 0 {
        // SAFETY: the program's own call at the recorded place.
        return unsafe { raw::syscall6(Number::MMAP, address, a[1], a[2], flags, usize::MAX, 0) };
    }
    match payload.first() {
        Some(&source::FILE) => replay_file(thread, made, address, flags, payload),
        Some(&source::SHARED) => replay_shared(thread, address, a[1], a[2], payload),
        _ => {
            let bytes = payload.get(1..).unwrap_or(&[]);
            let flags = MAP_PRIVATE | MAP_ANONYMOUS | place;
            // SAFETY: fresh memory at the recorded place, filled and then protected as asked.
            unsafe {
                let result = raw::syscall6(Number::MMAP, address, a[1], 3, flags, usize::MAX, 0);
                if result == promised {
                    let length = bytes.len().min(a[1]);
                    core::ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, length);
                    raw::syscall6(Number::MPROTECT, address, a[1], a[2], 0, 0, 0);
                }
                result
            }
        }
    }
}

fn replay_file(
    thread: &mut Thread,
    made: &Made,
    address: usize,
    flags: usize,
    payload: &'static [u8],
) -> isize {
    let a = &made.arguments;
    let path = payload.get(9..).unwrap_or(&[]);
    // Not on the stack, which is the program's and may be short.
    let name = thread.scratch.as_mut_ptr();
    let length = path.len().min(thread.scratch.len() - 1);
    // SAFETY: capped, with room for the byte that terminates the name.
    let descriptor = unsafe {
        core::ptr::copy_nonoverlapping(path.as_ptr(), name, length);
        name.add(length).write(0);
        raw::syscall6(Number::OPEN, name as usize, 0o2_000_000, 0, 0, 0, 0)
    };
    if descriptor < 0 {
        other_file(thread, made, path, -descriptor);
    }
    let descriptor = descriptor as usize;
    let file = describe(descriptor).unwrap_or_default();
    // SAFETY: the program's own call at the recorded place, on the file opened above.
    let result = unsafe {
        let result = raw::syscall6(Number::MMAP, address, a[1], a[2], flags, descriptor, a[5]);
        raw::syscall6(Number::CLOSE, descriptor, 0, 0, 0, 0, 0);
        result
    };
    if !is_error(result)
        && page_hash(thread, Address::new(address), file, a[5] as u64, a[2]) != word(payload, 1)
    {
        other_file(thread, made, path, 0);
    }
    result
}

fn other_file(thread: &mut Thread, made: &Made, path: &[u8], errno: isize) -> ! {
    diverge::details([errno as u64, 0, 0, 0]);
    diverge::text(path);
    diverge::report(
        thread,
        divergence::OTHER_FILE,
        Number::MMAP.word() as i64,
        0,
        &made.arguments,
        None,
    )
}

const _: () = assert!(SESSION_BASE.is_multiple_of(PAGE));
