//! Variable-length integers of the log: seven bits a byte, lowest first.

/// Longest encoding of a `u64`.
pub const MAX_VARINT: usize = 10;

/// Writes `value` at `at` and returns the place behind it.
///
/// # Safety
/// `at` must be valid for writes of [`MAX_VARINT`] bytes.
#[inline(always)]
pub const unsafe fn put_varint(mut at: *mut u8, mut value: u64) -> *mut u8 {
    // SAFETY: at most ten bytes are written, which the caller vouches for.
    unsafe {
        while value >= 0x80 {
            *at = (value as u8) | 0x80;
            value >>= 7;
            at = at.add(1);
        }
        *at = value as u8;
        at.add(1)
    }
}

/// How many bytes [`put_varint`] writes.
#[inline(always)]
pub const fn varint_length(value: u64) -> usize {
    (70 - (value | 1).leading_zeros() as usize) / 7
}

/// Small for numbers near zero of either sign.
#[inline(always)]
pub const fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

#[inline(always)]
pub const fn unzigzag(value: u64) -> i64 {
    ((value >> 1) as i64) ^ -((value & 1) as i64)
}

/// Reads a varint at `position` of `bytes`; the value and the position behind it.
#[inline]
pub fn get_varint(bytes: &[u8], mut position: usize) -> Option<(u64, usize)> {
    let mut value = 0u64;
    let mut shift = 0u32;
    loop {
        let byte = *bytes.get(position)?;
        position += 1;
        if shift == 63 && byte > 1 {
            return None;
        }
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some((value, position));
        }
        shift += 7;
        if shift > 63 {
            return None;
        }
    }
}
