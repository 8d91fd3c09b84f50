//! `Condvar`: waits are real while recording; a replay takes the mutex in the recorded order instead.

use crate::mutex::MutexGuard;
use crate::order::Kind;
use crate::session;
use std::sync::{LockResult, PoisonError};
use std::time::{Duration, Instant};

/// As [`std::sync::Condvar`].
#[derive(Debug, Default)]
pub struct Condvar {
    inner: std::sync::Condvar,
}

/// As [`std::sync::WaitTimeoutResult`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// Whether the wait ended because its time was over.
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

impl Condvar {
    pub const fn new() -> Condvar {
        Condvar {
            inner: std::sync::Condvar::new(),
        }
    }

    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        if session::is_absent() {
            let MutexGuard { order, lock, inner } = guard;
            let wrap = |inner| MutexGuard { order, lock, inner };
            return rewrap(self.inner.wait(inner), wrap);
        }
        if session::is_replay() {
            return take_again(guard);
        }
        let MutexGuard { order, lock, inner } = guard;
        let result = self.inner.wait(inner);
        order.note(Kind::MUTEX);
        rewrap(result, |inner| MutexGuard { order, lock, inner })
    }

    pub fn wait_while<'a, T, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: F,
    ) -> LockResult<MutexGuard<'a, T>>
    where
        F: FnMut(&mut T) -> bool,
    {
        while condition(&mut guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        limit: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        if !session::is_absent() && session::is_replay() {
            let MutexGuard { order, lock, inner } = guard;
            drop(inner);
            // The one look at the clock that std makes when it has let the mutex go.
            let _ = Instant::now();
            let outcome = WaitTimeoutResult(session::foretell() == Some(session::TIMED_OUT));
            let result = order.around(Kind::MUTEX, || lock.lock());
            return rewrap(result, |inner| (MutexGuard { order, lock, inner }, outcome));
        }
        let MutexGuard { order, lock, inner } = guard;
        let result = self.inner.wait_timeout(inner, limit);
        let timed_out = match &result {
            Ok((_, outcome)) => outcome.timed_out(),
            Err(poison) => poison.get_ref().1.timed_out(),
        };
        if !session::is_absent() {
            session::report(if timed_out {
                session::TIMED_OUT
            } else {
                session::SUCCESS
            });
            order.note(Kind::MUTEX);
        }
        rewrap(result, |(inner, _)| {
            let guard = MutexGuard { order, lock, inner };
            (guard, WaitTimeoutResult(timed_out))
        })
    }

    pub fn wait_timeout_while<'a, T, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        limit: Duration,
        mut condition: F,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)>
    where
        F: FnMut(&mut T) -> bool,
    {
        let began = Instant::now();
        loop {
            if !condition(&mut guard) {
                return Ok((guard, WaitTimeoutResult(false)));
            }
            let Some(left) = limit.checked_sub(began.elapsed()) else {
                return Ok((guard, WaitTimeoutResult(true)));
            };
            guard = self.wait_timeout(guard, left)?.0;
        }
    }

    pub fn notify_one(&self) {
        self.inner.notify_one();
    }

    pub fn notify_all(&self) {
        self.inner.notify_all();
    }
}

/// Gives the mutex up and takes it again when it is this thread's turn.
fn take_again<T>(guard: MutexGuard<'_, T>) -> LockResult<MutexGuard<'_, T>> {
    let MutexGuard { order, lock, inner } = guard;
    drop(inner);
    let result = order.around(Kind::MUTEX, || lock.lock());
    rewrap(result, |inner| MutexGuard { order, lock, inner })
}

/// Changes what a lock gave, poisoned or not.
fn rewrap<A, B>(result: LockResult<A>, change: impl FnOnce(A) -> B) -> LockResult<B> {
    match result {
        Ok(value) => Ok(change(value)),
        Err(poison) => Err(PoisonError::new(change(poison.into_inner()))),
    }
}
