//! Serial mode: one thread of a domain runs at a time.
//!
//! [`token`] has the turns while they are recorded, [`turns`] those of a replay, [`crossings`] the
//! places between two events at which a turn can end. [`watch`] looks at a thread that keeps its
//! turn, and [`timers`] raise the signal that stops a thread in the middle of its code. [`ahead`]
//! looks in a replay for what the log has right after an event.

pub mod ahead;
pub mod crossings;
pub mod ends;
pub mod timers;
pub mod token;
pub mod turns;
pub mod watch;
