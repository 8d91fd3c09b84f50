//! Channels: std's own outside of a session; inside of one a queue under this crate's locks, because
//! std's are invisible.

mod queue;
mod receiver;
mod shared;

use crate::session;
use queue::Queue;
pub use receiver::{IntoIter, Iter, Receiver, TryIter};
use shared::Shared;
use std::fmt;
pub use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};

/// As [`std::sync::mpsc::Sender`].
pub struct Sender<T>(Sending<T>);

enum Sending<T> {
    Std(std::sync::mpsc::Sender<T>),
    Ordered(Shared<Queue<T>>),
}

/// As [`std::sync::mpsc::SyncSender`].
pub struct SyncSender<T>(SyncSending<T>);

enum SyncSending<T> {
    Std(std::sync::mpsc::SyncSender<T>),
    Ordered(Shared<Queue<T>>),
}

/// As [`std::sync::mpsc::channel`].
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    if session::is_present() {
        let queue = Shared::new(Queue::new(None));
        (
            Sender(Sending::Ordered(queue.clone())),
            Receiver::ordered(queue),
        )
    } else {
        let (sender, receiver) = std::sync::mpsc::channel();
        (Sender(Sending::Std(sender)), Receiver::std(receiver))
    }
}

/// As [`std::sync::mpsc::sync_channel`].
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    if session::is_present() {
        let queue = Shared::new(Queue::new(Some(bound)));
        (
            SyncSender(SyncSending::Ordered(queue.clone())),
            Receiver::ordered(queue),
        )
    } else {
        let (sender, receiver) = std::sync::mpsc::sync_channel(bound);
        (
            SyncSender(SyncSending::Std(sender)),
            Receiver::std(receiver),
        )
    }
}

impl<T> Sender<T> {
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        match &self.0 {
            Sending::Std(sender) => sender.send(value),
            Sending::Ordered(queue) => queue.send(value),
        }
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        Sender(match &self.0 {
            Sending::Std(sender) => Sending::Std(sender.clone()),
            Sending::Ordered(queue) => {
                queue.add_sender();
                Sending::Ordered(queue.clone())
            }
        })
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        if let Sending::Ordered(queue) = &self.0 {
            queue.remove_sender();
        }
    }
}

impl<T> SyncSender<T> {
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        match &self.0 {
            SyncSending::Std(sender) => sender.send(value),
            SyncSending::Ordered(queue) => queue.send(value),
        }
    }

    pub fn try_send(&self, value: T) -> Result<(), TrySendError<T>> {
        match &self.0 {
            SyncSending::Std(sender) => sender.try_send(value),
            SyncSending::Ordered(queue) => queue.try_send(value),
        }
    }
}

impl<T> Clone for SyncSender<T> {
    fn clone(&self) -> Self {
        SyncSender(match &self.0 {
            SyncSending::Std(sender) => SyncSending::Std(sender.clone()),
            SyncSending::Ordered(queue) => {
                queue.add_sender();
                SyncSending::Ordered(queue.clone())
            }
        })
    }
}

impl<T> Drop for SyncSender<T> {
    fn drop(&mut self) {
        if let SyncSending::Ordered(queue) = &self.0 {
            queue.remove_sender();
        }
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Sender").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for SyncSender<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SyncSender").finish_non_exhaustive()
    }
}
