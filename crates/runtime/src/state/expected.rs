//! Replay in serial mode: whether a thread has come to the loop in which its turn is to end.

use crate::state::spinning::{ALL, Spin, checksum, general, is_below};
use wayfarer_entrance::signal_frame::SigContext;

/// Replay: the loop in which a turn is to end, and what was seen of the thread there; all zero at first.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Expected {
    pub spin: Spin,
    /// What did not change, as it was last found, and how much each tells. There may be several: a recording that met the
    /// loop at one place only took for steady what is so at that place.
    seen: [Seen; STATES],
    seen_next: usize,
    /// How many looks at the same moment came one after the other.
    pub same: u32,
    moment: u32,
    stack: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Seen {
    steady: u32,
    points: u32,
}

/// So many instructions of a loop that waits leave other registers than the one before. A thread that computes never comes
/// back to registers that it had.
const STATES: usize = 8;

impl Expected {
    /// So many points tell that the thread waits there.
    const ENOUGH: u32 = 8;

    pub fn new(spin: Spin) -> Expected {
        Expected {
            spin,
            ..Expected::default()
        }
    }

    /// Looks at the thread; whether it waits in the loop. Two looks at different moments tell, and four if only the kept
    /// registers are as recorded; more if it may have been one moment.
    pub fn look(&mut self, registers: &SigContext) -> bool {
        let Some(found) = self.spin.find(registers) else {
            // In a function that the loop calls, perhaps.
            if !is_below(registers.rsp, self.stack) {
                self.seen = [Seen::default(); STATES];
                self.same = 0;
            }
            return false;
        };
        let last = self.moment;
        let moment = checksum(ALL, registers.rip, &general(registers));
        let seen = self.entry(found.steady);
        let is_same_moment = seen.points != 0 && moment == last;
        seen.points += match found.is_same {
            _ if is_same_moment => 1,
            true => Self::ENOUGH / 2,
            false => Self::ENOUGH / 4,
        };
        let tells = seen.points >= Self::ENOUGH;
        self.same = if is_same_moment { self.same + 1 } else { 0 };
        self.moment = moment;
        self.stack = registers.rsp;
        tells
    }

    /// What is known of the loop as it was found now.
    fn entry(&mut self, steady: u32) -> &mut Seen {
        let known = |seen: &Seen| seen.points != 0 && seen.steady == steady;
        let index = self.seen.iter().position(known).unwrap_or_else(|| {
            let next = self.seen_next;
            self.seen_next = next.wrapping_add(1);
            next
        }) % STATES;
        // SAFETY: reduced.
        let seen = unsafe { self.seen.get_unchecked_mut(index) };
        if seen.steady != steady {
            *seen = Seen { steady, points: 0 };
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::spinning::KEPT;

    /// How many looks it takes with `values` in one of the registers, one after the other and over again.
    fn looks_needed(values: &[usize]) -> Option<usize> {
        // SAFETY: all fields are plain numbers.
        let mut registers: SigContext = unsafe { core::mem::zeroed() };
        registers.rip = 0x1000;
        registers.rax = 1;
        let spin = Spin {
            first: 0x1000,
            last: 0x1000,
            steady: ALL,
            kept: checksum(KEPT, 0, &general(&registers)),
            all: checksum(ALL, 0, &general(&registers)),
            after_us: 0,
        };
        let mut expected = Expected::new(spin);
        (1..100).find(|number| {
            registers.rip = 0x1000 + number % 3;
            registers.rax = values[number % values.len()];
            expected.look(&registers)
        })
    }

    #[test]
    fn a_loop_is_known_again_by_registers_that_come_back() {
        assert_eq!(looks_needed(&[1]), Some(2));
        // Met at places where a register has other values than where the recording met it.
        assert!(looks_needed(&[1, 2, 3, 4, 5]).is_some_and(|number| number < 12));
        assert!(looks_needed(&[2, 3, 4, 5]).is_some_and(|number| number < 20));
        let computed: Vec<usize> = (2..101).collect();
        assert_eq!(looks_needed(&computed), None);
    }
}
