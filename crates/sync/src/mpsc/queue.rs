//! The queue of a channel whose order is recorded: plain data under a mutex, two condition variables.

use crate::{Condvar, Mutex, MutexGuard};
use std::collections::VecDeque;
use std::sync::PoisonError;
use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};
use std::time::Instant;

pub(super) struct Queue<T> {
    state: Mutex<State<T>>,
    /// Something came, or the last sender went.
    arrived: Condvar,
    /// Something was taken, or the receiver went.
    taken: Condvar,
}

struct State<T> {
    /// Values with the number that each got when it came.
    values: VecDeque<(u64, T)>,
    next: u64,
    /// None: without a bound. Zero: a sender waits until its value has been taken.
    bound: Option<usize>,
    senders: usize,
    receiver: bool,
    /// The receiver waits for a value.
    hungry: bool,
}

impl<T> State<T> {
    fn push(&mut self, value: T) -> u64 {
        let number = self.next;
        self.next += 1;
        self.values.push_back((number, value));
        number
    }

    fn has_room(&self) -> bool {
        self.bound
            .is_none_or(|bound| self.values.len() < bound.max(1))
    }
}

impl<T> Queue<T> {
    /// A queue with one sender and a receiver.
    pub(super) fn new(bound: Option<usize>) -> Queue<T> {
        Queue {
            state: Mutex::new(State {
                values: VecDeque::new(),
                next: 0,
                bound,
                senders: 1,
                receiver: true,
                hungry: false,
            }),
            arrived: Condvar::new(),
            taken: Condvar::new(),
        }
    }

    /// Nothing of the program runs under this lock, so poison means nothing.
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(condition: &Condvar, state: MutexGuard<'a, State<T>>) -> MutexGuard<'a, State<T>> {
        condition
            .wait(state)
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn send(&self, value: T) -> Result<(), SendError<T>> {
        let mut state = self.lock();
        while state.receiver && !state.has_room() {
            state = Self::wait(&self.taken, state);
        }
        if !state.receiver {
            return Err(SendError(value));
        }
        let number = state.push(value);
        self.arrived.notify_one();
        if state.bound == Some(0) {
            return self.wait_until_taken(state, number);
        }
        Ok(())
    }

    fn wait_until_taken(
        &self,
        mut state: MutexGuard<'_, State<T>>,
        number: u64,
    ) -> Result<(), SendError<T>> {
        loop {
            let place = state.values.iter().position(|entry| entry.0 == number);
            match place {
                None => return Ok(()),
                Some(place) if !state.receiver => {
                    return match state.values.remove(place) {
                        Some((_, value)) => Err(SendError(value)),
                        None => Ok(()),
                    };
                }
                Some(_) => state = Self::wait(&self.taken, state),
            }
        }
    }

    pub(super) fn try_send(&self, value: T) -> Result<(), TrySendError<T>> {
        let mut state = self.lock();
        if !state.receiver {
            return Err(TrySendError::Disconnected(value));
        }
        let meets = state.bound != Some(0) || (state.hungry && state.values.is_empty());
        if !meets || !state.has_room() {
            return Err(TrySendError::Full(value));
        }
        state.push(value);
        self.arrived.notify_one();
        Ok(())
    }

    pub(super) fn try_recv(&self) -> Result<T, TryRecvError> {
        let mut state = self.lock();
        match state.values.pop_front() {
            Some((_, value)) => {
                self.taken.notify_all();
                Ok(value)
            }
            None if state.senders == 0 => Err(TryRecvError::Disconnected),
            None => Err(TryRecvError::Empty),
        }
    }

    pub(super) fn recv(&self) -> Result<T, RecvError> {
        let mut state = self.lock();
        loop {
            if let Some((_, value)) = state.values.pop_front() {
                state.hungry = false;
                self.taken.notify_all();
                return Ok(value);
            }
            if state.senders == 0 {
                return Err(RecvError);
            }
            state.hungry = true;
            state = Self::wait(&self.arrived, state);
        }
    }

    pub(super) fn recv_until(&self, deadline: Instant) -> Result<T, RecvTimeoutError> {
        let mut state = self.lock();
        loop {
            if let Some((_, value)) = state.values.pop_front() {
                state.hungry = false;
                self.taken.notify_all();
                return Ok(value);
            }
            if state.senders == 0 {
                return Err(RecvTimeoutError::Disconnected);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                state.hungry = false;
                return Err(RecvTimeoutError::Timeout);
            }
            state.hungry = true;
            let waited = self.arrived.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    pub(super) fn add_sender(&self) {
        self.lock().senders += 1;
    }

    pub(super) fn remove_sender(&self) {
        let mut state = self.lock();
        state.senders -= 1;
        if state.senders == 0 {
            self.arrived.notify_one();
        }
    }

    pub(super) fn remove_receiver(&self) {
        let mut state = self.lock();
        state.receiver = false;
        self.taken.notify_all();
        if state.bound != Some(0) {
            // Dropped when the lock is free again: their drop may use the channel.
            let left = std::mem::take(&mut state.values);
            drop(state);
            drop(left);
        }
    }
}
