//! Signals: queued when they arrive, delivered at event boundaries, replayed at the same places.
//!
//! The kernel never calls a handler of the program for an asynchronous signal. It calls ours, which
//! puts the signal into the thread's queue and makes a waiting call return. The dispatcher then
//! runs the program's handler before or after an event, and the log says where. Reads of clocks
//! count as events here, so that a loop that polls the time gets its signals at once. A thread
//! without events gets them by force after 10 ms of processor time, and a note says so. Faults
//! (SIGSEGV and its like) are deterministic and go straight to the program's handler, in both
//! modes.
//!
//! [`arrivals`] has our handler and [`queue`] what it takes in, [`delivery`] runs the program's handlers in
//! both modes, and [`actions`] are what the program set. [`force`] is for threads that make no events.

pub mod actions;
pub mod arrivals;
pub mod blocked;
pub mod context;
pub mod delivery;
pub mod faults;
pub mod force;
pub mod handler_call;
pub mod queue;
