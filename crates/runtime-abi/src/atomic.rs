//! The atomics of the shared pages and of the runtime: core's.
//!
//! With the feature `model` they are those of `wayfarer-interleave`, of the same form, which show each access to whoever
//! goes through the interleavings of a protocol. Nothing that ships has that feature.

#[cfg(not(feature = "model"))]
pub use core::{
    hint::spin_loop,
    sync::atomic::{
        AtomicBool, AtomicPtr, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering,
        compiler_fence, fence,
    },
};
#[cfg(feature = "model")]
pub use wayfarer_interleave::atomic::{
    AtomicBool, AtomicPtr, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering,
    compiler_fence, fence, spin_loop,
};

/// How often something is tried before it is waited for in another way. In a model once tells as much as often.
pub const fn tries(usual: u32) -> u32 {
    if cfg!(feature = "model") { 1 } else { usual }
}
