//! `RwLock`: std's, with an order of readers and writers.

use crate::mutex::at_once;
use crate::order::{Kind, Order};
use crate::session;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

/// As [`std::sync::RwLock`].
pub struct RwLock<T: ?Sized> {
    order: Order,
    inner: std::sync::RwLock<T>,
}

/// As [`std::sync::RwLockReadGuard`].
#[must_use = "the lock is let go at once if the guard is not kept"]
pub struct RwLockReadGuard<'a, T: ?Sized + 'a> {
    inner: std::sync::RwLockReadGuard<'a, T>,
}

/// As [`std::sync::RwLockWriteGuard`].
#[must_use = "the lock is let go at once if the guard is not kept"]
pub struct RwLockWriteGuard<'a, T: ?Sized + 'a> {
    inner: std::sync::RwLockWriteGuard<'a, T>,
}

impl<T> RwLock<T> {
    pub const fn new(value: T) -> RwLock<T> {
        RwLock {
            order: Order::new(),
            inner: std::sync::RwLock::new(value),
        }
    }

    pub fn into_inner(self) -> LockResult<T> {
        self.inner.into_inner()
    }
}

impl<T: ?Sized> RwLock<T> {
    #[inline]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        let result = if session::is_absent() {
            self.inner.read()
        } else {
            let attempt = || at_once(self.inner.try_read());
            self.order
                .acquire(Kind::READ, attempt, || self.inner.read())
        };
        match result {
            Ok(inner) => Ok(RwLockReadGuard { inner }),
            Err(poison) => Err(PoisonError::new(RwLockReadGuard {
                inner: poison.into_inner(),
            })),
        }
    }

    #[inline]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        let result = if session::is_absent() {
            self.inner.write()
        } else {
            let attempt = || at_once(self.inner.try_write());
            self.order
                .acquire(Kind::WRITE, attempt, || self.inner.write())
        };
        match result {
            Ok(inner) => Ok(RwLockWriteGuard { inner }),
            Err(poison) => Err(PoisonError::new(RwLockWriteGuard {
                inner: poison.into_inner(),
            })),
        }
    }

    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        let result = if session::is_absent() {
            self.inner.try_read()
        } else {
            let insist = || self.inner.read().map_err(TryLockError::Poisoned);
            self.order
                .attempt(Kind::READ, || got(self.inner.try_read()), insist)
                .unwrap_or(Err(TryLockError::WouldBlock))
        };
        rewrap(result, |inner| RwLockReadGuard { inner })
    }

    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        let result = if session::is_absent() {
            self.inner.try_write()
        } else {
            let insist = || self.inner.write().map_err(TryLockError::Poisoned);
            self.order
                .attempt(Kind::WRITE, || got(self.inner.try_write()), insist)
                .unwrap_or(Err(TryLockError::WouldBlock))
        };
        rewrap(result, |inner| RwLockWriteGuard { inner })
    }

    pub fn is_poisoned(&self) -> bool {
        session::answer(|| self.inner.is_poisoned())
    }

    pub fn clear_poison(&self) {
        self.inner.clear_poison();
    }

    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.inner.get_mut()
    }
}

/// What a try got; nothing when the lock was taken.
fn got<G>(result: TryLockResult<G>) -> Option<TryLockResult<G>> {
    match result {
        Err(TryLockError::WouldBlock) => None,
        other => Some(other),
    }
}

fn rewrap<A, B>(result: TryLockResult<A>, change: impl FnOnce(A) -> B) -> TryLockResult<B> {
    match result {
        Ok(value) => Ok(change(value)),
        Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
        Err(TryLockError::Poisoned(poison)) => Err(TryLockError::Poisoned(PoisonError::new(
            change(poison.into_inner()),
        ))),
    }
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    /// From the only writer to one of the readers, with no other writer in between.
    pub fn downgrade(guard: Self) -> RwLockReadGuard<'a, T> {
        RwLockReadGuard {
            inner: std::sync::RwLockWriteGuard::downgrade(guard.inner),
        }
    }
}

impl<T: Default> Default for RwLock<T> {
    fn default() -> Self {
        RwLock::new(T::default())
    }
}

impl<T> From<T> for RwLock<T> {
    fn from(value: T) -> Self {
        RwLock::new(value)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLock<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut output = formatter.debug_struct("RwLock");
        match self.try_read() {
            Ok(guard) => output.field("data", &&*guard),
            Err(TryLockError::Poisoned(poison)) => output.field("data", &&**poison.get_ref()),
            Err(TryLockError::WouldBlock) => output.field("data", &format_args!("<locked>")),
        };
        output.field("poisoned", &self.is_poisoned());
        output.finish_non_exhaustive()
    }
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.inner
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockReadGuard<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, formatter)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockWriteGuard<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, formatter)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for RwLockReadGuard<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, formatter)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for RwLockWriteGuard<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, formatter)
    }
}
