//! Bytes that the kernel moves from descriptor to descriptor, which nobody sees go by.

use crate::calls::descriptors::{OUTPUT_OBJECT, give_up_tracking};
use crate::calls::record::{EINVAL, Made, plain};
use crate::state::Thread;
use wayfarer_calls::Number;

/// sendfile, splice, tee, vmsplice, copy_file_range: bytes that we do not see go by.
#[inline(never)]
pub fn record_splice(thread: &mut Thread, made: &mut Made) -> isize {
    let process = thread.process();
    let (from, to) = splice_ends(made.number, &made.arguments);
    let (from, to) = (process.entry(from), process.entry(to));
    if to >> 1 == OUTPUT_OBJECT {
        // The program falls back to reading and writing, which a replay can show again.
        return EINVAL;
    }
    for entry in [from, to] {
        if entry != 0 {
            give_up_tracking(entry);
        }
    }
    plain(thread, made)
}

/// Descriptors that a splice-like call reads from and writes to.
pub fn splice_ends(number: Number, arguments: &[usize; 6]) -> (usize, usize) {
    match number {
        Number::SENDFILE => (arguments[1], arguments[0]),
        Number::TEE => (arguments[0], arguments[1]),
        Number::VMSPLICE => (usize::MAX, arguments[0]),
        _ => (arguments[0], arguments[2]),
    }
}
