//! Symbols and numbers on top of the coder.

use super::coder::{Chance, Coder};

/// A learnt distribution of bytes.
#[derive(Clone)]
pub(crate) struct Symbol {
    nodes: [Chance; 256],
}

impl Symbol {
    pub(crate) fn new() -> Self {
        Self {
            nodes: [Chance::EVEN; 256],
        }
    }

    #[inline]
    pub(crate) fn code(&mut self, coder: &mut impl Coder, symbol: u8) -> u8 {
        let mut node = 1usize;
        for shift in (0..8).rev() {
            let bit = coder.bit(&mut self.nodes[node], u32::from(symbol >> shift) & 1);
            node = (node << 1) | bit as usize;
        }
        node as u8
    }
}

/// Bits below the highest one whose chances are learnt; the rest is as good as random.
const LEARNT_BITS: u32 = 3;

/// A learnt distribution of numbers: how many bits they have, and the upper ones of these.
#[derive(Clone)]
pub(crate) struct Number {
    sizes: [Chance; 128],
    upper: [[Chance; 1 << LEARNT_BITS]; 65],
}

impl Number {
    pub(crate) fn new() -> Self {
        Self {
            sizes: [Chance::EVEN; 128],
            upper: [[Chance::EVEN; 1 << LEARNT_BITS]; 65],
        }
    }

    #[inline]
    pub(crate) fn code(&mut self, coder: &mut impl Coder, value: u64) -> u64 {
        let wanted = 64 - value.leading_zeros();
        let mut node = 1usize;
        for shift in (0..7).rev() {
            let bit = coder.bit(&mut self.sizes[node], (wanted >> shift) & 1);
            node = (node << 1) | bit as usize;
        }
        // Sizes above 64 cannot be packed; unpacked from bad bytes they count as 64.
        let size = (node as u32 - 128).min(64);
        if size <= 1 {
            return u64::from(size);
        }
        let mut left = size - 1;
        let mut result = 1u64;
        let upper = &mut self.upper[size as usize];
        let mut node = 1usize;
        for _ in 0..LEARNT_BITS.min(left) {
            left -= 1;
            let bit = coder.bit(&mut upper[node], (value >> left) as u32 & 1);
            node = (node << 1) | bit as usize;
            result = (result << 1) | u64::from(bit);
        }
        while left > 0 {
            let bits = left.min(16);
            left -= bits;
            let piece = coder.plain((value >> left) as u32 & 0xffff, bits);
            result = (result << bits) | u64::from(piece);
        }
        result
    }
}

/// Distributions by context, made when a context is first met.
pub(crate) struct PerContext<T> {
    slots: Vec<Option<Box<T>>>,
    make: fn() -> T,
}

impl<T> PerContext<T> {
    /// Room for `contexts` (a power of two); higher numbers share.
    pub(crate) fn new(contexts: usize, make: fn() -> T) -> Self {
        let mut slots = Vec::new();
        slots.resize_with(contexts, || None);
        Self { slots, make }
    }

    #[inline]
    pub(crate) fn at(&mut self, context: usize) -> &mut T {
        let index = context & (self.slots.len() - 1);
        self.slots[index].get_or_insert_with(|| Box::new((self.make)()))
    }
}

/// Spreads a context of several parts over a table.
#[inline(always)]
pub(crate) fn spread(parts: &[u64]) -> usize {
    let mut hash = 0u64;
    for part in parts {
        hash = (hash ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 32;
    }
    hash as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::coder::{Decoder, Encoder};
    use super::*;

    proptest! {
        #[test]
        fn numbers_round_trip(values in prop::collection::vec((any::<u64>(), 0u32..64), 0..300)) {
            let values: Vec<u64> = values.into_iter().map(|(value, shift)| value >> shift).collect();
            let mut encoder = Encoder::new();
            let mut number = Number::new();
            for value in &values {
                number.code(&mut encoder, *value);
            }
            let bytes = encoder.finish();
            let mut decoder = Decoder::new(&bytes);
            let mut number = Number::new();
            for value in values {
                prop_assert_eq!(number.code(&mut decoder, 0), value);
            }
        }
    }
}
