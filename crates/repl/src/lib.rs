//! The prompt: line editing, history, completion.
//!
//! A [`Conversation`] shares one interpreter between three threads: the one that reads lines and runs them, one
//! that turns Ctrl-C into a halt, and one that handles what happens while no line is typed. The first holds the interpreter
//! only while a command runs, so that a stop in the background is shown at once, above the line being typed.
#![forbid(unsafe_code)]

mod conversation;
mod editor;
mod history;
mod plain;

pub use conversation::Conversation;
