//! The few system calls that the protocols make.

use crate::atomic::AtomicU32;
use crate::machine::{self, Slept};
use crate::word::Word;
use wayfarer_calls::Number;
use wayfarer_calls::error::{EAGAIN, ETIMEDOUT};
use wayfarer_calls::futex::{WAIT, WAIT_BITSET, WAKE, WAKE_BITSET};
use wayfarer_calls::memory::MEMBARRIER_PRIVATE_EXPEDITED;

const ALL_BITS: u32 = u32::MAX;

/// Makes a call on the machine of the model; `None` outside of an exploration. Calls that mean nothing to the protocols
/// succeed and do nothing.
pub fn call(number: Number, arguments: [usize; 6]) -> Option<isize> {
    let (machine, me) = machine::current()?;
    let [address, operation, value, time, _, bits] = arguments;
    let result = match number {
        Number::FUTEX => {
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
        Number::MEMBARRIER if address == MEMBARRIER_PRIVATE_EXPEDITED => {
            machine.step(me, ("barrier", 0, 0), |acting| acting.flush_all());
            0
        }
        Number::SCHED_YIELD => {
            machine.look_again(me);
            0
        }
        _ => 0,
    };
    Some(result)
}
