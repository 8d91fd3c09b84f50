//! A range coder for yes/no decisions with learnt chances.
//!
//! The model calls the same functions when it packs and when it unpacks: a packing coder writes the
//! bit it is given and returns it, an unpacking one ignores what it is given and returns what it
//! reads. So both sides cannot drift apart.

/// One side of the coder.
pub(crate) trait Coder {
    /// Whether this is the packing side.
    const PACKS: bool;
    /// Codes `bit` (0 or 1) with a learnt chance.
    fn bit(&mut self, chance: &mut Chance, bit: u32) -> u32;
    /// Codes the low `bits` (at most 16) of `value` without learning.
    fn plain(&mut self, value: u32, bits: u32) -> u32;
}

/// How likely a bit is to be 0, learnt from the bits seen: quickly at first, then ever slower.
#[derive(Clone, Copy)]
pub(crate) struct Chance(u32);

/// Bits of a chance as the coder uses it.
const PRECISION: u32 = 15;
/// Bits of the count of bits seen, in the low end of a [`Chance`]; the chance itself is above.
const COUNT_BITS: u32 = 8;
const CHANCE_BITS: u32 = 32 - COUNT_BITS;
/// The count stops here, so old bits keep losing weight.
const COUNT_LIMIT: u32 = 254;

impl Chance {
    pub(crate) const EVEN: Self = Self(1 << 31);

    /// Never so near to 0 or 1 that a surprise becomes impossible.
    #[inline(always)]
    fn of_zero(self) -> u32 {
        (self.0 >> (32 - PRECISION)).clamp(16, (1 << PRECISION) - 16)
    }

    #[inline(always)]
    fn learn(&mut self, bit: u32) {
        let count = self.0 & ((1 << COUNT_BITS) - 1);
        let chance = i64::from(self.0 >> COUNT_BITS);
        let target = if bit == 0 { (1 << CHANCE_BITS) - 1 } else { 0 };
        let moved = chance + (((target - chance) * i64::from(STEP[count as usize])) >> 16);
        let count = if count < COUNT_LIMIT {
            count + 1
        } else {
            count
        };
        self.0 = ((moved as u32) << COUNT_BITS) | count;
    }
}

/// 65536 / (count + 1.6): the weight of the newest bit.
const STEP: [u32; 1 << COUNT_BITS] = {
    let mut steps = [0; 1 << COUNT_BITS];
    let mut count = 0;
    while count < steps.len() {
        steps[count] = (65_536 * 10 / (10 * count + 16)) as u32;
        count += 1;
    }
    steps
};

/// The range is kept above this, byte by byte.
const LOWEST_RANGE: u32 = 1 << 24;

/// The packing side.
pub(crate) struct Encoder {
    low: u64,
    range: u32,
    /// The last byte, held back for a carry, and how many 0xff follow it.
    held: u8,
    held_ones: u64,
    bytes: Vec<u8>,
}

impl Encoder {
    pub(crate) fn new() -> Self {
        Self {
            low: 0,
            range: u32::MAX,
            held: 0,
            held_ones: 0,
            bytes: Vec::new(),
        }
    }

    #[inline(always)]
    fn normalise(&mut self) {
        while self.range < LOWEST_RANGE {
            self.shift();
            self.range <<= 8;
        }
    }

    fn shift(&mut self) {
        if self.low < 0xff00_0000 || self.low > u64::from(u32::MAX) {
            let carry = (self.low >> 32) as u8;
            self.bytes.push(self.held.wrapping_add(carry));
            for _ in 0..self.held_ones {
                self.bytes.push(0xffu8.wrapping_add(carry));
            }
            self.held_ones = 0;
            self.held = (self.low >> 24) as u8;
        } else {
            self.held_ones += 1;
        }
        self.low = (self.low & 0x00ff_ffff) << 8;
    }

    pub(crate) fn finish(mut self) -> Vec<u8> {
        for _ in 0..5 {
            self.shift();
        }
        self.bytes
    }
}

impl Coder for Encoder {
    const PACKS: bool = true;

    #[inline(always)]
    fn bit(&mut self, chance: &mut Chance, bit: u32) -> u32 {
        let bound = (self.range >> PRECISION) * chance.of_zero();
        if bit == 0 {
            self.range = bound;
        } else {
            self.low += u64::from(bound);
            self.range -= bound;
        }
        chance.learn(bit);
        self.normalise();
        bit
    }

    #[inline(always)]
    fn plain(&mut self, value: u32, bits: u32) -> u32 {
        let value = value & ((1 << bits) - 1);
        self.range >>= bits;
        self.low += u64::from(value) * u64::from(self.range);
        self.normalise();
        value
    }
}

/// The unpacking side. Any bytes give some bits; after their end come zeros.
pub(crate) struct Decoder<'a> {
    code: u32,
    range: u32,
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Decoder<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let mut decoder = Self {
            code: 0,
            range: u32::MAX,
            bytes,
            position: 0,
        };
        for _ in 0..5 {
            decoder.code = (decoder.code << 8) | decoder.next_byte();
        }
        decoder
    }

    /// More was read than there is: what came out is not what went in.
    pub(crate) fn overran(&self) -> bool {
        self.position > self.bytes.len()
    }

    #[inline(always)]
    fn next_byte(&mut self) -> u32 {
        let byte = self.bytes.get(self.position).copied().unwrap_or(0);
        self.position += 1;
        u32::from(byte)
    }

    #[inline(always)]
    fn normalise(&mut self) {
        while self.range < LOWEST_RANGE {
            self.range <<= 8;
            self.code = (self.code << 8) | self.next_byte();
        }
    }
}

impl Coder for Decoder<'_> {
    const PACKS: bool = false;

    #[inline(always)]
    fn bit(&mut self, chance: &mut Chance, _: u32) -> u32 {
        let bound = (self.range >> PRECISION) * chance.of_zero();
        let bit = if self.code < bound {
            self.range = bound;
            0
        } else {
            self.code -= bound;
            self.range -= bound;
            1
        };
        chance.learn(bit);
        self.normalise();
        bit
    }

    #[inline(always)]
    fn plain(&mut self, _: u32, bits: u32) -> u32 {
        self.range >>= bits;
        let value = (self.code / self.range).min((1 << bits) - 1);
        self.code = self.code.wrapping_sub(value * self.range);
        self.normalise();
        value
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_goes_in_comes_out(steps in prop::collection::vec((any::<bool>(), 0u32..4, any::<u16>(), 0u32..=16), 0..2000)) {
            let mut chances = [Chance::EVEN; 4];
            let mut encoder = Encoder::new();
            for (bit, chance, value, bits) in &steps {
                encoder.bit(&mut chances[*chance as usize], u32::from(*bit));
                encoder.plain(u32::from(*value), *bits);
            }
            let bytes = encoder.finish();
            let mut chances = [Chance::EVEN; 4];
            let mut decoder = Decoder::new(&bytes);
            for (bit, chance, value, bits) in &steps {
                prop_assert_eq!(decoder.bit(&mut chances[*chance as usize], 0), u32::from(*bit));
                prop_assert_eq!(decoder.plain(0, *bits), u32::from(*value) & ((1 << bits) - 1));
            }
            prop_assert!(!decoder.overran());
        }

        #[test]
        fn any_bytes_decode_to_something(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let mut decoder = Decoder::new(&bytes);
            let mut chance = Chance::EVEN;
            for _ in 0..1000 {
                decoder.bit(&mut chance, 0);
                decoder.plain(0, 7);
            }
            prop_assert!(decoder.overran());
        }
    }

    #[test]
    fn long_runs_cost_next_to_nothing() {
        let mut chance = Chance::EVEN;
        let mut encoder = Encoder::new();
        for _ in 0..100_000 {
            encoder.bit(&mut chance, 0);
        }
        assert!(encoder.finish().len() < 100);
    }
}
