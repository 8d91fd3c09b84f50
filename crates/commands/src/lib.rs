//! The verbs of the prompt: one file each, with its help; front ends only show what they return.
//!
//! One [table](table::commands) of rows gives lookup by prefix, help, completion and docs/commands.md. An
//! [`Interpreter`] runs lines: it finds the row, calls its function, shows the [`Answer`] as text or JSON, then runs
//! the displays and `commands` that stops ask for.
#![forbid(unsafe_code)]

mod answer;
mod command;
mod complete;
mod interpreter;
mod lines;
mod lookup;
mod output;
mod reference;
mod selection;
mod settings;
pub mod table;
pub mod text;
mod verbs;
mod words;

pub use answer::{Answer, CommandError};
pub use command::{Call, Chapter, Command, Completes, Repeats, Spread};
pub use complete::{Completion, complete};
pub use interpreter::{Flow, Interpreter, find_command};
pub use lines::{Lines, ListedLines, NoLines};
pub use output::{Kept, Output, Screen, Standard};
pub use reference::reference;
pub use selection::Selection;
pub use verbs::starting::{attach_all, pids_named};
