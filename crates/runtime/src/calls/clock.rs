//! Clocks that the program reads without a system call.
//!
//! Values are recorded as differences to the last value of the same clock. Nothing is rounded; the
//! packing of the trace takes care of the size.

use crate::calls::replay;
use crate::log::end as log_end;
use crate::log::reader;
use crate::serial::ahead;
use crate::serial::token;
use crate::session::diverge;
use crate::signals::delivery;
use crate::state::Thread;
use wayfarer_calls::Number;
use wayfarer_entrance::frame::Frame;
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
    delivery::deliver(thread, &mut frame, record::place::ENTRY);
}

/// Recording: writes the difference to the last value of the same clock.
#[inline(always)]
pub fn write_down(thread: &mut Thread, clock: u8, value: i64) {
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
pub fn promised(thread: &mut Thread, clock: u8) -> i64 {
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
