//! The way to the agent: starting it, speaking to it, hearing from it.

mod grpc;
mod link;
mod news;
mod registers;
mod spawn;

pub use news::Interrupter;
pub(crate) use news::{Mailbox, News};
pub(crate) use registers::{from_backend, to_backend};
pub(crate) use spawn::{AgentProcess, connect};
