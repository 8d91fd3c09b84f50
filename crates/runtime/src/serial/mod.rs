//! Serial mode: one thread of a domain runs at a time.
//!
//! [`token`] has the turns, [`crossings`] the places between two events at which a turn can end.
//! [`watch`] looks at a thread that keeps its turn, [`spinning`] and [`expected`] know a loop in
//! which a thread waits, [`vain`] a thread that is woken for nothing, and [`force`] stops a thread
//! in the middle of its code.

pub mod crossings;
pub mod force;
pub mod token;
pub mod watch;
