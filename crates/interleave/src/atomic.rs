//! Core's atomics, each access of which is a step of the exploration that the calling thread is in.

use crate::machine::{self, Acting};
use crate::word::Word;
use core::sync::atomic;
pub use core::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicU8, AtomicUsize, Ordering, compiler_fence,
};

/// A step that may have to be made without a machine.
fn step<R>(
    name: &'static str,
    word: Word,
    value: u64,
    act: impl FnOnce(&mut Acting<'_>) -> R,
) -> Option<R> {
    let (machine, me) = machine::current()?;
    Some(machine.step(me, (name, word.address(), value), act))
}

/// As core's.
pub fn fence(order: Ordering) {
    match machine::current() {
        Some((machine, me)) if order == Ordering::SeqCst => {
            machine.step(me, ("fence", 0, 0), |acting| acting.flush());
        }
        _ => atomic::fence(order),
    }
}

/// As core's: others go on until they have written something.
pub fn spin_loop() {
    match machine::current() {
        Some((machine, me)) => machine.look_again(me),
        None => core::hint::spin_loop(),
    }
}

macro_rules! atomic {
    ($name:ident, $core:ident, $value:ident, $word:ident) => {
        /// As core's, and of the same form.
        #[repr(transparent)]
        #[derive(Debug, Default)]
        pub struct $name(atomic::$core);

        impl $name {
            pub const fn new(value: $value) -> Self {
                Self(atomic::$core::new(value))
            }

            pub const fn as_ptr(&self) -> *mut $value {
                self.0.as_ptr()
            }

            pub fn get_mut(&mut self) -> &mut $value {
                self.0.get_mut()
            }

            pub fn into_inner(self) -> $value {
                self.0.into_inner()
            }

            fn word(&self) -> Word {
                Word::$word(&raw const self.0)
            }

            pub fn load(&self, order: Ordering) -> $value {
                let word = self.word();
                step("loads", word, 0, |acting| acting.load(word) as $value)
                    .unwrap_or_else(|| self.0.load(order))
            }

            pub fn store(&self, value: $value, order: Ordering) {
                let (word, wide) = (self.word(), u64::from(value));
                let made = step("stores", word, wide, |acting| match order {
                    Ordering::SeqCst => {
                        acting.exchange(word, |_| Some(wide));
                    }
                    _ => acting.store(word, wide),
                });
                if made.is_none() {
                    self.0.store(value, order);
                }
            }

            /// Any operation that reads and writes at once.
            fn update(
                &self,
                name: &'static str,
                with: impl Fn($value) -> Option<$value>,
                orders: (Ordering, Ordering),
            ) -> Result<$value, $value> {
                let word = self.word();
                let made = step(name, word, 0, |acting| {
                    let mut wrote = false;
                    let found = acting.exchange(word, |found| {
                        let value = with(found as $value).map(u64::from);
                        wrote = value.is_some();
                        value
                    }) as $value;
                    if wrote { Ok(found) } else { Err(found) }
                });
                made.unwrap_or_else(|| self.0.fetch_update(orders.0, orders.1, with))
            }

            fn replaced(
                &self,
                name: &'static str,
                with: impl Fn($value) -> $value,
                order: Ordering,
            ) -> $value {
                let orders = (order, Ordering::Relaxed);
                match self.update(name, |found| Some(with(found)), orders) {
                    Ok(found) | Err(found) => found,
                }
            }

            pub fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                let with = |found| (found == current).then_some(new);
                self.update("compares and exchanges", with, (success, failure))
            }

            pub fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.compare_exchange(current, new, success, failure)
            }

            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                self.replaced("swaps", |_| value, order)
            }

            pub fn fetch_add(&self, value: $value, order: Ordering) -> $value {
                self.replaced("adds", |found| found.wrapping_add(value), order)
            }

            pub fn fetch_sub(&self, value: $value, order: Ordering) -> $value {
                self.replaced("subtracts", |found| found.wrapping_sub(value), order)
            }

            pub fn fetch_or(&self, value: $value, order: Ordering) -> $value {
                self.replaced("sets bits", |found| found | value, order)
            }

            pub fn fetch_and(&self, value: $value, order: Ordering) -> $value {
                self.replaced("clears bits", |found| found & value, order)
            }

            pub fn fetch_max(&self, value: $value, order: Ordering) -> $value {
                self.replaced("raises", |found| found.max(value), order)
            }
        }
    };
}

atomic!(AtomicU16, AtomicU16, u16, Short);
atomic!(AtomicU32, AtomicU32, u32, Int);
atomic!(AtomicU64, AtomicU64, u64, Long);
