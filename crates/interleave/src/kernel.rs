//! The few system calls that the protocols make.

use crate::atomic::AtomicU32;
use crate::machine::{self, Slept};
use crate::word::Word;

pub const FUTEX: usize = 202;
const MEMBARRIER: usize = 324;
const SCHED_YIELD: usize = 24;

const EAGAIN: isize = -11;
const ETIMEDOUT: isize = -110;

const WAIT: usize = 0;
const WAKE: usize = 1;
const WAIT_BITSET: usize = 9;
const WAKE_BITSET: usize = 10;
const ALL_BITS: u32 = u32::MAX;
/// Command of `membarrier`: in all threads of the process.
const BARRIER: usize = 8;

/// Makes a call on the machine of the model; `None` outside of an exploration. Calls that mean nothing to the protocols
/// succeed and do nothing.
pub fn call(number: usize, arguments: [usize; 6]) -> Option<isize> {
    let (machine, me) = machine::current()?;
    let [address, operation, value, time, _, bits] = arguments;
    let result = match number {
        FUTEX => {
            let word = Word::Int(address as *const AtomicU32 as *const _);
            let bits = match operation {
                WAIT_BITSET | WAKE_BITSET => bits as u32,
                _ => ALL_BITS,
            };
            match operation {
                WAIT | WAIT_BITSET => {
                    match machine.sleep(me, word, value as u32 as u64, bits, time != 0) {
                        Slept::NotAtAll => EAGAIN,
                        Slept::TooLong => ETIMEDOUT,
                        Slept::UntilWoken => 0,
                    }
                }
                WAKE | WAKE_BITSET => machine.wake(me, address, bits, value) as isize,
                other => panic!("the model knows no futex operation {other}"),
            }
        }
        MEMBARRIER if address == BARRIER => {
            machine.step(me, ("barrier", 0, 0), |acting| acting.flush_all());
            0
        }
        SCHED_YIELD => {
            machine.look_again(me);
            0
        }
        _ => 0,
    };
    Some(result)
}
