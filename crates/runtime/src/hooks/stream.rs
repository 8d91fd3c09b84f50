//! stdio: who gets the lock of a stream first decides what is in its buffer.

use super::followed;
use super::real::{self, Real, call};
use super::table;
use crate::order::{self, Object, RECORD};
use crate::solid;
use crate::state::Thread;
use wayfarer_runtime_abi::record::sync;

fn object(stream: usize) -> Object {
    Object {
        kind: sync::STREAM,
        shared: false,
        address: stream,
        place: 0,
        stays: true,
        reads: false,
    }
}

/// Locks the stream at its turn.
unsafe fn enter(thread: &mut Thread, stream: usize) {
    let order = table::order_at(stream);
    let arguments = [stream, 0, 0, 0, 0, 0];
    // SAFETY: a stream of the program.
    unsafe {
        if thread.sync == RECORD {
            call(Real::flockfile, arguments);
            order::note_shared(thread, order, object(stream));
            return;
        }
        order::before(thread, order, object(stream));
        if solid::is_on(thread) {
            while call(Real::ftrylockfile, arguments) as i32 != 0 {
                solid::pass_on(thread);
            }
        } else {
            call(Real::flockfile, arguments);
        }
        order::after(thread, order);
    }
}

/// A function that uses `stream`.
///
/// # Safety
/// As the function itself.
pub unsafe fn use_stream(which: Real, stream: usize, a: [usize; 6]) -> usize {
    // SAFETY: as the caller says.
    unsafe {
        match followed() {
            Some(thread) if stream != 0 => {
                enter(thread, stream);
                let result = call(which, a);
                call(Real::funlockfile, [stream, 0, 0, 0, 0, 0]);
                result
            }
            _ => call(which, a),
        }
    }
}

/// fclose: the stream is gone afterwards, its lock with it.
///
/// # Safety
/// As the function itself.
pub unsafe fn close(stream: usize) -> usize {
    // SAFETY: as the caller says.
    unsafe {
        if let Some(thread) = followed() {
            enter(thread, stream);
            call(Real::funlockfile, [stream, 0, 0, 0, 0, 0]);
        }
        call(Real::fclose, [stream, 0, 0, 0, 0, 0])
    }
}

/// flockfile
///
/// # Safety
/// As the function itself.
pub unsafe fn lock(stream: usize) {
    // SAFETY: as the caller says.
    unsafe {
        match followed() {
            Some(thread) => enter(thread, stream),
            None => {
                call(Real::flockfile, [stream, 0, 0, 0, 0, 0]);
            }
        }
    }
}

/// The stream that a variable of libc's (`stdout` and its like) points to.
pub fn standard(which: Real) -> usize {
    let variable = real::address(which);
    if variable == 0 {
        return 0;
    }
    // SAFETY: a variable that holds a pointer.
    unsafe { *(variable as *const usize) }
}
