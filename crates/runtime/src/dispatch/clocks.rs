//! What the functions of the vDSO come to: clocks that are read without a system call.

use crate::calls::clock::{promised, write_down};
use crate::dispatch::call_without_frame;
use crate::session::clocks::read_clock;
use crate::state::{Thread, current};
use wayfarer_calls::Number;
use wayfarer_entrance::{raw, vdso};
use wayfarer_runtime_abi::layout::{MODE_RECORD, MODE_REPLAY};
use wayfarer_runtime_abi::record;

const BILLION: i64 = 1_000_000_000;

#[inline(always)]
fn live<'a>() -> Option<&'a mut Thread> {
    let thread = current();
    if thread.is_null() {
        return None;
    }
    // SAFETY: set up by `start` or `child_started` for this very thread.
    Some(unsafe { &mut *thread })
}

/// # Safety
/// `time` must be valid for a write.
#[inline(always)]
unsafe fn read_time_of_day(thread: &Thread, time: *mut [i64; 2]) -> i32 {
    // SAFETY: as the caller says.
    unsafe {
        if thread.process().counter_faults.get() {
            return raw::syscall6(Number::GETTIMEOFDAY, time as usize, 0, 0, 0, 0, 0) as i32;
        }
        vdso::original_gettimeofday(time, core::ptr::null_mut())
    }
}

/// # Safety
/// As clock_gettime.
pub unsafe extern "C" fn clock_gettime(clock: i32, time: *mut [i64; 2]) -> i32 {
    let Some(thread) = live() else {
        // SAFETY: as the caller says.
        return unsafe { vdso::original_clock_gettime(clock, time) };
    };
    if !(0..12).contains(&clock) || time.is_null() {
        return through_call(
            thread,
            Number::CLOCK_GETTIME,
            clock as usize,
            time as usize,
            0,
        );
    }
    // SAFETY: as the caller says.
    unsafe {
        match thread.mode {
            MODE_RECORD => {
                // Read into memory of our own and handed over last: the processor takes a store to the program's
                // stack and a load of ours at the same offset of a page for the same at first, and waits.
                let mut now = [0i64; 2];
                let result = read_clock(thread, clock, &raw mut now);
                if result == 0 {
                    let [seconds, nanoseconds] = now;
                    write_down(
                        thread,
                        clock as u8,
                        seconds.wrapping_mul(BILLION) + nanoseconds,
                    );
                    *time = now;
                }
                result
            }
            MODE_REPLAY => {
                let value = promised(thread, clock as u8);
                *time = [value.div_euclid(BILLION), value.rem_euclid(BILLION)];
                0
            }
            _ => vdso::original_clock_gettime(clock, time),
        }
    }
}

/// # Safety
/// As gettimeofday.
pub unsafe extern "C" fn gettimeofday(time: *mut [i64; 2], zone: *mut u8) -> i32 {
    let Some(thread) = live() else {
        // SAFETY: as the caller says.
        return unsafe { vdso::original_gettimeofday(time, zone) };
    };
    if time.is_null() || !zone.is_null() {
        return through_call(
            thread,
            Number::GETTIMEOFDAY,
            time as usize,
            zone as usize,
            0,
        );
    }
    // SAFETY: as the caller says.
    unsafe {
        match thread.mode {
            MODE_RECORD => {
                let mut now = [0i64; 2];
                let result = read_time_of_day(thread, &raw mut now);
                if result == 0 {
                    let [seconds, microseconds] = now;
                    let value = seconds.wrapping_mul(1_000_000) + microseconds;
                    write_down(thread, record::CLOCK_GETTIMEOFDAY, value);
                    *time = now;
                }
                result
            }
            MODE_REPLAY => {
                let value = promised(thread, record::CLOCK_GETTIMEOFDAY);
                *time = [value.div_euclid(1_000_000), value.rem_euclid(1_000_000)];
                0
            }
            _ => vdso::original_gettimeofday(time, zone),
        }
    }
}

/// # Safety
/// As time.
pub unsafe extern "C" fn time(into: *mut i64) -> i64 {
    // SAFETY: as the caller says.
    unsafe {
        let Some(thread) = live() else {
            return vdso::original_time(into);
        };
        let value = match thread.mode {
            MODE_RECORD => {
                let value = vdso::original_time(core::ptr::null_mut());
                write_down(thread, record::CLOCK_TIME, value);
                value
            }
            MODE_REPLAY => promised(thread, record::CLOCK_TIME),
            _ => return vdso::original_time(into),
        };
        if !into.is_null() {
            *into = value;
        }
        value
    }
}

/// # Safety
/// As getcpu.
pub unsafe extern "C" fn getcpu(cpu: *mut u32, node: *mut u32, unused: *mut u8) -> i32 {
    // SAFETY: as the caller says.
    unsafe {
        let Some(thread) = live() else {
            return vdso::original_getcpu(cpu, node, unused);
        };
        let value = match thread.mode {
            MODE_RECORD => {
                let (mut this_cpu, mut this_node) = (0u32, 0u32);
                vdso::original_getcpu(&raw mut this_cpu, &raw mut this_node, unused);
                let value = i64::from(this_cpu) | i64::from(this_node) << 16;
                write_down(thread, record::CLOCK_GETCPU, value);
                value
            }
            MODE_REPLAY => promised(thread, record::CLOCK_GETCPU),
            _ => return vdso::original_getcpu(cpu, node, unused),
        };
        if !cpu.is_null() {
            *cpu = value as u32 & 0xffff;
        }
        if !node.is_null() {
            *node = (value >> 16) as u32;
        }
        0
    }
}

/// # Safety
/// As clock_getres.
pub unsafe extern "C" fn clock_getres(clock: i32, resolution: *mut [i64; 2]) -> i32 {
    let Some(thread) = live() else {
        // SAFETY: as the caller says.
        return unsafe { vdso::original_clock_getres(clock, resolution) };
    };
    through_call(
        thread,
        Number::CLOCK_GETRES,
        clock as usize,
        resolution as usize,
        0,
    )
}

/// The rare cases go the way of the system call.
#[inline(never)]
fn through_call(thread: &mut Thread, number: Number, a: usize, b: usize, c: usize) -> i32 {
    call_without_frame(thread, number, [a, b, c, 0, 0, 0]) as i32
}
