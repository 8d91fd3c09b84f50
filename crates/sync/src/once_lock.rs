//! `OnceLock`: a value that is set once; which thread sets it is ordered as in [`Once`](crate::Once).

use crate::once::first_of;
use crate::order::{Kind, Order};
use crate::session;
use std::fmt;

/// As [`std::sync::OnceLock`].
pub struct OnceLock<T> {
    order: Order,
    inner: std::sync::OnceLock<T>,
}

impl<T> OnceLock<T> {
    pub const fn new() -> OnceLock<T> {
        OnceLock {
            order: Order::new(),
            inner: std::sync::OnceLock::new(),
        }
    }

    #[inline]
    pub fn get(&self) -> Option<&T> {
        if session::is_absent() {
            return self.inner.get();
        }
        self.order
            .attempt(Kind::ONCE, || self.inner.get(), || self.inner.wait())
    }

    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.inner.get_mut()
    }

    /// Waits until another thread has set the value.
    pub fn wait(&self) -> &T {
        if session::is_absent() {
            return self.inner.wait();
        }
        self.order.around(Kind::ONCE, || self.inner.wait())
    }

    pub fn set(&self, value: T) -> Result<(), T> {
        let mut value = Some(value);
        self.get_or_init(|| match value.take() {
            Some(value) => value,
            None => unreachable!("a value is set once"),
        });
        value.map_or(Ok(()), Err)
    }

    #[inline]
    pub fn get_or_init<F: FnOnce() -> T>(&self, make: F) -> &T {
        if session::is_absent() {
            return self.inner.get_or_init(make);
        }
        first_of(&self.order, |noted| {
            self.inner.get_or_init(|| {
                noted.here();
                make()
            })
        })
    }

    pub fn into_inner(self) -> Option<T> {
        self.inner.into_inner()
    }

    pub fn take(&mut self) -> Option<T> {
        self.inner.take()
    }
}

impl<T> Default for OnceLock<T> {
    fn default() -> Self {
        OnceLock::new()
    }
}

impl<T> From<T> for OnceLock<T> {
    fn from(value: T) -> Self {
        OnceLock {
            order: Order::new(),
            inner: value.into(),
        }
    }
}

impl<T: Clone> Clone for OnceLock<T> {
    fn clone(&self) -> Self {
        self.get()
            .cloned()
            .map_or_else(OnceLock::new, OnceLock::from)
    }
}

impl<T: PartialEq> PartialEq for OnceLock<T> {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl<T: Eq> Eq for OnceLock<T> {}

impl<T: fmt::Debug> fmt::Debug for OnceLock<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut output = formatter.debug_tuple("OnceLock");
        match self.get() {
            Some(value) => output.field(value),
            None => output.field(&format_args!("<uninit>")),
        };
        output.finish()
    }
}
