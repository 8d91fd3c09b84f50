//! The receiving end of a channel, and its iterators.

use super::queue::Queue;
use super::shared::Shared;
use std::fmt;
use std::sync::mpsc::{RecvError, RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};

/// As [`std::sync::mpsc::Receiver`].
pub struct Receiver<T>(Receiving<T>);

enum Receiving<T> {
    Std(std::sync::mpsc::Receiver<T>),
    Ordered(Shared<Queue<T>>),
}

impl<T> Receiver<T> {
    pub(super) fn std(receiver: std::sync::mpsc::Receiver<T>) -> Receiver<T> {
        Receiver(Receiving::Std(receiver))
    }

    pub(super) fn ordered(queue: Shared<Queue<T>>) -> Receiver<T> {
        Receiver(Receiving::Ordered(queue))
    }

    pub fn recv(&self) -> Result<T, RecvError> {
        match &self.0 {
            Receiving::Std(receiver) => receiver.recv(),
            Receiving::Ordered(queue) => queue.recv(),
        }
    }

    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        match &self.0 {
            Receiving::Std(receiver) => receiver.try_recv(),
            Receiving::Ordered(queue) => queue.try_recv(),
        }
    }

    pub fn recv_timeout(&self, limit: Duration) -> Result<T, RecvTimeoutError> {
        match &self.0 {
            Receiving::Std(receiver) => receiver.recv_timeout(limit),
            Receiving::Ordered(queue) => match Instant::now().checked_add(limit) {
                Some(deadline) => queue.recv_until(deadline),
                None => queue.recv().map_err(RecvTimeoutError::from),
            },
        }
    }

    pub fn iter(&self) -> Iter<'_, T> {
        Iter(self)
    }

    pub fn try_iter(&self) -> TryIter<'_, T> {
        TryIter(self)
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        if let Receiving::Ordered(queue) = &self.0 {
            queue.remove_receiver();
        }
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Receiver").finish_non_exhaustive()
    }
}

/// Values until the last sender has gone.
#[derive(Debug)]
pub struct Iter<'a, T>(&'a Receiver<T>);

impl<T> Iterator for Iter<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.recv().ok()
    }
}

/// Values that are there already.
#[derive(Debug)]
pub struct TryIter<'a, T>(&'a Receiver<T>);

impl<T> Iterator for TryIter<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.try_recv().ok()
    }
}

/// As [`Iter`], with the receiver.
#[derive(Debug)]
pub struct IntoIter<T>(Receiver<T>);

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.recv().ok()
    }
}

impl<T> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> IntoIter<T> {
        IntoIter(self)
    }
}

impl<'a, T> IntoIterator for &'a Receiver<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}
