//! Instructions that tell the program something without a call, found in its code and made to
//! fault: the time-stamp counter (`rdtsc`, `rdtscp`) and the processor's random numbers (`rdrand`,
//! `rdseed`).
//!
//! Databases draw lots from the counter, and libraries measure themselves with it while they are
//! loaded. The first byte of the opcode becomes that of `hlt`, which faults in a program. The
//! handler of faults answers, and records the value like a clock (`counter.rs`).
//!
//! Such an instruction is two or three bytes, which turn up within other instructions, too. So the
//! function around them is decoded, instruction by instruction from where its unwind information
//! says that it begins (`functions.rs`, `instruction.rs`). Where there is no such information, the
//! shift by 32 that puts the two halves of the counter together must follow. Modules that were
//! looked through once are remembered for all processes of the session, by their build ids.
//!
//! The kernel can make all reads of the counter fault. That would cost the vDSO's clocks, which
//! read it, so it is used for programs of Go only, whose code has no unwind information.

use crate::memory::user;
use crate::program::functions::Functions;
use crate::state::{Thread, at};
use core::arch::x86_64::{
    __m128i, _mm_and_si128, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_or_si128,
    _mm_set1_epi8,
};
use wayfarer_calls::Number;
use wayfarer_entrance::arguments::Address;
use wayfarer_entrance::modules::{self, Auxiliary, Module};
use wayfarer_entrance::{dispatch, raw};
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::layout::{COUNTER_MODULES, COUNTERS_OFFSET, CounterModule};

/// What is put in the place of the first byte of a read.
pub const HALT: u8 = 0xf4;
const FIRST: u8 = 0x0f;
/// How far after a read of the counter its halves are put together.
const NEAR: usize = 18;
/// Bytes that tell whether something may be a read.
const LONGEST: usize = 3 + NEAR;
const PAGE: usize = 4096;

/// What bytes look like that may be a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    Other,
    Read,
    /// With the halves of the counter put together after it.
    WholeRead,
}

fn look_of(code: &[u8]) -> Look {
    let length = match code {
        [FIRST, 0x31, ..] => 2,
        [FIRST, 0x01, 0xf9, ..] => 3,
        // rdrand and rdseed
        [FIRST, 0xc7, 0xf0..=0xff, ..] => return Look::Read,
        _ => return Look::Other,
    };
    let behind = code.get(length..).unwrap_or(&[]);
    let behind = behind.get(..NEAR).unwrap_or(behind);
    let is_shift = |part: &[u8]| matches!(part, [0x48 | 0x49, 0xc1, 0xe0..=0xe7, 32]);
    if behind.windows(4).any(is_shift) {
        Look::WholeRead
    } else {
        Look::Read
    }
}

/// Calls `found` for all that looks like a read and begins in the first `limit` bytes of `code`.
fn for_each_look(code: &[u8], limit: usize, found: &mut dyn FnMut(usize, Look)) {
    const WIDTH: usize = size_of::<__m128i>();
    let mut look_at = |place: usize| match look_of(code.get(place..).unwrap_or(&[])) {
        Look::Other => {}
        look => found(place, look),
    };
    let mut position = 0;
    while position < limit {
        let rest = code.get(position..).unwrap_or(&[]);
        if rest.len() > WIDTH {
            // SAFETY: one byte more than the width is there; every x86-64 processor has these instructions.
            let mut candidates = unsafe {
                let here = _mm_loadu_si128(rest.as_ptr().cast());
                let next = _mm_loadu_si128(rest.as_ptr().add(1).cast());
                let is = |bytes, wanted: u8| _mm_cmpeq_epi8(bytes, _mm_set1_epi8(wanted as i8));
                let counter = _mm_or_si128(is(next, 0x31), is(next, 0x01));
                let second = _mm_or_si128(counter, is(next, 0xc7));
                _mm_movemask_epi8(_mm_and_si128(is(here, FIRST), second))
            };
            while candidates != 0 {
                let place = position + candidates.trailing_zeros() as usize;
                candidates &= candidates - 1;
                if place < limit {
                    look_at(place);
                }
            }
            position += WIDTH;
        } else {
            look_at(position);
            position += 1;
        }
    }
}

/// Calls `found` for each read in this part of memory, with the address of its opcode.
fn look_through(
    thread: &mut Thread,
    functions: Option<Functions>,
    (from, length): (usize, usize),
    found: &mut dyn FnMut(usize),
) {
    let is_read = |address: usize, look: Look| match functions.and_then(|all| all.around(address)) {
        Some(function) => function.has_opcode_at(address, unmark),
        None => look == Look::WholeRead,
    };
    let mut done = 0;
    while done < length {
        let there = (length - done).min(thread.scratch.len());
        let place = from + done;
        let into = thread.scratch.get_mut(..there);
        if !into.is_some_and(|into| user::fill(into, Address::new(place))) {
            return;
        }
        let is_last = done + there == length;
        let limit = if is_last {
            there
        } else {
            there.saturating_sub(LONGEST)
        };
        let code = thread.scratch.get(..there).unwrap_or(&[]);
        for_each_look(code, limit, &mut |offset, look| {
            if is_read(place + offset, look) {
                found(place + offset);
            }
        });
        done += limit;
    }
}

/// Makes a read fault.
///
/// # Safety
/// The address must be that of an opcode in private code that does not run yet.
unsafe fn mark(address: usize) {
    const READ_WRITE: usize = 3;
    const READ_EXECUTE: usize = 5;
    if dispatch::is_own_text(address) {
        return;
    }
    let page = address & !(PAGE - 1);
    // SAFETY: as the caller says.
    unsafe {
        if raw::syscall6(Number::MPROTECT, page, PAGE, READ_WRITE, 0, 0, 0) == 0 {
            (address as *mut u8).write_volatile(HALT);
            raw::syscall6(Number::MPROTECT, page, PAGE, READ_EXECUTE, 0, 0, 0);
        }
    }
}

/// Undoes [`mark`] in a copy of the instruction at its start.
fn unmark(code: &mut [u8]) {
    const MOST_PREFIXES: usize = 2;
    for position in 0..=MOST_PREFIXES {
        let is_mark = match code.get(position..) {
            Some([HALT, 0x31, ..] | [HALT, 0x01, 0xf9, ..] | [HALT, 0xc7, 0xf0..=0xff, ..]) => true,
            Some([0x66 | 0x40..=0x4f, ..]) => false,
            _ => return,
        };
        if is_mark && let Some(byte) = code.get_mut(position) {
            *byte = FIRST;
        }
    }
}

/// Both modes, at start: all modules that are loaded.
///
/// # Safety
/// Only while the process has one thread.
pub unsafe fn mark_loaded(thread: &mut Thread, auxiliary: &Auxiliary) {
    // SAFETY: as the caller says.
    for module in unsafe { modules::loaded(auxiliary) } {
        if module.base != auxiliary.vdso || auxiliary.vdso == 0 {
            mark_module(thread, &module);
        }
    }
}

/// Both modes: part of a file was just mapped to be run.
#[cold]
#[inline(never)]
pub fn mark_mapped(thread: &mut Thread, address: usize, length: usize, offset: usize) {
    // Linkers make files that are mapped in one piece, so the header is where it should be, or nowhere.
    let header = address.wrapping_sub(offset);
    let is_header = has_headers(header);
    // SAFETY: the header was just found there.
    let module = is_header.then(|| unsafe { Module::at(header, core::ptr::null()) });
    let functions = module.and_then(|module| Functions::of(&module));
    // SAFETY: found in a part of a file that was just mapped: nothing runs there yet.
    let found = &mut |site| unsafe { mark(site) };
    look_through(thread, functions, (address, length), found);
}

/// Whether an ELF header lies there, and after it on the same page the table of the file's segments.
fn has_headers(address: usize) -> bool {
    const HEADER: u64 = 56;
    let header = Address::new(address);
    let table = user::read::<u64>(header.plus(32));
    let count = user::read::<u16>(header.plus(56));
    let end = table
        .zip(count)
        .map(|(table, count)| table.saturating_add(HEADER * u64::from(count)));
    address.is_multiple_of(PAGE)
        && user::read::<[u8; 4]>(header) == Some(*b"\x7fELF")
        && end.is_some_and(|end| end <= PAGE as u64)
}

fn mark_module(thread: &mut Thread, module: &Module) {
    let key = match module.build_id().first_chunk::<8>() {
        Some(bytes) => u64::from_le_bytes(*bytes) | 1,
        None => 0,
    };
    let entry = entry_of(key);
    let known = entry.map_or(0, |entry| entry.state.load(Ordering::Acquire));
    if let Some(entry) = entry
        && known != 0
    {
        for site in entry.sites.iter().take(known as usize - 1) {
            let site = site.load(Ordering::Relaxed) as usize;
            // SAFETY: found in this very module by whoever loaded it first.
            unsafe { mark(module.base.wrapping_add(site)) };
        }
        return;
    }
    let mut count = 0;
    let functions = Functions::of(module);
    for code in module.code() {
        look_through(thread, functions, code, &mut |site| {
            // SAFETY: just found in the module, which does not run yet.
            unsafe { mark(site) };
            let place = entry.and_then(|entry| entry.sites.get(count));
            if let Some(place) = place {
                place.store(site.wrapping_sub(module.base) as u32, Ordering::Relaxed);
            }
            count += 1;
        });
    }
    // Another thread that looks at the same time finds the same.
    if let Some(entry) = entry
        && count <= entry.sites.len()
    {
        entry.state.store(count as u32 + 1, Ordering::Release);
    }
}

/// What is remembered, or shall be, of the module with this key; 0: it has none.
fn entry_of(key: u64) -> Option<&'static CounterModule> {
    const TRIES: usize = 16;
    if key == 0 {
        return None;
    }
    let mut tries = 0;
    while tries < TRIES {
        let index = (key as usize).wrapping_add(tries) % COUNTER_MODULES;
        // SAFETY: the table is part of the session mapping; all zeros are empty entries.
        let entry = unsafe { &*at(COUNTERS_OFFSET).cast::<CounterModule>().add(index) };
        let found = entry
            .key
            .compare_exchange(0, key, Ordering::AcqRel, Ordering::Acquire);
        if found.is_ok() || found == Err(key) {
            return Some(entry);
        }
        tries += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks_in(code: &[u8]) -> Vec<(usize, Look)> {
        let mut found = Vec::new();
        for_each_look(code, code.len(), &mut |place, look| {
            found.push((place, look))
        });
        found
    }

    /// rdtsc; shl rdx, 32; or rax, rdx
    const READ: [u8; 9] = [0x0f, 0x31, 0x48, 0xc1, 0xe2, 0x20, 0x48, 0x09, 0xd0];
    /// rdtscp; mov [rsi], ecx; shl rdx, 32
    const WITH_PROCESSOR: [u8; 9] = [0x0f, 0x01, 0xf9, 0x89, 0x0e, 0x48, 0xc1, 0xe2, 0x20];

    #[test]
    fn reads_are_found_wherever_they_are() {
        for read in [READ, WITH_PROCESSOR] {
            for before in 0..70 {
                for behind in 0..40 {
                    let code = [vec![0x90; before], read.to_vec(), vec![0xcc; behind]].concat();
                    assert_eq!(looks_in(&code), [(before, Look::WholeRead)], "{behind}");
                }
            }
        }
    }

    #[test]
    fn the_bytes_alone_may_be_one() {
        let mut code = vec![0x90; 100];
        code[40..42].copy_from_slice(&READ[..2]);
        assert_eq!(looks_in(&code), [(40, Look::Read)]);
        // Too far away to belong together.
        code[40 + 2 + NEAR..][..4].copy_from_slice(&READ[2..6]);
        assert_eq!(looks_in(&code), [(40, Look::Read)]);
        // rdrand r12
        code[60..64].copy_from_slice(&[0x49, 0x0f, 0xc7, 0xf4]);
        assert_eq!(looks_in(&code), [(40, Look::Read), (61, Look::Read)]);
    }

    #[test]
    fn what_is_behind_the_limit_is_for_the_next_piece() {
        let code = [vec![0x90; 30], READ.to_vec()].concat();
        let mut found = Vec::new();
        for_each_look(&code, 30, &mut |place, _| found.push(place));
        assert!(found.is_empty(), "{found:?}");
    }
}
