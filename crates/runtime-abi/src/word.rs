//! Words that the threads of a process share.
//!
//! Each read and each write is whole, and on this processor no dearer than a plain one. Nothing more is promised: what
//! makes several of them belong together is the turn of serial mode, the order of the process's calls in parallel mode,
//! or that there is one thread only.

use core::sync::atomic::{
    AtomicBool, AtomicI64, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering,
};

/// A value that is read and written as one.
pub trait Whole: Copy {
    type Atomic;
    fn load(atomic: &Self::Atomic) -> Self;
    fn store(atomic: &Self::Atomic, value: Self);
}

/// A word of memory that several threads read and write; all zero at first.
#[repr(transparent)]
pub struct Word<T: Whole>(T::Atomic);

impl Word<u64> {
    pub const fn new(value: u64) -> Self {
        Self(AtomicU64::new(value))
    }
}

impl<T: Whole> Word<T> {
    #[inline(always)]
    pub fn get(&self) -> T {
        T::load(&self.0)
    }

    #[inline(always)]
    pub fn set(&self, value: T) {
        T::store(&self.0, value);
    }
}

macro_rules! whole {
    ($($value:ty: $atomic:ty),*) => {$(
        impl Whole for $value {
            type Atomic = $atomic;

            #[inline(always)]
            fn load(atomic: &$atomic) -> $value {
                atomic.load(Ordering::Relaxed)
            }

            #[inline(always)]
            fn store(atomic: &$atomic, value: $value) {
                atomic.store(value, Ordering::Relaxed);
            }
        }
    )*};
}

whole!(bool: AtomicBool, u8: AtomicU8, u32: AtomicU32, u64: AtomicU64, usize: AtomicUsize, i64: AtomicI64);

impl<T> Whole for *mut T {
    type Atomic = AtomicPtr<T>;

    #[inline(always)]
    fn load(atomic: &AtomicPtr<T>) -> *mut T {
        atomic.load(Ordering::Relaxed)
    }

    #[inline(always)]
    fn store(atomic: &AtomicPtr<T>, value: *mut T) {
        atomic.store(value, Ordering::Relaxed);
    }
}

impl<T> Whole for *const T {
    type Atomic = AtomicPtr<T>;

    #[inline(always)]
    fn load(atomic: &AtomicPtr<T>) -> *const T {
        atomic.load(Ordering::Relaxed)
    }

    #[inline(always)]
    fn store(atomic: &AtomicPtr<T>, value: *const T) {
        atomic.store(value.cast_mut(), Ordering::Relaxed);
    }
}
