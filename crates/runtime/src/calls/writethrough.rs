//! Writes to a file that this process has mapped shared: they change its memory, too.
//!
//! The record of such a write carries where and what, like any other output of a call.

use crate::state::mappings::Mapping;
use crate::state::{Thread, at};
use wayfarer_calls::Number;
use wayfarer_entrance::arguments::{Address, Span};
use wayfarer_entrance::raw;

/// Remembers a shared mapping of a file.
pub fn remember(thread: &mut Thread, mapping: Mapping) {
    let process = thread.process();
    for place in &process.mappings {
        if place.length.get() == 0 || place.address.get() == mapping.address {
            place.set(mapping);
            return;
        }
    }
}

/// munmap, mremap: what has moved or gone is not written through any more.
pub fn forget(thread: &mut Thread, address: usize, length: usize) {
    for place in &thread.process().mappings {
        let mapping = place.get();
        if mapping.length != 0
            && mapping.address < address.wrapping_add(length)
            && address < mapping.address.wrapping_add(mapping.length)
        {
            place.length.set(0);
        }
    }
}

/// mremap of a remembered mapping.
pub fn moved(thread: &mut Thread, from: usize, to: usize, length: usize) {
    for place in &thread.process().mappings {
        if place.length.get() != 0 && place.address.get() == from {
            place.address.set(to);
            place.length.set(length);
        }
    }
}

/// Replay: writes `bytes` to where `address` is mapped from, which works for a view that may only be read.
/// The mappings of a replay have their offset in the session file. False when no mapping is known there.
pub fn write_behind(thread: &Thread, address: Address, bytes: &[u8]) -> bool {
    for place in &thread.process().mappings {
        let mapping = place.get();
        let inside = address.number().wrapping_sub(mapping.address);
        if mapping.length != 0 && inside < mapping.length {
            let length = bytes.len().min(mapping.length - inside);
            // SAFETY: within the part of the session file that stands for the mapped file.
            unsafe {
                let to = at(mapping.offset + inside as u64);
                core::ptr::copy_nonoverlapping(bytes.as_ptr(), to, length);
            }
            return true;
        }
    }
    false
}

/// The memory that a write of `count` bytes to `descriptor` has changed. `end` is the
/// position in the file after the write, where the call told it.
pub fn changed(thread: &Thread, descriptor: usize, count: usize, end: Option<u64>) -> Option<Span> {
    let mappings = &thread.process().mappings;
    if mappings
        .first()
        .is_none_or(|first| first.address.get() == 0)
    {
        return None;
    }
    let mut status = [0u64; 18];
    // SAFETY: a stat is 144 bytes; lseek touches no memory.
    let end = unsafe {
        if raw::syscall6(
            Number::FSTAT,
            descriptor,
            (&raw mut status) as usize,
            0,
            0,
            0,
            0,
        ) != 0
        {
            return None;
        }
        match end {
            Some(end) => end,
            None => raw::syscall6(Number::LSEEK, descriptor, 0, 1, 0, 0, 0) as u64,
        }
    };
    let start = end.checked_sub(count as u64)?;
    for place in mappings {
        let mapping = place.get();
        let inside = start.wrapping_sub(mapping.offset);
        if mapping.length != 0
            && mapping.device == status[0]
            && mapping.inode == status[1]
            && start >= mapping.offset
            && inside < mapping.length as u64
        {
            let length = count.min(mapping.length - inside as usize);
            let start = Address::new(mapping.address + inside as usize);
            return Some(Span { start, length });
        }
    }
    None
}
