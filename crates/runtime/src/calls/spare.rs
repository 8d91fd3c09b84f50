//! Numbers for threads and processes that are made when all numbers are used up.
//!
//! Recording stops then, but the program goes on and must not notice. Each still needs a number of its own, for its
//! memory and for the locks that keep our threads apart: one that is kept for this, and that its former owner has no
//! use for any more.

use crate::log;
use crate::state::{Thread, clear_process, clear_thread, process_slot, thread_slot};
use wayfarer_calls::Number;
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::Broken;
use wayfarer_runtime_abi::atomic::{AtomicU32, Ordering};
use wayfarer_runtime_abi::layout::{
    MAX_PROCESSES, MAX_THREADS, RECORDED_PROCESSES, RECORDED_THREADS,
};
use wayfarer_runtime_abi::record::Child;

const ESRCH: isize = -3;
/// In place of an id: the number is about to be used. No thread has this id.
const CLAIMED: u32 = i32::MAX as u32;

/// Numbers for a child that is not recorded. `taken`: what the counters gave, from which the search starts.
#[cold]
#[inline(never)]
pub fn reserve(thread: &mut Thread, is_thread: bool, taken: Child) -> Option<Child> {
    let reason = match taken.thread >= RECORDED_THREADS {
        true => Broken::TooManyThreads,
        false => Broken::TooManyProcesses,
    };
    log::break_off(reason, 0);
    thread.stop_log();
    let number = find(
        taken.thread,
        RECORDED_THREADS..MAX_THREADS,
        Number::TKILL,
        |number| &thread_slot(number).real_tid,
    )?;
    let mut process = thread.process().id.get();
    if !is_thread {
        process = find(
            taken.process,
            RECORDED_PROCESSES..MAX_PROCESSES,
            Number::KILL,
            |id| &process_slot(id).real_pid,
        )?;
    }
    // SAFETY: the slots are this child's alone; their former owner is gone.
    unsafe {
        clear_thread(number);
        if !is_thread {
            clear_process(process);
        }
    }
    thread_slot(number)
        .real_tid
        .store(CLAIMED, Ordering::Relaxed);
    if !is_thread {
        process_slot(process)
            .real_pid
            .store(CLAIMED, Ordering::Relaxed);
    }
    Some(Child {
        process,
        thread: number,
    })
}

/// Claims a number whose owner, by its id, is gone.
fn find<'a>(
    start: u32,
    numbers: core::ops::Range<u32>,
    signal: Number,
    id_of: impl Fn(u32) -> &'a AtomicU32,
) -> Option<u32> {
    let room = numbers.end - numbers.start;
    let mut step = 0;
    while step < room {
        let number = numbers.start + start.wrapping_add(step) % room;
        let id = id_of(number);
        let before = id.load(Ordering::Relaxed);
        let is_free = before == 0 || is_gone(signal, before);
        if is_free
            && id
                .compare_exchange(before, CLAIMED, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok()
        {
            return Some(number);
        }
        step += 1;
    }
    None
}

fn is_gone(signal: Number, id: u32) -> bool {
    // SAFETY: signal 0 only asks.
    unsafe { raw::syscall6(signal, id as usize, 0, 0, 0, 0, 0) == ESRCH }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_those_who_live_are_left_alone() {
        let alive = std::process::id();
        let ids = [alive, 0, alive, CLAIMED, alive].map(AtomicU32::new);
        let find = |start| {
            find(start, 100..105, Number::KILL, |number| {
                &ids[number as usize - 100]
            })
        };
        // Claimed by a thread or process that never began.
        assert_eq!(find(2), Some(103));
        ids[3].store(alive, Ordering::Relaxed);
        assert_eq!(find(2), Some(101));
        ids[1].store(alive, Ordering::Relaxed);
        assert_eq!(find(2), None);
    }
}
