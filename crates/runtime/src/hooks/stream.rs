//! stdio: the first thread to get the lock of a stream decides what is in its buffer.

use super::followed;
use super::library::within;
use super::real::{self, Real, call};
use super::{cancel, flush};
use crate::parallel::order;
use crate::parallel::outcome;
use crate::parallel::runs;
use crate::parallel::table;
use crate::session::futex;
use crate::session::solid;
use crate::state::Thread;
use crate::state::order::{Object, RECORD};
use wayfarer_runtime_abi::atomic::AtomicU32;
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
///
/// # Safety
/// There must be a stream at the address.
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
        runs::before(thread, order, object(stream));
        if solid::is_on(thread) {
            while call(Real::ftrylockfile, arguments) as i32 != 0 {
                solid::pass_on(thread);
            }
        } else {
            call(Real::flockfile, arguments);
        }
        runs::after(thread, order);
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
                use_locked(which, stream, a)
            }
            Some(thread) if matches!(which, Real::fflush) => flush::all(thread),
            _ => call(which, a),
        }
    }
}

/// A function that uses a stream that this thread has just locked; unlocks it.
///
/// # Safety
/// As the function itself.
pub unsafe fn use_locked(which: Real, stream: usize, a: [usize; 6]) -> usize {
    // SAFETY: as the caller says.
    unsafe {
        let result = cancel::undoing(Real::funlockfile, stream, which, a);
        call(Real::funlockfile, [stream, 0, 0, 0, 0, 0]);
        result
    }
}

/// Locks the stream if no other thread has it; whether it is locked now.
///
/// # Safety
/// A stream of the program.
pub unsafe fn try_enter(thread: &mut Thread, stream: usize) -> bool {
    // SAFETY: as the caller says.
    unsafe {
        match outcome::foretell(thread) {
            Some(0) => enter(thread, stream),
            Some(_) => return false,
            None => {
                if call(Real::ftrylockfile, [stream, 0, 0, 0, 0, 0]) as i32 != 0 {
                    outcome::report(thread, EBUSY);
                    return false;
                }
                outcome::report(thread, 0);
                order::note_shared(thread, table::order_at(stream), object(stream));
            }
        }
    }
    true
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
const EBUSY: i32 = 16;

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
