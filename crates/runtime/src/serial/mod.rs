//! Serial mode: one thread of a domain runs at a time.

pub mod crossings;
pub mod expected;
pub mod force;
pub mod spinning;
pub mod token;
pub mod vain;
pub mod watch;
