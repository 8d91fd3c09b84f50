//! What we know of the processes: their threads, their memory, their modules, their names.

mod key;
mod memory;
mod modules;
mod names;
mod process;
mod space;

pub(crate) use key::{ProcessKey, ThreadKey};
pub(crate) use memory::ProcessMemory;
pub(crate) use modules::ModuleLibrary;
pub(crate) use names::{called, free_name};
pub(crate) use process::{Process, Thread};
pub(crate) use space::{MappedModule, Space};
