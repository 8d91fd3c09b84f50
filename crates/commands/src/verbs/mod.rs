//! The verbs, one file per verb or family; each file gives its rows of the table as `COMMANDS`.

pub mod barrier;
pub mod breaking;
pub mod breakpoint_upkeep;
pub mod call;
pub mod catching;
pub mod define;
pub mod disassemble;
pub mod display;
pub mod dprintf;
pub mod examine;
pub mod focus;
pub mod frames;
pub mod help;
pub mod info;
pub mod info_symbols;
pub mod list;
pub mod print;
pub mod processes;
pub mod settings;
pub mod shell;
pub mod signals;
pub mod starting;
pub mod stepping;
pub mod threads;
pub mod types;
pub mod watching;
