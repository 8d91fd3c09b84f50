//! Clocks that we read for ourselves; none of it is recorded.

use crate::state::Thread;
use wayfarer_calls::Number;
use wayfarer_entrance::{raw, vdso};

const BILLION: i64 = 1_000_000_000;

/// Reads a clock without a call, unless that would fault.
///
/// # Safety
/// `time` must be valid for a write.
#[inline(always)]
pub unsafe fn read_clock(thread: &Thread, clock: i32, time: *mut [i64; 2]) -> i32 {
    // SAFETY: as the caller says.
    unsafe {
        if thread.process().counter_faults.get() {
            return raw::syscall6(
                Number::CLOCK_GETTIME,
                clock as usize,
                time as usize,
                0,
                0,
                0,
                0,
            ) as i32;
        }
        vdso::original_clock_gettime(clock, time)
    }
}

/// Nanoseconds of a clock that only goes on, for ourselves: not recorded.
pub fn monotonic_ns(thread: &Thread) -> Option<u64> {
    const CLOCK_MONOTONIC: i32 = 1;
    let mut now = [0i64; 2];
    // SAFETY: memory of our own.
    let result = unsafe { read_clock(thread, CLOCK_MONOTONIC, &raw mut now) };
    let [seconds, nanoseconds] = now;
    (result == 0).then(|| (seconds.wrapping_mul(BILLION) + nanoseconds).cast_unsigned())
}

/// Processor time of a thread of this process, or of another process; `None` when it is gone.
pub fn processor_time(same_process: bool, pid: u32, tid: u32) -> Option<u64> {
    const PER_THREAD: u32 = 4;
    const SCHEDULED: u32 = 2;
    let clock = if same_process {
        !tid << 3 | PER_THREAD | SCHEDULED
    } else {
        !pid << 3 | SCHEDULED
    };
    clock_time(clock as i32 as usize)
}

/// Processor time of the calling thread.
pub fn own_processor_time() -> u64 {
    const CLOCK_THREAD_CPUTIME_ID: usize = 3;
    clock_time(CLOCK_THREAD_CPUTIME_ID).unwrap_or(0)
}

/// Nanoseconds since some moment that is the same for all.
pub fn time() -> u64 {
    const CLOCK_MONOTONIC: usize = 1;
    clock_time(CLOCK_MONOTONIC).unwrap_or(0)
}

fn clock_time(clock: usize) -> Option<u64> {
    let mut time = [0u64; 2];
    // SAFETY: a timespec on this stack.
    let result = unsafe {
        raw::syscall6(
            Number::CLOCK_GETTIME,
            clock,
            (&raw mut time) as usize,
            0,
            0,
            0,
            0,
        )
    };
    (result == 0).then_some(time[0].wrapping_mul(1_000_000_000).wrapping_add(time[1]))
}
