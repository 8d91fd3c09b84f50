//! Atomics: std's, each with an order. In a recording every operation is one access.

use crate::order::{Kind, Order};
use crate::session;
use std::fmt;
pub use std::sync::atomic::{Ordering, compiler_fence, fence};

/// What all atomics have; `$value` is what they hold.
macro_rules! common {
    ([$($generics:tt)*] $name:ident, $full:ty, $value:ty) => {
        impl<$($generics)*> $full {
            pub const fn new(value: $value) -> Self {
                $name {
                    order: Order::new(),
                    inner: std::sync::atomic::$name::new(value),
                }
            }

            #[inline(always)]
            fn access<R>(&self, operation: impl FnOnce() -> R) -> R {
                if session::is_absent() {
                    operation()
                } else {
                    self.order.around(Kind::ATOMIC, operation)
                }
            }

            #[inline]
            pub fn load(&self, order: Ordering) -> $value {
                self.access(|| self.inner.load(order))
            }

            #[inline]
            pub fn store(&self, value: $value, order: Ordering) {
                self.access(|| self.inner.store(value, order));
            }

            #[inline]
            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                self.access(|| self.inner.swap(value, order))
            }

            #[inline]
            pub fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.access(|| self.inner.compare_exchange(current, new, success, failure))
            }

            /// Never fails without a reason while it is recorded or replayed.
            #[inline]
            pub fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                if session::is_absent() {
                    return self.inner.compare_exchange_weak(current, new, success, failure);
                }
                self.compare_exchange(current, new, success, failure)
            }

            pub fn fetch_update<F>(
                &self,
                set: Ordering,
                fetch: Ordering,
                mut change: F,
            ) -> Result<$value, $value>
            where
                F: FnMut($value) -> Option<$value>,
            {
                let mut seen = self.load(fetch);
                while let Some(next) = change(seen) {
                    match self.compare_exchange_weak(seen, next, set, fetch) {
                        Ok(before) => return Ok(before),
                        Err(other) => seen = other,
                    }
                }
                Err(seen)
            }

            pub fn get_mut(&mut self) -> &mut $value {
                self.inner.get_mut()
            }

            pub const fn into_inner(self) -> $value {
                self.inner.into_inner()
            }
        }

        impl<$($generics)*> From<$value> for $full {
            fn from(value: $value) -> Self {
                Self::new(value)
            }
        }

        impl<$($generics)*> fmt::Debug for $full {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.load(Ordering::Relaxed), formatter)
            }
        }
    };
}

/// Operations that fetch the value before and change it.
macro_rules! fetches {
    ($name:ident, $value:ty, $($operation:ident)*) => {
        impl $name {
            $(
                #[inline]
                pub fn $operation(&self, value: $value, order: Ordering) -> $value {
                    self.access(|| self.inner.$operation(value, order))
                }
            )*
        }

        impl Default for $name {
            fn default() -> Self {
                Self::new(<$value>::default())
            }
        }
    };
}

macro_rules! plain {
    ($($name:ident $value:ident: $($operation:ident)*;)*) => {
        $(
            #[doc = concat!("As [`std::sync::atomic::", stringify!($name), "`].")]
            pub struct $name {
                order: Order,
                inner: std::sync::atomic::$name,
            }
            common!([] $name, $name, $value);
            fetches!($name, $value, $($operation)*);
        )*
    };
}

macro_rules! integers {
    ($($name:ident $value:ident)*) => {
        plain! {
            $($name $value:
                fetch_add fetch_sub fetch_and fetch_nand fetch_or fetch_xor fetch_max fetch_min;)*
        }
    };
}

integers! {
    AtomicI8 i8 AtomicI16 i16 AtomicI32 i32 AtomicI64 i64 AtomicIsize isize
    AtomicU8 u8 AtomicU16 u16 AtomicU32 u32 AtomicU64 u64 AtomicUsize usize
}

plain! {
    AtomicBool bool: fetch_and fetch_nand fetch_or fetch_xor;
}

impl AtomicBool {
    #[inline]
    pub fn fetch_not(&self, order: Ordering) -> bool {
        self.fetch_xor(true, order)
    }
}

/// As [`std::sync::atomic::AtomicPtr`].
pub struct AtomicPtr<T> {
    order: Order,
    inner: std::sync::atomic::AtomicPtr<T>,
}

common!([T] AtomicPtr, AtomicPtr<T>, *mut T);

impl<T> Default for AtomicPtr<T> {
    fn default() -> Self {
        Self::new(std::ptr::null_mut())
    }
}
