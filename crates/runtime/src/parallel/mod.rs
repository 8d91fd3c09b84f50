//! Parallel mode: threads run at once, and only the order of their accesses to shared objects is
//! kept.
//!
//! [`order`] keeps it while recording, [`runs`] follow it in a replay, and [`settle`] finds the
//! places of handlers between. [`guarded`] is a state with a lock of ours, [`library`] the one of
//! libc, [`events`] the system calls of the process.
//!
//! All system calls of the process count as accesses of one object of their own, so that what
//! threads tell each other through the kernel keeps its order too. A call that may wait, during
//! which others go on, counts twice: when it begins, for those that see what it does, and when it
//! is over, after those that it waited for. Otherwise a send whose answer another thread has before
//! the sender is back would be noted after that answer. A send is noted before its receipt. Futex
//! calls and `sched_yield` are made for real in both runs and leave no record: how often a thread
//! looks is a matter of time.

pub mod bias;
pub mod events;
pub mod guarded;
pub mod handover;
pub mod insides;
pub mod library;
pub mod nap;
pub mod order;
pub mod outcome;
pub mod robust;
pub mod runs;
pub mod settle;
pub mod table;
pub mod waits;
