//! Views as text, in gdb's form wherever gdb has one. Nothing here asks the debugger anything.

pub mod breakpoints;
pub mod code;
pub mod event;
pub mod frame;
pub mod processes;
pub mod stop;
pub mod symbols;
pub mod table;
pub mod tree;

pub use frame::{frame_line, source_line, stack};
pub use stop::{StopStyle, stop};

/// An address as gdb writes it in columns: all sixteen digits.
pub fn wide(address: u64) -> String {
    format!("0x{address:016x}")
}

/// A symbol in angle brackets, a space before it; nothing when there is none.
pub fn bracketed(symbol: Option<&str>) -> String {
    match symbol {
        None => String::new(),
        Some(symbol) if symbol.starts_with('<') => format!(" {symbol}"),
        Some(symbol) => format!(" <{symbol}>"),
    }
}

/// `1 time`, `2 times`.
pub fn times(count: u64) -> String {
    if count == 1 {
        "1 time".to_owned()
    } else {
        format!("{count} times")
    }
}
