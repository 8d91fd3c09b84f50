//! What the debugger makes of stops, on a back end without processes: the test says what happens,
//! in which order.
//!
//! Nothing runs and nothing is waited for, so that what a kernel does once in a thousand times
//! happens each time.

mod agents;
mod barriers;
mod bench;
mod breakpoints;
mod front_ends;
mod halting;
mod lines;
mod lives;
mod stops;
