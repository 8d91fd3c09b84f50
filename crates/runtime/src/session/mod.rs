//! What goes through the session file: waiting on its words, turns and the rule of a solid replay, and telling the host.

pub mod clocks;
pub mod diverge;
pub mod domain;
pub mod futex;
pub mod held;
pub mod solid;
pub mod wait;
