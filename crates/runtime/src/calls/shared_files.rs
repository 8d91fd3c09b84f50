//! Replay: parts of the session file that stand for shared files and segments.

use crate::calls::writethrough;
use crate::log;
use crate::memory::hash;
use crate::state::mappings::Mapping;
use crate::state::{MAP_FIXED, Thread, at, connection, header};
use wayfarer_calls::Number;
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::atomic::{Ordering, spin_loop};
use wayfarer_runtime_abi::{SESSION_FD, UNIT};

const MAP_SHARED: usize = 1;

/// Writes to the file (device, inode, offset) behind this mapping change the memory.
pub fn remember(thread: &mut Thread, address: usize, length: usize, file: [u64; 3]) {
    let [device, inode, offset] = file;
    let mapping = Mapping {
        address,
        length,
        device,
        inode,
        offset,
    };
    writethrough::remember(thread, mapping);
}

/// Maps the part of the session file that stands for a shared file or segment, and puts the recorded
/// bytes into it.
pub fn replay_shared(
    thread: &mut Thread,
    address: usize,
    length: usize,
    protection: usize,
    payload: &'static [u8],
) -> isize {
    let (device, inode) = (word(payload, 1), word(payload, 9));
    let (offset, size) = (word(payload, 17), word(payload, 25));
    let Some(region) = region(device, inode, size.max(offset + length as u64)) else {
        return -12;
    };
    remember(thread, address, length, [device, inode, region + offset]);
    let bytes = payload.get(33..).unwrap_or(&[]);
    // SAFETY: the region belongs to this file alone; the kernel checks the rest.
    unsafe {
        core::ptr::copy_nonoverlapping(
            bytes.as_ptr(),
            at(region + offset),
            bytes.len().min(length),
        );
        raw::syscall6(
            Number::MMAP,
            address,
            length,
            protection,
            MAP_SHARED | MAP_FIXED,
            SESSION_FD as usize,
            (region + offset) as usize,
        )
    }
}

/// Offset of the region of a shared file in the session file; made on first use. The table of
/// connections is free in a replay: connections come from the log.
fn region(device: u64, inode: u64, size: u64) -> Option<u64> {
    const READY: u32 = 2;
    let hash = hash::mix(device, inode) as u32;
    let mut probe = 0;
    while probe < 256 {
        let place = connection(hash.wrapping_add(probe));
        let [of_device, of_inode, region, room, ..] = &place.key;
        let claimed = place
            .state
            .compare_exchange(0, 1, Ordering::AcqRel, Ordering::Acquire);
        if claimed.is_ok() {
            // Room to grow: a file may be mapped again after it was made longer.
            let units = (size.max(1) * 2).div_ceil(UNIT).max(16);
            region.set(log::allocate(units)?);
            of_device.set(device);
            of_inode.set(inode);
            room.set(units * UNIT);
            place.state.store(READY, Ordering::Release);
            return Some(region.get());
        }
        while place.state.load(Ordering::Acquire) != READY {
            spin_loop();
            if header().stop.load(Ordering::Relaxed) != 0 {
                return None;
            }
        }
        if of_device.get() == device && of_inode.get() == inode && room.get() >= size {
            return Some(region.get());
        }
        probe += 1;
    }
    None
}

/// Eight bytes of a record's payload.
pub fn word(payload: &[u8], at: usize) -> u64 {
    match payload.get(at..at.wrapping_add(8)) {
        Some(&[a, b, c, d, e, f, g, h]) => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => 0,
    }
}
