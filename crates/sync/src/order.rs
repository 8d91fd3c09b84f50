//! The order of the accesses of one object: sixteen bytes that belong to the runtime.

use crate::session::{self, Words};
use std::cell::UnsafeCell;

/// What kind of object it is and how its accesses are noted. The numbers are the runtime's.
#[derive(Clone, Copy)]
pub(crate) struct Kind(u32);

/// Noted after the operation, by threads that may do so at the same time.
const SHARED: u32 = 0x100;
/// The operation is part of the note: no other thread is in between.
const ATOMIC: u32 = 0x300;
/// The lock was found taken: the recorder takes the time until the access is noted.
const WAITS: u32 = 0x400;

impl Kind {
    /// Noted after an operation that keeps others out.
    pub(crate) const MUTEX: Kind = Kind(1);
    pub(crate) const WRITE: Kind = Kind(2);
    pub(crate) const READ: Kind = Kind(2 | SHARED);
    /// Not the kind of `pthread_once`, of which the runtime keeps no order.
    pub(crate) const ONCE: Kind = Kind(9 | SHARED);
    pub(crate) const ATOMIC: Kind = Kind(9 | ATOMIC);
}

/// Zero for an object that was not seen yet. It may be moved together with its object.
pub(crate) struct Order(UnsafeCell<Words>);

// SAFETY: only the runtime looks at the words, and it expects all threads at once.
unsafe impl Sync for Order {}

impl std::panic::RefUnwindSafe for Order {}

impl Order {
    pub(crate) const fn new() -> Order {
        Order(UnsafeCell::new([0; 2]))
    }

    /// Before an access. In a replay it waits for the turn of this thread.
    pub(crate) fn before(&self, kind: Kind) {
        // SAFETY: the words live as long as `self`.
        unsafe { session::before(self.0.get(), kind.0) }
    }

    /// After an access.
    pub(crate) fn after(&self, kind: Kind) {
        // SAFETY: the words live as long as `self`.
        unsafe { session::after(self.0.get(), kind.0) }
    }

    /// An access that has just happened and still keeps others out, or must not be overtaken by them.
    pub(crate) fn note(&self, kind: Kind) {
        self.before(kind);
        self.after(kind);
    }

    /// An operation that is an access.
    pub(crate) fn around<R>(&self, kind: Kind, operation: impl FnOnce() -> R) -> R {
        self.before(kind);
        let result = operation();
        self.after(kind);
        result
    }

    /// A lock that is most often free: `attempt` may fail, and then `insist` waits until it succeeds.
    pub(crate) fn acquire<R>(
        &self,
        kind: Kind,
        attempt: impl FnOnce() -> Option<R>,
        insist: impl FnOnce() -> R,
    ) -> R {
        self.around(kind, || {
            attempt().unwrap_or_else(|| {
                self.before(Kind(kind.0 | WAITS));
                insist()
            })
        })
    }

    /// A try: `attempt` may fail, `insist` waits until it succeeds. A replay does what was recorded.
    pub(crate) fn attempt<R>(
        &self,
        kind: Kind,
        attempt: impl FnOnce() -> Option<R>,
        insist: impl FnOnce() -> R,
    ) -> Option<R> {
        match session::foretell() {
            Some(session::SUCCESS) => Some(self.around(kind, insist)),
            Some(_) => None,
            None => {
                let result = attempt();
                if result.is_some() {
                    session::report(session::SUCCESS);
                    self.note(kind);
                } else {
                    session::report(session::BUSY);
                }
                result
            }
        }
    }
}
