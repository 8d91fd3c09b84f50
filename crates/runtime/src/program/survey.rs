//! Looks at the program's code to tell whether all its synchronisation goes through pthread
//! functions (`--threads auto`).
//!
//! This is decided when a process gets its second thread. It becomes serial if it
//!
//! - imports `syscall` (Rust std, hand-made futexes),
//! - cancels threads that may be cancelled anywhere (`pthread_setcanceltype`),
//! - loads a library that spins by hand or makes futex calls of its own,
//! - takes no pthread lock,
//! - has `pause` or an atomic exchange in its own code, or
//! - shares memory.
//!
//! Otherwise it becomes parallel. A library that makes threads itself (x265, liblzma) counts as the
//! program's own code: its locks make a program without any parallel, its atomics make it serial.
//! Libraries that are loaded later are looked at in `late.rs`; memory that is shared that late, and
//! threads that libc makes by itself, get a note, too.
//!
//! No look at code finds a plain variable that two threads use without a lock. A replay can: when
//! one diverges by a race in a program that was found fit for parallel mode, the host remembers its
//! build id (`raced.rs` of the recorder) and later recordings take serial mode. `--threads
//! parallel` overrides both.

use crate::program::resolve;
use crate::state::header;
use core::ffi::CStr;
use wayfarer_runtime_abi::record::threads;

/// Libraries that synchronise by hand.
pub const BY_HAND: [&[u8]; 6] = [
    b"libgomp",
    b"libomp",
    b"libtbb",
    b"libiomp",
    b"libgo.so",
    b"libjvm",
];

/// Libraries that make futex calls of their own and are followed all the same: what of them a program can reach
/// goes through hooked functions, or through code of the program's own.
pub const FOLLOWED: [&[u8]; 2] = [b"libc.so", b"libstdc++"];

/// Functions for which libc makes threads of its own.
const ASYNCHRONOUS: [&CStr; 10] = [
    c"aio_read",
    c"aio_read64",
    c"aio_write",
    c"aio_write64",
    c"aio_fsync",
    c"aio_fsync64",
    c"lio_listio",
    c"lio_listio64",
    c"getaddrinfo_a",
    c"mq_notify",
];

/// Mode, reason and its value, for a process that is about to have its second thread.
pub fn verdict(can_follow_cancellation: impl Fn() -> bool) -> (u64, u8, i64) {
    if resolve::program_key().is_some_and(|key| header().raced.contains(&key)) {
        return (threads::SERIAL, threads::RACED, 0);
    }
    let found = resolve::survey(&BY_HAND);
    if found.declares_sync {
        return (threads::PARALLEL, threads::ALL_VISIBLE, 0);
    }
    if found.by_hand {
        return (threads::SERIAL, threads::LIBRARY, 0);
    }
    if found.imports_syscall {
        return (threads::SERIAL, threads::OWN_FUTEX, 0);
    }
    if ASYNCHRONOUS
        .iter()
        .any(|name| resolve::program_imports(name))
    {
        return (threads::SERIAL, threads::THREADS_OF_LIBC, 0);
    }
    if found.imports_cancel && (found.imports_cancel_type || !can_follow_cancellation()) {
        return (threads::SERIAL, threads::CANCELS, 0);
    }
    let libraries = resolve::survey_libraries(&FOLLOWED);
    if !found.imports_locks && !libraries.take_locks {
        return (threads::SERIAL, threads::NO_LOCKS, 0);
    }
    let (atomics, pauses) = found.count_instructions();
    if pauses > 0 {
        return (threads::SERIAL, threads::SPINS, pauses);
    }
    if atomics > 0 {
        return (threads::SERIAL, threads::ATOMICS, atomics);
    }
    if libraries.by_hand {
        return (threads::SERIAL, threads::LIBRARY, 0);
    }
    (threads::PARALLEL, threads::ALL_VISIBLE, 0)
}
