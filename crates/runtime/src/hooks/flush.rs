//! `fflush` of all streams.
//!
//! libc goes through its list of streams under a lock of its own, with which it waits for the lock
//! of each. A thread that has one of those may want to come in here meanwhile (see [`library`]), so
//! we go through the list instead. It changes only while a thread is in here, and each stream is a
//! use of it at its own turn. A stream that another thread has is tried again after a moment in
//! which others may come in.

use super::library::within;
use super::real::{self, Real, call};
use super::stream_lock::{try_enter, use_locked};
use crate::parallel::library;
use crate::session::futex;
use crate::state::Thread;
use crate::state::order::RECORD;
use wayfarer_runtime_abi::atomic::AtomicU32;

/// A stream, as programs know it from the header files of libc.
#[repr(C)]
struct Stream {
    before: [usize; 4],
    write_base: usize,
    write_now: usize,
    between: [usize; 7],
    next: *const Stream,
    behind: [usize; 6],
    wide: *const Wide,
    more: [usize; 3],
    mode: i32,
}

/// Of a stream of wide characters.
#[repr(C)]
struct Wide {
    before: [usize; 3],
    write_base: usize,
    write_now: usize,
}

const _: () = assert!(core::mem::offset_of!(Stream, next) == 0x68);
const _: () = assert!(core::mem::offset_of!(Stream, wide) == 0xa0);
const _: () = assert!(core::mem::offset_of!(Stream, mode) == 0xc0);

impl Stream {
    /// Whether something is to be written.
    ///
    /// # Safety
    /// The stream must be one of libc's, and locked.
    unsafe fn is_full(&self) -> bool {
        if self.mode <= 0 {
            return self.write_now > self.write_base;
        }
        // SAFETY: a stream of wide characters has the other part, too.
        unsafe { (*self.wide).write_now > (*self.wide).write_base }
    }
}

/// How long a thread waits for a stream before it looks again, at first and at last, in milliseconds.
const SHORT_NAP: u64 = 1;
const LONG_NAP: u64 = 32;

/// `fflush(NULL)`
///
/// # Safety
/// As the function itself.
pub unsafe fn all(thread: &mut Thread) -> usize {
    const FAILED: usize = usize::MAX;
    let list = real::address(Real::all_streams);
    // SAFETY: as the caller says; a stream that is in the list is there while no other thread can come in.
    unsafe {
        if list == 0 || !library::may_enter(thread) {
            return within(thread, Real::fflush, [0; 6]);
        }
        let list = list as *const *const Stream;
        library::enter(thread);
        let mut result = 0;
        let mut nap = SHORT_NAP;
        let mut stream = *list;
        while let Some(now) = stream.as_ref() {
            if !try_enter(thread, stream as usize) {
                let depth = library::suspend(thread);
                if thread.sync == RECORD {
                    futex::wait(&AtomicU32::new(0), 0, nap);
                    nap = LONG_NAP.min(nap * 2);
                }
                library::resume(thread, depth);
                stream = known(list, stream);
                continue;
            }
            nap = SHORT_NAP;
            let arguments = [stream as usize, 0, 0, 0, 0, 0];
            if !now.is_full() {
                call(Real::funlockfile, arguments);
                stream = now.next;
                continue;
            }
            if use_locked(Real::fflush, stream as usize, arguments) as i32 != 0 {
                result = FAILED;
            }
            // Others may have come in while it was written.
            stream = match known(list, stream) {
                same if core::ptr::eq(same, stream) => now.next,
                first => first,
            };
        }
        library::leave(thread);
        result
    }
}

/// The stream if it is still in the list; otherwise the first of the list.
///
/// # Safety
/// The list must be libc's, with its lock taken.
unsafe fn known(list: *const *const Stream, stream: *const Stream) -> *const Stream {
    // SAFETY: as the caller says.
    unsafe {
        let mut next = *list;
        while let Some(now) = next.as_ref() {
            if core::ptr::eq(next, stream) {
                return stream;
            }
            next = now.next;
        }
        *list
    }
}
