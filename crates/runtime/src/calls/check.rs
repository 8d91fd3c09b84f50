//! Checksums: of a call's arguments, and the running one of everything a thread gives away.
//!
//! Each record carries eight bits over its scalar arguments and strings. For calls that give bytes
//! away they come from the running checksum of the thread, so that a difference stays visible in
//! every later check byte.

use crate::memory::hash::{fold, mix};
use crate::memory::user;
use crate::state::Thread;
use wayfarer_calls::{Call, Number};
use wayfarer_entrance::arguments::Arguments;

/// Longest string that is looked at.
const STRING_LIMIT: usize = 4096;

/// The check byte of a call that passes no strings.
#[inline(always)]
pub fn scalars(call: &Call, number: Number, arguments: &[usize; 6]) -> u8 {
    fold(scalar_sum(call, number, arguments))
}

/// Checksum of a call's number and scalar arguments. Rotations instead of products: this runs for every
/// call, and eight bits of it are kept.
#[inline(always)]
fn scalar_sum(call: &Call, number: Number, arguments: &[usize; 6]) -> u64 {
    let mut sum = number.word();
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
pub fn arguments(thread: &mut Thread, call: &Call, number: Number, arguments: &Arguments) -> u8 {
    let mut hash = scalar_sum(call, number, arguments);
    if call.strings != 0 {
        hash = strings(thread, call, hash, arguments);
    }
    fold(hash)
}

#[inline(never)]
fn strings(thread: &mut Thread, call: &Call, mut hash: u64, arguments: &Arguments) -> u64 {
    let mut index = 0;
    while index < 6 {
        if call.strings & (1 << index) != 0 {
            let from = arguments.address(index);
            if let Some(length) = user::string_length(thread, from, STRING_LIMIT) {
                hash = user::hash(thread, hash, from, length);
            }
        }
        index += 1;
    }
    hash
}
