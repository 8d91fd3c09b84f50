//! Guesses from context: most fields of a record repeat what stood there the last time.

use super::coder::{Chance, Coder};
use super::number::PerContext;

#[derive(Clone, Copy, Default)]
struct Slot {
    value: u64,
    /// How often it was right lately, plus one; zero: nothing seen yet.
    trust: u8,
}

const SLOTS: usize = 1 << 14;
const MOST_TRUST: u8 = 15;

/// `N` guesses for one field, each from its own context, tried one after the other.
pub(crate) struct Guesses<const N: usize> {
    slots: Vec<Slot>,
    /// By owner (usually the kind of record): how likely a guess of that rank and trust is wrong.
    chances: PerContext<[[Chance; MOST_TRUST as usize + 1]; N]>,
}

impl<const N: usize> Guesses<N> {
    pub(crate) fn new() -> Self {
        let fresh = || [[Chance::EVEN; MOST_TRUST as usize + 1]; N];
        Self {
            slots: vec![Slot::default(); SLOTS],
            chances: PerContext::new(256, fresh),
        }
    }

    /// Codes which guess is right; `None` when none is.
    #[inline]
    pub(crate) fn code(
        &mut self,
        coder: &mut impl Coder,
        owner: usize,
        contexts: [usize; N],
        value: u64,
    ) -> Option<u64> {
        let chances = self.chances.at(owner);
        let mut refused = [None; N];
        for rank in 0..N {
            let slot = self.slots[contexts[rank] % SLOTS];
            if slot.trust == 0 || refused[..rank].contains(&Some(slot.value)) {
                continue;
            }
            let chance = &mut chances[rank][usize::from(slot.trust)];
            if coder.bit(chance, u32::from(slot.value != value)) == 0 {
                return Some(slot.value);
            }
            refused[rank] = Some(slot.value);
        }
        None
    }

    /// Remembers what stood there in the end.
    #[inline]
    pub(crate) fn learn(&mut self, contexts: [usize; N], value: u64) {
        for context in contexts {
            let slot = &mut self.slots[context % SLOTS];
            if slot.value == value && slot.trust != 0 {
                slot.trust = (slot.trust + 1).min(MOST_TRUST);
            } else if slot.trust > 2 {
                slot.trust /= 2;
            } else {
                *slot = Slot { value, trust: 1 };
            }
        }
    }
}
