//! `Once`: the thread that runs the closure notes itself as the first access, before the closure; all
//! others note themselves when it has been run. So a replay lets the same thread run it.

use crate::order::{Kind, Order};
use crate::session;
use std::fmt;

/// As [`std::sync::OnceState`].
pub type OnceState = std::sync::OnceState;

/// As [`std::sync::Once`].
pub struct Once {
    order: Order,
    inner: std::sync::Once,
}

impl Once {
    pub const fn new() -> Once {
        Once {
            order: Order::new(),
            inner: std::sync::Once::new(),
        }
    }

    #[inline]
    pub fn call_once<F: FnOnce()>(&self, run: F) {
        if session::is_absent() {
            self.inner.call_once(run);
        } else {
            first_of(&self.order, |noted| {
                self.inner.call_once(|| {
                    noted.here();
                    run();
                });
            });
        }
    }

    pub fn call_once_force<F: FnOnce(&OnceState)>(&self, run: F) {
        if session::is_absent() {
            self.inner.call_once_force(run);
        } else {
            first_of(&self.order, |noted| {
                self.inner.call_once_force(|state| {
                    noted.here();
                    run(state);
                });
            });
        }
    }

    #[inline]
    pub fn is_completed(&self) -> bool {
        if session::is_absent() {
            return self.inner.is_completed();
        }
        let attempt = || self.inner.is_completed().then_some(());
        self.order
            .attempt(Kind::ONCE, attempt, || self.inner.wait())
            .is_some()
    }

    pub fn wait(&self) {
        if session::is_absent() {
            self.inner.wait();
        } else {
            self.order.around(Kind::ONCE, || self.inner.wait());
        }
    }
}

impl Default for Once {
    fn default() -> Self {
        Once::new()
    }
}

impl fmt::Debug for Once {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Once").finish_non_exhaustive()
    }
}

/// Where an access of [`first_of`] is noted.
pub(crate) struct Noted<'a> {
    order: &'a Order,
    replay: bool,
    done: bool,
}

impl Noted<'_> {
    /// The access happens here.
    pub(crate) fn here(&mut self) {
        if !self.replay {
            self.order.before(Kind::ONCE);
        }
        self.order.after(Kind::ONCE);
        self.done = true;
    }
}

/// Runs an operation that lets the first of many threads do something, and tells `Noted::here` when this
/// thread is the one.
pub(crate) fn first_of<R>(order: &Order, operation: impl FnOnce(&mut Noted<'_>) -> R) -> R {
    let replay = session::is_replay();
    if replay {
        order.before(Kind::ONCE);
    }
    let mut noted = Noted {
        order,
        replay,
        done: false,
    };
    let result = operation(&mut noted);
    if !noted.done {
        noted.here();
    }
    result
}
