//! Replay in parallel mode: of a sleep, a small part is slept.
//!
//! Programs rely on sleeps: a thread that looks again after a tenth of a second finds that another
//! one, which had but a few instructions to go, has said what it had to say. A replay skips the
//! time, and would look too early. While the thread naps its event goes on, so the others get as
//! far as they were and no further.

use crate::memory::user;
use crate::session::solid;
use crate::state::Thread;
use wayfarer_calls::Number;
use wayfarer_entrance::arguments::{Address, Arguments};
use wayfarer_entrance::raw;

/// The part of the time that is slept, and the most.
const PART: u64 = 16;
const MOST_NS: u64 = 5_000_000;
/// For a sleep until a certain time.
const UNTIL_NS: u64 = 500_000;

/// The call has just been answered: the thread sleeps if the program did.
#[inline(never)]
pub fn take(thread: &Thread, number: Number, arguments: &Arguments, result: isize) {
    if solid::is_on(thread) {
        return;
    }
    if let Some(slept_ns) = slept(number, arguments, result) {
        let nap_ns = (slept_ns / PART).min(MOST_NS);
        let nap: [u64; 2] = [0, nap_ns];
        // SAFETY: a timespec on this stack; it may be interrupted.
        unsafe { raw::syscall6(Number::NANOSLEEP, (&raw const nap) as usize, 0, 0, 0, 0, 0) };
    }
}

/// How long a call slept that did nothing else, in nanoseconds. Not of select and ppoll: the kernel has overwritten their
/// limit with the rest of it.
fn slept(number: Number, a: &Arguments, result: isize) -> Option<u64> {
    const ABSOLUTE: usize = 1;
    if result != 0 {
        return None;
    }
    match number {
        Number::NANOSLEEP => time(a.address(0)),
        Number::CLOCK_NANOSLEEP if a[1] & ABSOLUTE != 0 => Some(UNTIL_NS * PART),
        Number::CLOCK_NANOSLEEP => time(a.address(2)),
        Number::POLL => milliseconds(a[2]),
        Number::EPOLL_WAIT | Number::EPOLL_PWAIT => milliseconds(a[3]),
        _ => None,
    }
}

/// A time in seconds and nanoseconds.
fn time(pointer: Address) -> Option<u64> {
    let [seconds, nanoseconds] = user::read::<[u64; 2]>(pointer)?;
    Some(
        seconds
            .saturating_mul(1_000_000_000)
            .saturating_add(nanoseconds),
    )
}

/// An int; below 0 there is no limit.
fn milliseconds(argument: usize) -> Option<u64> {
    u64::try_from(argument as i32)
        .ok()
        .map(|count| count * 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_from_the_arguments_of_each_call() {
        let tenth_ns = Some(100_000_000);
        assert_eq!(
            slept(Number::POLL, &Arguments::new([0, 0, 100, 0, 0, 0]), 0),
            tenth_ns
        );
        assert_eq!(
            slept(Number::POLL, &Arguments::new([0, 0, 100, 0, 0, 0]), 1),
            None
        );
        assert_eq!(
            slept(
                Number::POLL,
                &Arguments::new([0, 0, usize::MAX, 0, 0, 0]),
                0
            ),
            None
        );
        assert_eq!(
            slept(Number::EPOLL_WAIT, &Arguments::new([0, 0, 0, 100, 0, 0]), 0),
            tenth_ns
        );
        // A null pointer is not a time; other pointers are read under a guard, which a test has not.
        assert_eq!(slept(Number::NANOSLEEP, &Arguments::new([0; 6]), 0), None);
    }
}
