//! Raw locks for `lock_api`: `lock_api::Mutex<wayfarer_sync::raw::RawMutex, T>` and its like.

use crate::order::{Kind, Order};
use lock_api::GuardSend;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A mutex for [`lock_api::Mutex`].
pub struct RawMutex {
    order: Order,
    gate: Gate,
}

/// A lock of readers and writers for [`lock_api::RwLock`].
pub struct RawRwLock {
    order: Order,
    gate: Gate,
}

/// Which threads are inside: readers, or a writer.
struct Gate {
    inside: Mutex<isize>,
    changed: Condvar,
}

const WRITER: isize = -1;

impl Gate {
    const fn new() -> Gate {
        Gate {
            inside: Mutex::new(0),
            changed: Condvar::new(),
        }
    }

    fn inside(&self) -> MutexGuard<'_, isize> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter_alone(&self) {
        let mut inside = self.inside();
        while *inside != 0 {
            inside = self
                .changed
                .wait(inside)
                .unwrap_or_else(PoisonError::into_inner);
        }
        *inside = WRITER;
    }

    fn enter_shared(&self) {
        let mut inside = self.inside();
        while *inside == WRITER {
            inside = self
                .changed
                .wait(inside)
                .unwrap_or_else(PoisonError::into_inner);
        }
        *inside += 1;
    }

    fn try_alone(&self) -> Option<()> {
        let mut inside = self.inside();
        (*inside == 0).then(|| *inside = WRITER)
    }

    fn try_shared(&self) -> Option<()> {
        let mut inside = self.inside();
        (*inside != WRITER).then(|| *inside += 1)
    }

    fn leave(&self) {
        let mut inside = self.inside();
        *inside = if *inside == WRITER { 0 } else { *inside - 1 };
        if *inside == 0 {
            self.changed.notify_all();
        }
    }
}

// SAFETY: the gate lets one in at a time.
unsafe impl lock_api::RawMutex for RawMutex {
    #[allow(clippy::declare_interior_mutable_const)]
    const INIT: RawMutex = RawMutex {
        order: Order::new(),
        gate: Gate::new(),
    };
    type GuardMarker = GuardSend;

    fn lock(&self) {
        let attempt = || self.gate.try_alone();
        self.order
            .acquire(Kind::MUTEX, attempt, || self.gate.enter_alone());
    }

    fn try_lock(&self) -> bool {
        let attempt = || self.gate.try_alone();
        self.order
            .attempt(Kind::MUTEX, attempt, || self.gate.enter_alone())
            .is_some()
    }

    /// # Safety
    /// The caller must hold the lock in that way.
    unsafe fn unlock(&self) {
        self.gate.leave();
    }
}

// SAFETY: the gate lets in either one writer or any number of readers.
unsafe impl lock_api::RawRwLock for RawRwLock {
    #[allow(clippy::declare_interior_mutable_const)]
    const INIT: RawRwLock = RawRwLock {
        order: Order::new(),
        gate: Gate::new(),
    };
    type GuardMarker = GuardSend;

    fn lock_shared(&self) {
        let attempt = || self.gate.try_shared();
        self.order
            .acquire(Kind::READ, attempt, || self.gate.enter_shared());
    }

    fn try_lock_shared(&self) -> bool {
        let attempt = || self.gate.try_shared();
        self.order
            .attempt(Kind::READ, attempt, || self.gate.enter_shared())
            .is_some()
    }

    /// # Safety
    /// The caller must hold the lock in that way.
    unsafe fn unlock_shared(&self) {
        self.gate.leave();
    }

    fn lock_exclusive(&self) {
        let attempt = || self.gate.try_alone();
        self.order
            .acquire(Kind::WRITE, attempt, || self.gate.enter_alone());
    }

    fn try_lock_exclusive(&self) -> bool {
        let attempt = || self.gate.try_alone();
        self.order
            .attempt(Kind::WRITE, attempt, || self.gate.enter_alone())
            .is_some()
    }

    /// # Safety
    /// The caller must hold the lock in that way.
    unsafe fn unlock_exclusive(&self) {
        self.gate.leave();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mutex_keeps_others_out() {
        let mutex: lock_api::Mutex<RawMutex, i32> = lock_api::Mutex::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..1000).for_each(|_| *mutex.lock() += 1));
            }
        });
        let guard = mutex.lock();
        assert_eq!(*guard, 4000);
        assert!(mutex.try_lock().is_none());
        drop(guard);
        assert!(mutex.try_lock().is_some());
    }

    #[test]
    fn readers_share_and_writers_do_not() {
        let lock: lock_api::RwLock<RawRwLock, i32> = lock_api::RwLock::new(1);
        let (first, second) = (lock.read(), lock.try_read());
        assert_eq!(*first, *second.as_deref().unwrap());
        assert!(lock.try_write().is_none());
        drop((first, second));
        *lock.write() = 2;
        assert_eq!(*lock.read(), 2);
    }
}
