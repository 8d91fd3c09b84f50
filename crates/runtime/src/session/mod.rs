//! What goes through the session file: waiting on its words, and telling the host.

pub mod clocks;
pub mod diverge;
pub mod futex;
