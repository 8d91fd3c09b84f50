//! Serial mode, recording: whether a thread that makes no events waits for another one in a loop of its own.
//!
//! Such a loop looks at memory, and nothing that it keeps changes. So it is looked at now and then: the registers that
//! a function keeps for its caller are the same as the last time, and the code is nearly at the same place. Code that
//! computes has other pointers and counters there. A thread that is wrongly taken for one that spins is made to yield,
//! which a replay can only place by processor time; one that spins unnoticed makes the others wait for longer.

use crate::state::Thread;
use wayfarer_entrance::signal_frame::UContext;

/// A thread at one moment.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Sample {
    events: u64,
    stack: usize,
    kept: [usize; 6],
    code: usize,
}

/// No loop that only waits is longer, in bytes.
const LONGEST: usize = 256;

impl Sample {
    fn is_like(&self, other: &Sample) -> bool {
        self.events == other.events
            && self.stack == other.stack
            && self.kept == other.kept
            && self.code.abs_diff(other.code) < LONGEST
    }
}

/// Looks at a thread that was stopped in the middle of its code.
pub fn is_spinning(thread: &mut Thread, context: &UContext) -> bool {
    let registers = &context.registers;
    let now = Sample {
        events: thread.events,
        stack: registers.rsp,
        kept: [
            registers.rbx,
            registers.rbp,
            registers.r12,
            registers.r13,
            registers.r14,
            registers.r15,
        ],
        code: registers.rip,
    };
    core::mem::replace(&mut thread.sample, now).is_like(&now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_that_waits_stays_as_it_is() {
        let first = Sample {
            events: 7,
            stack: 0x7fff_0000,
            kept: [1, 2, 3, 4, 5, 6],
            code: 0x1000,
        };
        let elsewhere = |code| Sample { code, ..first };
        assert!(first.is_like(&elsewhere(0x1010)));
        assert!(elsewhere(0x1010).is_like(&first));
        assert!(!first.is_like(&elsewhere(0x2000)));
        let mut computing = first;
        computing.kept[3] += 8;
        assert!(!first.is_like(&computing));
        let deeper = Sample {
            stack: first.stack - 64,
            ..first
        };
        assert!(!first.is_like(&deeper));
        let later = Sample { events: 8, ..first };
        assert!(!first.is_like(&later));
    }
}
