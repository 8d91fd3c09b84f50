//! `Mutex`: std's, with an order.

use crate::order::{Kind, Order};
use crate::session;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

/// As [`std::sync::Mutex`].
pub struct Mutex<T: ?Sized> {
    order: Order,
    inner: std::sync::Mutex<T>,
}

/// As [`std::sync::MutexGuard`].
#[must_use = "the mutex is unlocked at once if the guard is not kept"]
pub struct MutexGuard<'a, T: ?Sized + 'a> {
    pub(crate) order: &'a Order,
    pub(crate) lock: &'a std::sync::Mutex<T>,
    pub(crate) inner: std::sync::MutexGuard<'a, T>,
}

impl<T> Mutex<T> {
    pub const fn new(value: T) -> Mutex<T> {
        Mutex {
            order: Order::new(),
            inner: std::sync::Mutex::new(value),
        }
    }

    pub fn into_inner(self) -> LockResult<T> {
        self.inner.into_inner()
    }
}

impl<T: ?Sized> Mutex<T> {
    #[inline]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        let result = if session::is_absent() {
            self.inner.lock()
        } else {
            self.lock_in_order()
        };
        self.wrap(result)
    }

    #[cold]
    fn lock_in_order(&self) -> LockResult<std::sync::MutexGuard<'_, T>> {
        let attempt = || at_once(self.inner.try_lock());
        self.order
            .acquire(Kind::MUTEX, attempt, || self.inner.lock())
    }

    #[inline]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        let result = if session::is_absent() {
            self.inner.try_lock()
        } else {
            self.try_lock_in_order()
        };
        match result {
            Ok(inner) => Ok(self.guard(inner)),
            Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
            Err(TryLockError::Poisoned(poison)) => Err(TryLockError::Poisoned(PoisonError::new(
                self.guard(poison.into_inner()),
            ))),
        }
    }

    #[cold]
    fn try_lock_in_order(&self) -> TryLockResult<std::sync::MutexGuard<'_, T>> {
        let attempt = || match self.inner.try_lock() {
            Err(TryLockError::WouldBlock) => None,
            other => Some(other),
        };
        let insist = || self.inner.lock().map_err(TryLockError::Poisoned);
        self.order
            .attempt(Kind::MUTEX, attempt, insist)
            .unwrap_or(Err(TryLockError::WouldBlock))
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

    #[inline(always)]
    fn guard<'a>(&'a self, inner: std::sync::MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        MutexGuard {
            order: &self.order,
            lock: &self.inner,
            inner,
        }
    }

    #[inline(always)]
    fn wrap<'a>(
        &'a self,
        result: LockResult<std::sync::MutexGuard<'a, T>>,
    ) -> LockResult<MutexGuard<'a, T>> {
        match result {
            Ok(inner) => Ok(self.guard(inner)),
            Err(poison) => Err(PoisonError::new(self.guard(poison.into_inner()))),
        }
    }
}

/// What a lock that need not wait gives; nothing when it would have to.
pub(crate) fn at_once<G>(result: TryLockResult<G>) -> Option<LockResult<G>> {
    match result {
        Ok(guard) => Some(Ok(guard)),
        Err(TryLockError::Poisoned(poison)) => Some(Err(poison)),
        Err(TryLockError::WouldBlock) => None,
    }
}

impl<T: Default> Default for Mutex<T> {
    fn default() -> Self {
        Mutex::new(T::default())
    }
}

impl<T> From<T> for Mutex<T> {
    fn from(value: T) -> Self {
        Mutex::new(value)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut output = formatter.debug_struct("Mutex");
        match self.try_lock() {
            Ok(guard) => output.field("data", &&*guard),
            Err(TryLockError::Poisoned(poison)) => output.field("data", &&**poison.get_ref()),
            Err(TryLockError::WouldBlock) => output.field("data", &format_args!("<locked>")),
        };
        output.field("poisoned", &self.is_poisoned());
        output.finish_non_exhaustive()
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.inner
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, formatter)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for MutexGuard<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, formatter)
    }
}
