//! `Barrier`: built, as std's is, from a mutex and a condition variable.

use crate::{Condvar, Mutex};
use std::fmt;
use std::sync::PoisonError;

/// As [`std::sync::Barrier`].
pub struct Barrier {
    state: Mutex<State>,
    complete: Condvar,
    threads: usize,
}

struct State {
    waiting: usize,
    generation: usize,
}

/// As [`std::sync::BarrierWaitResult`].
pub struct BarrierWaitResult(bool);

impl BarrierWaitResult {
    /// Whether this thread was the last to come.
    pub fn is_leader(&self) -> bool {
        self.0
    }
}

impl Barrier {
    pub const fn new(threads: usize) -> Barrier {
        Barrier {
            state: Mutex::new(State {
                waiting: 0,
                generation: 0,
            }),
            complete: Condvar::new(),
            threads,
        }
    }

    pub fn wait(&self) -> BarrierWaitResult {
        // Nothing in here panics, so there is no poison.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let generation = state.generation;
        state.waiting += 1;
        if state.waiting >= self.threads {
            state.waiting = 0;
            state.generation = state.generation.wrapping_add(1);
            self.complete.notify_all();
            return BarrierWaitResult(true);
        }
        while state.generation == generation {
            state = self
                .complete
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        BarrierWaitResult(false)
    }
}

impl fmt::Debug for Barrier {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Barrier").finish_non_exhaustive()
    }
}

impl fmt::Debug for BarrierWaitResult {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("BarrierWaitResult")
            .field("is_leader", &self.is_leader())
            .finish()
    }
}
