//! One queue for everything that arrives from outside: the agent's events, an interrupt, the loss of the agent.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use wayfarer_backend as backend;

/// Something that arrived.
#[derive(Debug)]
pub(crate) enum News {
    Event(Box<backend::Event>),
    /// Somebody wants the running command to end.
    Interrupt,
    /// The connection ended.
    Lost(String),
}

type Waker = Box<dyn Fn() + Send + Sync>;

/// Where news are put, from any thread.
#[derive(Clone)]
pub(crate) struct Mailbox {
    sender: Sender<News>,
    waker: Arc<Mutex<Option<Waker>>>,
}

impl Mailbox {
    /// A mailbox and the end it is emptied from.
    pub fn new() -> (Mailbox, Receiver<News>) {
        let (sender, receiver) = channel();
        (
            Mailbox {
                sender,
                waker: Arc::default(),
            },
            receiver,
        )
    }

    /// Puts news in and wakes who sleeps. False: nobody will ever read them.
    pub fn put(&self, news: News) -> bool {
        let delivered = self.sender.send(news).is_ok();
        if let Ok(waker) = self.waker.lock()
            && let Some(wake) = waker.as_ref()
        {
            wake();
        }
        delivered
    }

    /// Who is woken.
    pub fn set_waker(&self, waker: Waker) {
        if let Ok(mut place) = self.waker.lock() {
            *place = Some(waker);
        }
    }
}

/// Asks a blocking call to end. Can be cloned and used from any thread.
#[derive(Clone)]
pub struct Interrupter {
    mailbox: Mailbox,
}

impl Interrupter {
    pub(crate) fn new(mailbox: Mailbox) -> Interrupter {
        Interrupter { mailbox }
    }

    /// Halts what the running command runs. Without one it does nothing.
    pub fn halt(&self) {
        self.mailbox.put(News::Interrupt);
    }
}
