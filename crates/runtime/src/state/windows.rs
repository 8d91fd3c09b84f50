//! Memory of ours for threads that have ended.
//!
//! To unmap memory, the kernel has to interrupt every processor on which the program runs, which
//! takes as long as all the rest of a thread's end. So the windows of 32 ended threads are unmapped
//! together, as one piece if their numbers follow each other, by the next thread that makes one.

use crate::state::process::{Ended, MANY};
use crate::state::{Process, drop_window, window_of};
use wayfarer_runtime_abi::atomic::{AtomicU32, Ordering};
use wayfarer_runtime_abi::layout::RECORDED_THREADS;

/// A place for the number of a thread that is about to end, and that stores it when it has no more use for its window.
/// `None`: it has to unmap it by itself.
pub fn claim(process: &Process, number: u32) -> Option<&AtomicU32> {
    // Others may get such a number at once.
    if number >= RECORDED_THREADS {
        return None;
    }
    let ended = &process.ended;
    let index = ended.claimed.fetch_add(1, Ordering::AcqRel);
    ended.numbers.get(index as usize)
}

/// Unmaps the windows of threads that have ended, if there are many of them.
#[inline]
pub fn unmap_many(process: &Process) {
    if process.ended.claimed.load(Ordering::Relaxed) as usize >= MANY {
        unmap(&process.ended);
    }
}

#[cold]
#[inline(never)]
fn unmap(ended: &Ended) {
    if ended.is_busy.swap(true, Ordering::Acquire) {
        return;
    }
    let mut numbers = [0u32; MANY];
    for (copy, number) in numbers.iter_mut().zip(&ended.numbers) {
        *copy = number.load(Ordering::Acquire);
    }
    if numbers.iter().all(|number| *number != 0) {
        each_run(&numbers, |first, count| {
            let (address, length) = window_of(first);
            // SAFETY: these threads use their windows no more.
            unsafe { drop_window(address, length * count as usize) };
        });
        for number in &ended.numbers {
            number.store(0, Ordering::Relaxed);
        }
        ended.claimed.store(0, Ordering::Release);
    }
    ended.is_busy.store(false, Ordering::Release);
}

/// Calls `visit(first, count)` for numbers that follow each other; for those far after the lowest one by one.
fn each_run(numbers: &[u32; MANY], mut visit: impl FnMut(u32, u32)) {
    let mut first = numbers
        .iter()
        .fold(u32::MAX, |least, number| least.min(*number));
    let mut bits = 0u64;
    for number in numbers {
        match 1u64.checked_shl(number.wrapping_sub(first)) {
            Some(bit) => bits |= bit,
            None => visit(*number, 1),
        }
    }
    while bits != 0 {
        let gap = bits.trailing_zeros();
        bits >>= gap;
        let count = bits.trailing_ones();
        first = first.wrapping_add(gap);
        visit(first, count);
        bits = bits.checked_shr(count).unwrap_or(0);
        first = first.wrapping_add(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(numbers: [u32; MANY]) -> Vec<(u32, u32)> {
        let mut runs = Vec::new();
        each_run(&numbers, |first, count| runs.push((first, count)));
        runs
    }

    #[test]
    fn numbers_that_follow_each_other_are_one_run() {
        let mut numbers = core::array::from_fn(|index| 40 - index as u32);
        assert_eq!(runs(numbers), [(9, 32)]);
        numbers[3] = 1000;
        numbers[4] = 1001;
        assert_eq!(runs(numbers), [(1000, 1), (1001, 1), (9, 27), (38, 3)]);
        let halves = core::array::from_fn(|index| 7 + 2 * index as u32);
        assert_eq!(runs(halves).len(), MANY);
    }
}
