//! A count of owners whose order is recorded: so the last owner, who frees the memory, is the same in a replay.

use crate::atomic::{AtomicUsize, Ordering, fence};
use std::ops::Deref;
use std::ptr::NonNull;

/// As an `Arc`, without all that a channel does not need.
pub(super) struct Shared<T>(NonNull<Inner<T>>);

struct Inner<T> {
    owners: AtomicUsize,
    value: T,
}

// SAFETY: the value is only reached by shared references, and dropped by one owner.
unsafe impl<T: Send + Sync> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Shared<T> {}

impl<T> Shared<T> {
    pub(super) fn new(value: T) -> Shared<T> {
        let inner = Box::new(Inner {
            owners: AtomicUsize::new(1),
            value,
        });
        Shared(NonNull::from(Box::leak(inner)))
    }

    fn inner(&self) -> &Inner<T> {
        // SAFETY: it lives as long as it has an owner, and this is one.
        unsafe { self.0.as_ref() }
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        self.inner().owners.fetch_add(1, Ordering::Relaxed);
        Shared(self.0)
    }
}

impl<T> Drop for Shared<T> {
    fn drop(&mut self) {
        if self.inner().owners.fetch_sub(1, Ordering::Release) == 1 {
            fence(Ordering::Acquire);
            // SAFETY: it came from a box, and it has no other owner any more.
            drop(unsafe { Box::from_raw(self.0.as_ptr()) });
        }
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner().value
    }
}
