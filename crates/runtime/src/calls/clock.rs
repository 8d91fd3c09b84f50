//! Clocks that the program reads without a system call.
//!
//! Values are recorded as differences to the last value of the same clock. Nothing is rounded; the
//! packing of the trace takes care of the size.

use crate::calls::replay;
use crate::log::end as log_end;
use crate::log::reader;
use crate::serial::ahead;
use crate::serial::token;
use crate::session::clocks::read_clock;
use crate::session::diverge;
use crate::signals;
use crate::state::{Thread, current};
use wayfarer_calls::Number;
use wayfarer_entrance::frame::Frame;
use wayfarer_entrance::{raw, vdso};
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::layout::{MODE_RECORD, MODE_REPLAY, divergence};
use wayfarer_runtime_abi::record::{self, Head};

/// Recording: a program that does nothing but look at clocks gets its signals here. There is no call whose registers a
/// handler could be shown.
#[cold]
#[inline(never)]
fn deliver(thread: &mut Thread) {
    // SAFETY: all fields are plain numbers.
    let mut frame: Frame = unsafe { core::mem::zeroed() };
    signals::deliver(thread, &mut frame, record::place::ENTRY);
}

/// Recording: writes the difference to the last value of the same clock.
#[inline(always)]
fn write_down(thread: &mut Thread, clock: u8, value: i64) {
    if thread.arrivals.pending.load(Ordering::Relaxed) != 0 {
        deliver(thread);
    }
    let place = thread.room(16);
    if place.is_null() {
        return;
    }
    // SAFETY: clock ids are below 16; room for tag and value was made.
    unsafe {
        let last = thread.clocks.get_unchecked_mut((clock & 15) as usize);
        let delta = value.wrapping_sub(*last);
        *last = value;
        thread.commit(Head::clock(clock, delta).put(place));
    }
    thread.count_event();
    token::yield_if_asked(thread);
}

/// Replay: the value that the log holds.
fn promised(thread: &mut Thread, clock: u8) -> i64 {
    replay::settle(thread, None);
    match reader::peek(thread) {
        Some(next) if next.tag == record::CLOCK + clock => {
            reader::advance(thread, next.length);
            thread.count_event();
            // SAFETY: clock ids are below 16.
            let value = unsafe {
                let last = thread.clocks.get_unchecked_mut((clock & 15) as usize);
                *last = last.wrapping_add(next.value);
                *last
            };
            ahead::after(thread);
            value
        }
        Some(next) => {
            let arguments = [clock as usize, 0, 0, 0, 0, 0];
            diverge::report(
                thread,
                divergence::OTHER_CALL,
                Number::CLOCK_GETTIME.word() as i64,
                0,
                &arguments,
                Some(&next),
            )
        }
        None => log_end::reached(thread),
    }
}

#[inline(always)]
fn live<'a>() -> Option<&'a mut Thread> {
    let thread = current();
    if thread.is_null() {
        return None;
    }
    // SAFETY: set up by `start` or `child_started` for this very thread.
    Some(unsafe { &mut *thread })
}

const BILLION: i64 = 1_000_000_000;

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

/// The time-stamp counter: `real` reads it.
pub fn counter(thread: &mut Thread, real: fn() -> u64) -> u64 {
    match thread.mode {
        MODE_RECORD => {
            let value = real();
            write_down(thread, record::CLOCK_COUNTER, value.cast_signed());
            value
        }
        MODE_REPLAY => promised(thread, record::CLOCK_COUNTER).cast_unsigned(),
        _ => real(),
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
    crate::call_without_frame(thread, number, [a, b, c, 0, 0, 0]) as i32
}
