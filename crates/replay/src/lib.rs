//! The decisions of a replay, without any process, file or clock: the host observes and obeys.
//!
//! - [`plan`]: from a trace, what a replay has to start and to expect;
//! - [`runs`]: how long each run of a sync object was, and logs that tell it;
//! - [`search`]: which delays to try next on the way to an exact replay;
//! - [`monitor`]: while it runs: what to do, and whether it is over;
//! - [`standstill`]: nothing moves any more; is that the end, a gap to step over, or a divergence?
//! - [`outcome`]: does the end of the replay agree with the recorded one?
//! - [`divergence`]: explains what differed, where, and why that may be.
#![forbid(unsafe_code)]

mod causes;
pub mod divergence;
pub mod events;
pub mod late;
pub mod monitor;
pub mod observed;
pub mod outcome;
pub mod plan;
mod races;
pub mod runs;
pub mod search;
pub mod standstill;
pub mod start;
pub mod sync_words;
pub mod words;

pub use divergence::{Difference, Explanation, explain};
pub use monitor::Monitor;
pub use observed::{Met, Observation, ProcessState, ThreadState, Wait};
pub use outcome::compare;
pub use plan::{Plan, PlanError};
pub use races::Raced;
pub use runs::RunLengths;
pub use search::{Attempt, Search};
pub use standstill::{Verdict, judge};
pub use start::{Module, Start};
