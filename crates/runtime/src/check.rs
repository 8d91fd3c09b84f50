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
        let word = |at: usize| from.add(at).cast::<u64>().read_unaligned();
        while position + 16 <= length {
            hash = mix(mix(hash, word(position)), word(position + 8));
            position += 16;
        }
        if position + 8 <= length {
            hash = mix(hash, word(position));
        }
        mix(hash, tail(from, length) ^ ((length as u64) << 56))
    }
}

/// The last bytes that fill no word, lowest first.
///
/// # Safety
/// As [`hash_bytes`].
#[inline(always)]
unsafe fn tail(from: *const u8, length: usize) -> u64 {
    let left = length & 7;
    // SAFETY: as the caller says; all reads are within the length.
    unsafe {
        let end = from.add(length);
        if left == 0 {
            0
        } else if length >= 8 {
            end.sub(8).cast::<u64>().read_unaligned() >> (64 - 8 * left)
        } else if left >= 4 {
            let low = u64::from(from.cast::<u32>().read_unaligned());
            let high = u64::from(end.sub(4).cast::<u32>().read_unaligned());
            low | high << (8 * left - 32)
        } else {
            // First, middle and last of one, two or three.
            let low = u64::from(from.read());
            let middle = u64::from(from.add(left / 2).read()) << (8 * (left / 2));
            let high = u64::from(end.sub(1).read()) << (8 * left - 8);
            low | middle | high
        }
    }
}

/// Folds a checksum into the byte that a record has room for.
#[inline(always)]
pub fn fold(hash: u64) -> u8 {
    (hash ^ (hash >> 32) ^ (hash >> 16) ^ (hash >> 48) ^ (hash >> 56)) as u8
}

/// Longest string that is looked at.
const STRING_LIMIT: usize = 4096;

/// The check byte of a call that passes no strings.
#[inline(always)]
pub fn scalars(call: &Call, number: usize, arguments: &[usize; 6]) -> u8 {
    fold(scalar_sum(call, number, arguments))
}

/// Checksum of a call's number and scalar arguments. Rotations instead of products: this runs for every
/// call, and eight bits of it are kept.
#[inline(always)]
fn scalar_sum(call: &Call, number: usize, arguments: &[usize; 6]) -> u64 {
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
    let mut hash = scalar_sum(call, number, arguments);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_is_what_is_left_byte_by_byte() {
        let bytes: Vec<u8> = (0..40u8).map(|number| number.wrapping_mul(37)).collect();
        for start in 0..8 {
            for length in 0..=32 {
                let piece = &bytes[start..start + length];
                let left = &piece[length / 8 * 8..];
                let expected = left
                    .iter()
                    .rev()
                    .fold(0, |word, &byte| word << 8 | u64::from(byte));
                // SAFETY: the piece is that long.
                let found = unsafe { tail(piece.as_ptr(), length) };
                assert_eq!(found, expected, "{length} bytes from {start}");
            }
        }
    }
}
