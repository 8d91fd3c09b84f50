//! Checksums: of a call's arguments, and the running one of everything a thread gives away.
//!
//! A record carries eight bits. For calls that give bytes away they come from the running checksum of
//! the thread, so a difference once met stays visible in every later check byte.

use crate::state::Thread;
use crate::table::Call;
use crate::user;

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

#[inline(always)]
pub fn mix(hash: u64, value: u64) -> u64 {
    let mixed = (hash ^ value).wrapping_mul(MULTIPLIER);
    mixed ^ (mixed >> 29)
}

/// # Safety
/// `from` is readable for `length` bytes, or the caller guards against the fault.
#[inline]
pub unsafe fn hash_bytes(mut hash: u64, from: *const u8, length: usize) -> u64 {
    let mut position = 0;
    // SAFETY: as the caller says.
    unsafe {
        while position + 8 <= length {
            hash = mix(hash, from.add(position).cast::<u64>().read_unaligned());
            position += 8;
        }
        let mut rest = 0u64;
        let mut shift = 0;
        while position < length {
            rest |= u64::from(from.add(position).read()) << shift;
            shift += 8;
            position += 1;
        }
        mix(hash, rest ^ ((length as u64) << 56))
    }
}

/// Folds a checksum into the byte that a record has room for.
#[inline(always)]
pub fn fold(hash: u64) -> u8 {
    (hash ^ (hash >> 32) ^ (hash >> 16) ^ (hash >> 48) ^ (hash >> 56)) as u8
}

/// Longest string that is looked at.
const STRING_LIMIT: usize = 4096;

/// Checksum of a call's number and scalar arguments. Rotations instead of products: this runs for every
/// call, and eight bits of it are kept.
#[inline(always)]
fn scalars(call: &Call, number: usize, arguments: &[usize; 6]) -> u64 {
    let mut sum = number as u64;
    let mut index = 0;
    while index < 6 {
        // All ones if the argument counts. Only the lower half of it: the upper half of an int argument
        // is undefined by the ABI.
        let counts = (u32::from(call.scalars) >> index & 1).wrapping_neg();
        // SAFETY: the index is below 6.
        let argument = unsafe { *arguments.get_unchecked(index) } as u32;
        sum = sum.rotate_left(11) ^ u64::from(argument & counts);
        index += 1;
    }
    mix(1, sum)
}

/// The check byte of a call: its scalar arguments and the strings it passes.
#[inline(always)]
pub fn arguments(thread: &mut Thread, call: &Call, number: usize, arguments: &[usize; 6]) -> u8 {
    let mut hash = scalars(call, number, arguments);
    if call.strings != 0 {
        hash = strings(thread, call, hash, arguments);
    }
    fold(hash)
}

#[inline(never)]
fn strings(thread: &mut Thread, call: &Call, mut hash: u64, arguments: &[usize; 6]) -> u64 {
    let mut index = 0;
    while index < 6 {
        if call.strings & (1 << index) != 0 {
            // SAFETY: the index is below 6.
            let from = unsafe { *arguments.get_unchecked(index) };
            if let Some(length) = user::string_length(thread, from, STRING_LIMIT) {
                hash = user::hash(thread, hash, from, length);
            }
        }
        index += 1;
    }
    hash
}
