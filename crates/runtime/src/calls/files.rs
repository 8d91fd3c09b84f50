//! Calls that open, close and duplicate descriptors.

use crate::calls::check;
use crate::calls::descriptors::{OUTPUT_OBJECT, give_up_tracking, is_ours};
use crate::calls::record::{EBADF, Made, plain};
use crate::memory::user;
use crate::state::Thread;
use wayfarer_calls::Number;
use wayfarer_entrance::arguments::{Address, Arguments};
use wayfarer_entrance::raw;

const F_DUPFD: usize = 0;
const F_DUPFD_CLOEXEC: usize = 1030;

pub fn close(thread: &mut Thread, made: &mut Made) -> isize {
    if is_ours(made.arguments[0]) {
        return EBADF;
    }
    thread.process().set_entry(made.arguments[0], 0);
    plain(thread, made)
}

/// close_range without our own descriptors.
pub fn close_range(thread: &mut Thread, made: &mut Made) -> isize {
    made.check = check::arguments(thread, made.call, made.number, &made.arguments);
    let (first, last) = (
        made.arguments[0] as u32 as usize,
        made.arguments[1] as u32 as usize,
    );
    let flags = made.arguments[2];
    let (low, high) = (
        wayfarer_runtime_abi::SESSION_FD as usize,
        wayfarer_runtime_abi::RUNTIME_FD as usize,
    );
    let mut result = 0;
    // SAFETY: close_range touches no memory.
    unsafe {
        if first > high || last < low || first > last {
            result = raw::syscall6(Number::CLOSE_RANGE, first, last, flags, 0, 0, 0);
        } else {
            if first < low {
                result = raw::syscall6(Number::CLOSE_RANGE, first, low - 1, flags, 0, 0, 0);
            }
            if last > high && result == 0 {
                result = raw::syscall6(Number::CLOSE_RANGE, high + 1, last, flags, 0, 0, 0);
            }
        }
    }
    follow_close_range(thread, &made.arguments, result);
    thread.emit_call(Number::CLOSE_RANGE, made.check, result as i64);
    result
}

pub fn duplicate(thread: &mut Thread, made: &mut Made) -> isize {
    if is_ours(made.arguments[0]) || is_ours(made.arguments[1]) {
        return EBADF;
    }
    plain(thread, made)
}

pub fn open(thread: &mut Thread, made: &mut Made) -> isize {
    let result = plain(thread, made);
    follow_open(thread, made.number, &made.arguments, result);
    result
}

/// Both modes: fcntl can duplicate a descriptor.
pub fn follow_fcntl(thread: &mut Thread, a: &[usize; 6], result: isize) {
    if result >= 0 && matches!(a[1], F_DUPFD | F_DUPFD_CLOEXEC) {
        let entry = thread.process().entry(a[0]);
        thread.process().set_entry(result as usize, entry);
    }
}

/// Both modes.
pub fn follow_close_range(thread: &mut Thread, a: &[usize; 6], result: isize) {
    const CLOEXEC: usize = 4;
    if result == 0 && a[2] & CLOEXEC == 0 {
        thread
            .process()
            .clear_range(a[0] as u32 as usize, a[1] as u32 as usize);
    }
}

/// Both modes: a pipe or the session's output can be opened anew under a name in /dev or /proc.
pub fn follow_open(thread: &mut Thread, number: Number, a: &Arguments, result: isize) {
    if result < 0 {
        return;
    }
    let path = a.address(match number {
        Number::OPEN | Number::CREAT => 0,
        _ => 1,
    });
    let entry = match reopened(thread, path) {
        Some(descriptor) => thread.process().entry(descriptor),
        None => 0,
    };
    if entry >> 1 == OUTPUT_OBJECT {
        thread.process().set_entry(result as usize, entry);
        return;
    }
    if entry != 0 {
        give_up_tracking(entry);
    }
    thread.process().set_entry(result as usize, 0);
}

/// The descriptor that a path such as /dev/stdout or /proc/self/fd/5 names.
fn reopened(thread: &mut Thread, path: Address) -> Option<usize> {
    let start = user::read::<[u8; 5]>(path)?;
    if &start != b"/dev/" && &start != b"/proc" {
        return None;
    }
    let length = user::string_length(thread, path, 32)?;
    let mut text = [0u8; 32];
    if !user::fill(text.get_mut(..length.min(32))?, path) {
        return None;
    }
    let is = |name: &[u8]| length == name.len() && text.starts_with(name);
    if is(b"/dev/stdin") {
        return Some(0);
    }
    if is(b"/dev/stdout") {
        return Some(1);
    }
    if is(b"/dev/stderr") {
        return Some(2);
    }
    let digits = if text.starts_with(b"/dev/fd/") {
        8
    } else if text.starts_with(b"/proc/self/fd/") {
        14
    } else {
        return None;
    };
    let mut descriptor = 0usize;
    for &digit in text.get(digits..length.min(32))? {
        if !digit.is_ascii_digit() {
            return None;
        }
        descriptor = descriptor
            .wrapping_mul(10)
            .wrapping_add((digit - b'0') as usize);
    }
    Some(descriptor)
}
