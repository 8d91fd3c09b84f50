//! stdio: the first thread to get the lock of a stream decides what is in its buffer.

use super::flush;
use super::followed;
use super::library::within;
use super::real::{self, Real, call};
use super::stream_lock::{EBUSY, enter, object, use_locked};
use crate::parallel::order;
use crate::parallel::outcome;
use crate::parallel::table;
use crate::session::futex;
use wayfarer_runtime_abi::atomic::AtomicU32;

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
                use_locked(which, stream, a)
            }
            Some(thread) if matches!(which, Real::fflush) => flush::all(thread),
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
        let arguments = [stream, 0, 0, 0, 0, 0];
        let Some(thread) = followed() else {
            return call(Real::fclose, arguments);
        };
        enter(thread, stream);
        call(Real::funlockfile, arguments);
        within(thread, Real::fclose, arguments)
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

/// How long the end of a process waits for a thread that uses the standard output, in milliseconds: it may be
/// one that waits for a reader that never comes.
const PATIENCE_MS: u32 = 50;

/// The program starts in a session, in both modes: of the handlers for its end, ours is registered first, so `exit` calls it
/// last. Nothing of the program runs after it that could wait for a thread that prints.
pub fn start() {
    let handler = process_ends as *const ();
    // SAFETY: libc keeps the handler, which obeys the house rules, in memory of its own.
    unsafe { call(Real::at_exit, [handler as usize, 0, 0, 0, 0, 0]) };
}

/// The process ends by `exit`. Libc empties all buffers then, without their locks, while other threads may still print: the
/// standard output stays locked from here on, so that what they printed before is all that counts.
///
/// # Safety
/// Called by libc as the process ends.
unsafe extern "C" fn process_ends(_unused: usize) {
    let Some(thread) = followed() else {
        return;
    };
    // Not what the variable points to: the program may have put something else there, and closed it.
    let stream = real::address(Real::first_stdout);
    if stream == 0 {
        return;
    }
    let arguments = [stream, 0, 0, 0, 0, 0];
    // SAFETY: libc's own stream, which is there for good.
    unsafe {
        match outcome::foretell(thread) {
            Some(0) => enter(thread, stream),
            Some(_) => {}
            None => {
                let nothing = AtomicU32::new(0);
                let mut waited = 0;
                let mut result = call(Real::ftrylockfile, arguments) as i32;
                while result != 0 && waited < PATIENCE_MS {
                    futex::wait(&nothing, 0, 1);
                    result = call(Real::ftrylockfile, arguments) as i32;
                    waited += 1;
                }
                outcome::report(thread, if result == 0 { 0 } else { EBUSY });
                if result == 0 {
                    order::note_shared(thread, table::order_at(stream), object(stream));
                }
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
