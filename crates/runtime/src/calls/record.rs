//! What recordings of calls are made of: making a call, and writing down what the program could see of it.

use crate::calls::check;
use crate::calls::descriptors;
use crate::calls::outputs::{self, Before, EINTR};
use crate::memory::user;
use crate::serial::token;
use crate::signals::delivery;
use crate::signals::queue;
use crate::state::{Thread, header};
use wayfarer_calls::{Call, Number};
use wayfarer_entrance::arguments::{Arguments, Span};
use wayfarer_entrance::frame::Frame;
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::layout::flags;
use wayfarer_runtime_abi::record::{self, Head};

pub const ENOSYS: isize = -38;
pub const EBADF: isize = -9;
pub const EINVAL: isize = -22;

/// One call of the program, from its arguments to its result.
pub struct Made<'a> {
    pub call: &'static Call,
    pub number: Number,
    pub arguments: Arguments,
    pub check: u8,
    pub frame: &'a mut Frame,
}

impl Made<'_> {
    #[inline(always)]
    pub fn new<'a>(call: &'static Call, frame: &'a mut Frame) -> Made<'a> {
        Made {
            call,
            number: frame.number(),
            arguments: frame.arguments(),
            check: 0,
            frame,
        }
    }

    /// Its record, without payload.
    #[inline(always)]
    pub fn head(&self, result: isize) -> Head {
        Head::call(self.number.word(), self.check, result as i64)
    }
}

/// # Safety
/// As the call itself.
#[inline(always)]
pub unsafe fn call_kernel(number: Number, a: &[usize; 6]) -> isize {
    // SAFETY: as the caller says.
    unsafe { raw::syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5]) }
}

/// A call without peculiarities.
#[inline]
pub fn plain(thread: &mut Thread, made: &mut Made) -> isize {
    made.check = check::arguments(thread, made.call, made.number, &made.arguments);
    let before = outputs::before(made.call, &made.arguments);
    let arguments = made.arguments;
    let result = perform(thread, made, &arguments);
    if made.call.descriptors {
        descriptors::follow_descriptors(thread, made.number, &made.arguments, result);
    }
    write_down(thread, made, result, before, &[]);
    result
}

/// Makes the call; lets others run while it waits, and runs handlers that interrupt it.
#[inline]
pub fn perform(thread: &mut Thread, made: &mut Made, arguments: &[usize; 6]) -> isize {
    if !made.call.blocks {
        // SAFETY: the program's own call.
        return unsafe { call_kernel(made.number, arguments) };
    }
    match perform_once(thread, made.number, arguments) {
        EINTR => again(thread, made, arguments),
        result => result,
    }
}

/// A call has been interrupted: makes it again, as often as the program does not notice.
#[cold]
#[inline(never)]
pub fn again(thread: &mut Thread, made: &mut Made, arguments: &[usize; 6]) -> isize {
    loop {
        if thread.arrivals.pending.load(Ordering::Relaxed) == 0 {
            // Only our own signals: the program must not notice.
        } else if made.call.restarts && queue::all_restart(thread) {
            delivery::deliver(thread, made.frame, record::place::RESTART);
        } else {
            return EINTR;
        }
        let result = perform_once(thread, made.number, arguments);
        if result != EINTR {
            return result;
        }
    }
}

/// Makes a call that may wait, once.
#[inline(always)]
pub fn perform_once(thread: &mut Thread, number: Number, arguments: &[usize; 6]) -> isize {
    let held = thread.serial.holds_token;
    if held {
        token::release(thread);
    }
    // SAFETY: the program's own call.
    let result = unsafe {
        raw::syscall_interruptible(
            number,
            arguments,
            (&raw const thread.arrivals.pending).cast(),
        )
    };
    if held {
        token::acquire(thread);
    } else {
        token::take(thread);
    }
    result
}

/// Writes the record of a call with everything that it wrote, and `suffix` after it.
#[inline]
pub fn write_down(thread: &mut Thread, made: &Made, result: isize, before: Before, suffix: &[u8]) {
    let argument = |index| made.arguments.address(index);
    match outputs::only_piece(made.call, result, argument) {
        Some(Span { length: 0, .. }) if suffix.is_empty() => {
            thread.emit_call(made.number, made.check, result as i64);
        }
        Some(piece) if suffix.is_empty() => {
            thread.emit_piece(made.head(result), piece.start, piece.length);
        }
        _ => write_down_as(thread, made.call, made, result, before, suffix),
    }
}

/// The same with a description of this very call instead of the table's: twice over the pieces, for the length and
/// for the bytes.
#[inline(never)]
pub fn write_down_as(
    thread: &mut Thread,
    call: &Call,
    made: &Made,
    result: isize,
    before: Before,
    suffix: &[u8],
) {
    let mut length = suffix.len();
    outputs::walk(call, &made.arguments, result, before, &mut |_, piece| {
        length += piece
    });
    if length == 0 {
        thread.emit_call(made.number, made.check, result as i64);
        return;
    }
    thread.emit_filled(made.head(result), length, |place| {
        let pieces = length - suffix.len();
        let mut done = 0;
        let put = &mut |pointer, piece: usize| {
            // Another thread may change the memory meanwhile, and with it the lengths that it tells, or take it away:
            // then what the record says of it does not matter.
            let piece = piece.min(pieces - done);
            // SAFETY: room for this much was made.
            unsafe { user::copy_in(place.add(done), pointer, piece) };
            done += piece;
        };
        outputs::walk(call, &made.arguments, result, before, put);
        // SAFETY: room for the suffix was made, too.
        unsafe { core::ptr::copy_nonoverlapping(suffix.as_ptr(), place.add(pieces), suffix.len()) };
    });
}

/// Whether the contents of streams inside the set are logged as well.
#[inline(always)]
pub fn contents_all() -> bool {
    header().flags & flags::CONTENTS_ALL != 0
}
