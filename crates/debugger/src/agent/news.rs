//! One queue for everything that arrives from outside: what back ends tell, their loss, an interrupt.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use wayfarer_backend::{self as backend, AgentId, Listener};

/// Something that arrived.
#[derive(Debug)]
pub(crate) enum News {
    Event(AgentId, Box<backend::Event>),
    /// Somebody wants the running command to end.
    Interrupt,
    /// A back end has gone.
    Lost(AgentId, String),
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

    /// Puts in what a back end tells, with whose it is.
    pub fn listener(&self, agent: AgentId) -> Arc<dyn Listener> {
        let mailbox = self.clone();
        Arc::new(Ear { agent, mailbox })
    }

    /// Who is woken.
    pub fn set_waker(&self, waker: Waker) {
        if let Ok(mut place) = self.waker.lock() {
            *place = Some(waker);
        }
    }
}

/// Hears one back end.
struct Ear {
    agent: AgentId,
    mailbox: Mailbox,
}

impl Listener for Ear {
    fn happened(&self, event: backend::Event) -> bool {
        self.mailbox.put(News::Event(self.agent, Box::new(event)))
    }

    fn lost(&self, why: &str) {
        self.mailbox.put(News::Lost(self.agent, why.to_owned()));
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
