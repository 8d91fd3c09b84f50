//! One time for all clocks of a log: what one clock says has passed bounds what the others will say.

/// Clocks that a record can name.
const CLOCKS: usize = 16;

#[derive(Default)]
pub(crate) struct Timeline {
    /// Nanoseconds since the start, as far as any clock has told.
    now: i64,
    /// When each clock was last read.
    read: [i64; CLOCKS],
}

/// Nanoseconds in a unit of a clock; `None` for what is not a clock.
fn unit_ns(clock: u8) -> Option<i64> {
    use wayfarer_runtime_abi::record::{
        CLOCK_COUNTER, CLOCK_GETCPU, CLOCK_GETTIMEOFDAY, CLOCK_TIME,
    };
    match clock {
        CLOCK_GETTIMEOFDAY => Some(1000),
        CLOCK_TIME => Some(1_000_000_000),
        CLOCK_GETCPU | CLOCK_COUNTER => None,
        _ => Some(1),
    }
}

impl Timeline {
    /// Nanoseconds that other clocks say have passed since `clock` was last read.
    pub(crate) fn passed(&self, clock: u8) -> u64 {
        let read = self.read[usize::from(clock) % CLOCKS];
        self.now.saturating_sub(read).max(0) as u64
    }

    /// `clock` was read and had advanced by `delta` of its units.
    pub(crate) fn advance(&mut self, clock: u8, delta: i64) {
        let Some(unit) = unit_ns(clock) else { return };
        let read = &mut self.read[usize::from(clock) % CLOCKS];
        let then = read.saturating_add(delta.saturating_mul(unit));
        // The first read of a clock gives its absolute value, which says nothing about the others.
        const LONG: i64 = 1 << 50;
        if delta
            .checked_abs()
            .is_some_and(|delta| delta.saturating_mul(unit) < LONG)
        {
            self.now = self.now.max(then);
        }
        *read = self.now;
    }
}

/// A number in floating point with two bits of fraction: equal for numbers within a fifth.
pub(crate) fn coarse(value: u64) -> u32 {
    let size = 64 - value.leading_zeros();
    match size {
        0..=2 => value as u32,
        _ => (size << 2) | ((value >> (size - 3)) as u32 & 3),
    }
}
