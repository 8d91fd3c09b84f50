//! Locks, channels and atomics with the interface of `std::sync`, for programs that want Wayfarer to
//! record their threads while they run in parallel.
//!
//! ```
//! use wayfarer_sync::{Arc, Mutex};
//!
//! let total = Arc::new(Mutex::new(0));
//! let threads: Vec<_> = (0..4)
//!     .map(|_| {
//!         let total = Arc::clone(&total);
//!         std::thread::spawn(move || *total.lock().unwrap() += 1)
//!     })
//!     .collect();
//! threads.into_iter().for_each(|thread| thread.join().unwrap());
//! assert_eq!(*total.lock().unwrap(), 4);
//! ```
//!
//! The locks of std are futexes that cannot be seen from outside, so `wayfarer record --threads auto` runs
//! the threads of a Rust program one at a time. A program that uses this crate instead carries a note
//! in its ELF file, and is recorded in parallel. Outside of a recording or replay every operation is
//! std's own with one load in front.
//!
//! What stays invisible, and so must not decide anything between threads of a parallel recording:
//! `std::sync`, `std::thread::park`, and the lock inside `std::io::stdout`. Print from one thread, or
//! under a lock of this crate. The last owner of an `Arc` frees its memory, and which one that is cannot be seen:
//! let a thread own it last that joins the others.
//!
//! In a session one thread of this crate's own comes and goes before `main`; it is thread 2 of the process.

pub mod atomic;
mod barrier;
mod condvar;
pub mod mpsc;
mod mutex;
mod note;
mod once;
mod once_lock;
mod order;
#[cfg(feature = "lock_api")]
pub mod raw;
mod rwlock;
mod session;
mod start;

pub use barrier::{Barrier, BarrierWaitResult};
pub use condvar::{Condvar, WaitTimeoutResult};
pub use mutex::{Mutex, MutexGuard};
pub use once::{Once, OnceState};
pub use once_lock::OnceLock;
pub use rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use std::sync::{Arc, LockResult, PoisonError, TryLockError, TryLockResult, Weak};
