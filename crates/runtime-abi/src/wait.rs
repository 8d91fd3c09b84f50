//! How long an acquisition waited, in a `WAIT` record: `count << scale` nanoseconds.
//!
//! The value of the record is `count + behind × 4096`: the wait began `behind` runs before the one that it led to;
//! 0: nobody knows.
//!
//! It is rounded, because the exact lengths of many short waits would be most of a trace: to four significant
//! bits below a millisecond, to ten above.

/// Shorter waits are not written down.
pub const SHORTEST_NS: u64 = 10_000;

const MILLISECOND: u64 = 1_000_000;
const BITS_OF_SHORT: u32 = 4;
const BITS_OF_LONG: u32 = 10;

/// Bits of the count in the value of a record.
const COUNT_BITS: u32 = 12;

/// The value of a record.
pub const fn value(count: u64, behind: u32) -> u64 {
    (behind as u64) << COUNT_BITS | count
}

/// Count and number of runs in the value of a record.
pub const fn parts(value: u64) -> (u64, u64) {
    (value & ((1 << COUNT_BITS) - 1), value >> COUNT_BITS)
}

/// Scale and count of a wait.
pub const fn rounded(nanoseconds: u64) -> (u8, u64) {
    let bits = if nanoseconds < MILLISECOND {
        BITS_OF_SHORT
    } else {
        BITS_OF_LONG
    };
    let size = u64::BITS - nanoseconds.leading_zeros();
    if size <= bits {
        return (0, nanoseconds);
    }
    let scale = size - bits;
    // The highest bit that goes decides; a carry leaves a power of two, which is as good.
    let count = (nanoseconds >> scale) + (nanoseconds >> (scale - 1) & 1);
    (scale as u8, count)
}

/// The nanoseconds that scale and count stand for, at most as many as there can be.
pub const fn nanoseconds(scale: u8, count: u64) -> u64 {
    if count == 0 {
        0
    } else if count.leading_zeros() < scale as u32 {
        u64::MAX
    } else {
        count << scale
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(exact: u64) -> u64 {
        let (scale, count) = rounded(exact);
        nanoseconds(scale, count)
    }

    #[test]
    fn every_count_has_room() {
        for shift in 0..64 {
            let (_, count) = rounded(u64::MAX >> shift);
            assert_eq!(parts(value(count, 7)), (count, 7));
            assert_eq!(parts(value(count, u32::MAX)), (count, u64::from(u32::MAX)));
        }
    }

    #[test]
    fn short_waits_keep_four_bits_and_long_ones_ten() {
        assert_eq!(kept(15), 15);
        assert_eq!(rounded(10_000), (10, 10));
        assert_eq!(rounded(16_383), (10, 16));
        for shift in 0..50 {
            let exact = 12_345 << shift;
            let most = if exact < MILLISECOND {
                exact >> BITS_OF_SHORT
            } else {
                exact >> BITS_OF_LONG
            };
            assert!(kept(exact).abs_diff(exact) <= most, "{exact}");
        }
    }

    #[test]
    fn no_record_is_too_long() {
        assert_eq!(kept(u64::MAX), u64::MAX);
        assert_eq!(nanoseconds(255, 0), 0);
        assert_eq!(nanoseconds(255, 1), u64::MAX);
        assert_eq!(nanoseconds(63, 1), 1 << 63);
    }
}
