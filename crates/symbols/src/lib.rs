//! ELF and DWARF: functions, lines, types, variables, locations, unwinding; knows no process.
//!
//! A [`Module`] is one ELF file with its separate, supplementary and split debug files. It is
//! loaded once, shared by all processes that map it, and reads only what is asked for. All of its
//! answers are in link-time addresses ([`ModuleAddress`]); the caller, which knows where the module is mapped, adds the bias.
//!
//! Nothing here trusts the files: a damaged or hostile one gives an error, never a panic.

#![deny(unsafe_code)]

pub mod address;
mod aggregate;
mod array;
mod breakpoint;
pub mod demangle;
pub mod die;
#[allow(unsafe_code)]
mod dwarf_file;
pub mod elf;
pub mod error;
mod file_index;
pub mod frames;
pub mod function;
pub mod fuzz;
mod image;
mod index;
pub mod language;
pub mod line;
mod line_table;
pub mod location;
pub mod lookup;
#[allow(unsafe_code)]
mod mapping;
pub mod module;
mod names;
mod outline;
mod prologue;
pub mod registers;
pub mod scope;
mod separate;
mod signature;
pub mod source;
mod split;
pub mod symbol;
pub mod type_name;
mod type_reader;
pub mod types;
pub mod unit;
mod unit_ranges;
pub mod unwind;
pub mod variable;
mod vtables;

pub use address::{AddressRange, ModuleAddress};
pub use die::{DieId, TypeId, UnitId};
pub use error::SymbolsError;
pub use function::{CodePlace, Function};
pub use language::Language;
pub use line::{LineEntry, SourceFile};
pub use module::{LoadOptions, Module};
pub use scope::{Scope, ScopeKind};
pub use symbol::{Symbol, SymbolKind};
pub use types::Type;
pub use unit::{Reader, Unit};
pub use variable::{Variable, VariableKind, VariableLocation};
