//! Checksums over words and bytes.

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
const SECOND: u64 = 0xd6e8_feb8_6659_fd93;

#[inline(always)]
pub fn mix(hash: u64, value: u64) -> u64 {
    let mixed = (hash ^ value).wrapping_mul(MULTIPLIER);
    mixed ^ (mixed >> 29)
}

/// Multiplies sixteen bytes into a checksum.
#[inline(always)]
fn mix_two(hash: u64, low: u64, high: u64) -> u64 {
    let product = u128::from(hash ^ low) * u128::from(high ^ SECOND);
    product as u64 ^ (product >> 64) as u64
}

/// # Safety
/// `from` is readable for `length` bytes, or the caller guards against the fault.
#[inline]
pub unsafe fn hash_bytes(hash: u64, from: *const u8, length: usize) -> u64 {
    let mut hash = hash ^ (length as u64).wrapping_mul(MULTIPLIER);
    // SAFETY: as the caller says; all reads are within the length. What fills no sixteen bytes is read together with
    // bytes before it.
    unsafe {
        let end = from.add(length);
        let word = |at: *const u8| at.cast::<u64>().read_unaligned();
        let half = |at: *const u8| u64::from(at.cast::<u32>().read_unaligned());
        let byte = |at: *const u8| u64::from(at.read());
        if length >= 16 {
            let last = end.sub(16);
            let mut at = from;
            while at < last {
                hash = mix_two(hash, word(at), word(at.add(8)));
                at = at.add(16);
            }
            mix_two(hash, word(last), word(last.add(8)))
        } else if length >= 8 {
            mix_two(hash, word(from), word(end.sub(8)))
        } else if length >= 4 {
            mix_two(hash, half(from), half(end.sub(4)))
        } else if length > 0 {
            // First, middle and last of one, two or three.
            let middle = byte(from.add(length / 2)) << 8;
            mix_two(hash, byte(from) | middle, byte(end.sub(1)))
        } else {
            hash
        }
    }
}

/// Folds a checksum into the byte that a record has room for.
#[inline(always)]
pub fn fold(hash: u64) -> u8 {
    (hash ^ (hash >> 32) ^ (hash >> 16) ^ (hash >> 48) ^ (hash >> 56)) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(bytes: &[u8]) -> u64 {
        // SAFETY: the slice is that long.
        unsafe { hash_bytes(1, bytes.as_ptr(), bytes.len()) }
    }

    #[test]
    fn every_byte_and_the_length_count() {
        let bytes: Vec<u8> = (0..80u8).map(|number| number.wrapping_mul(37)).collect();
        let mut seen = std::collections::HashSet::new();
        for length in 0..=bytes.len() {
            assert!(seen.insert(hash(&bytes[..length])), "{length} bytes");
            for position in 0..length {
                for bit in 0..8 {
                    let mut other = bytes[..length].to_vec();
                    other[position] ^= 1 << bit;
                    let is_new = seen.insert(hash(&other));
                    assert!(is_new, "bit {bit} of byte {position} of {length}");
                }
            }
        }
    }

    #[test]
    fn runs_of_zeros_differ_by_their_length() {
        let zeros = [0u8; 300];
        let all: std::collections::HashSet<u64> = (0..=zeros.len())
            .map(|length| hash(&zeros[..length]))
            .collect();
        assert_eq!(all.len(), zeros.len() + 1);
    }
}
