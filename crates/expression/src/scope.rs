//! What expressions ask for: names, memory, registers, calls. The edge answers, be it a live
//! process, a core file or a test.

use std::sync::Arc;

use thiserror::Error;
use wayfarer_symbols::location::{Absence, Fetched, Place, Unreadable};
use wayfarer_symbols::types::Dimension;
use wayfarer_symbols::{DieId, Module};

use crate::parse::ParseError;
use crate::syntax::{History, Language};
use crate::types::TypeRef;
use crate::value::Value;

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EvaluationError {
    /// The text is not an expression.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// The name is not known.
    #[error("No symbol \"{0}\" in current context.")]
    NoSymbol(String),
    /// The type is not known.
    #[error("No {keyword} type named {name}.")]
    NoType {
        /// `struct`, `union`, `enum`, or `symbol`.
        keyword: String,
        /// The name.
        name: String,
    },
    /// The structure has no such member.
    #[error("There is no member named {0}.")]
    NoMember(String),
    /// Memory that cannot be read or written.
    #[error("Cannot access memory at address {0:#x}")]
    Memory(u64),
    /// The value is needed, and it is not there.
    #[error("{0}")]
    Absent(Absence),
    /// A division by zero.
    #[error("Division by zero")]
    DivisionByZero,
    /// Anything else that is wrong with the expression, as a sentence.
    #[error("{0}")]
    Invalid(String),
}

impl EvaluationError {
    /// An error that is a sentence.
    pub fn invalid(message: impl Into<String>) -> EvaluationError {
        EvaluationError::Invalid(message.into())
    }
}

impl From<Unreadable> for EvaluationError {
    fn from(unreadable: Unreadable) -> EvaluationError {
        EvaluationError::Memory(unreadable.address)
    }
}

impl From<Absence> for EvaluationError {
    fn from(absence: Absence) -> EvaluationError {
        match absence {
            Absence::Unreadable(unreadable) => unreadable.into(),
            Absence::OptimisedOut | Absence::EntryValueUnknown => {
                EvaluationError::invalid("value has been optimized out")
            }
            Absence::NotSaved(_) => EvaluationError::invalid("value is not available"),
            other => EvaluationError::Absent(other),
        }
    }
}

/// The symbol that an address belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolAt {
    /// The demangled name.
    pub name: String,
    /// Bytes from the start of the symbol.
    pub offset: u64,
    /// Whether it is a function, and not data.
    pub is_code: bool,
}

/// Everything an expression may ask about the stopped program. What has a default need not be
/// answered.
pub trait Scope {
    /// The language of the selected frame.
    fn language(&mut self) -> Language;

    /// A variable visible here: a local, a parameter, a static, a global, a constant, a function
    /// (a value of function type at its entry), an enumerator (a computed value of its type). The
    /// name may be qualified. Symbols without debug information count too.
    fn variable(&mut self, name: &str) -> Result<Option<Value>, EvaluationError>;

    /// All functions of a name, as values of function type at their entries.
    fn overloads(&mut self, _name: &str) -> Vec<Value> {
        Vec::new()
    }

    /// The address of the function that a method's declaration stands for.
    fn definition_of(
        &mut self,
        _module: &Arc<Module>,
        _declaration: DieId,
        _name: &str,
    ) -> Option<u64> {
        None
    }

    /// Whether a name that could be a value or a type means the type where either may stand: the
    /// type is near, the value far.
    fn prefers_type(&mut self, _name: &str) -> bool {
        false
    }

    /// Whether what [`Scope::variable`] finds under this name is outside the function, so that a
    /// member of `this` comes before it.
    fn is_global(&mut self, _name: &str) -> bool {
        false
    }

    /// `'file.c'::name` or `function::name`.
    fn scoped_variable(
        &mut self,
        _scope: &str,
        _name: &str,
    ) -> Result<Option<Value>, EvaluationError> {
        Ok(None)
    }

    /// The variable of an entry: the target of a pointer to something without an address.
    fn variable_of(&mut self, _module: Option<Arc<Module>>, _die: DieId) -> Option<Value> {
        None
    }

    /// A type by name: `keyword` is `struct`, `union`, `enum` or `class` where it was written so.
    fn type_named(&mut self, keyword: Option<&str>, name: &str) -> Option<TypeRef>;

    /// Reads `size` bytes of what lives at a place: memory, registers of the selected frame,
    /// pieces. Usually [`wayfarer_symbols::location::fetch`] with the registers of the frame.
    fn fetch(&mut self, place: &Place, size: usize) -> Result<Fetched, Absence>;

    /// Fills the buffer from memory.
    fn read(&mut self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable>;

    /// Changes bytes of what lives at a place, from an offset on.
    fn store(
        &mut self,
        _place: &Place,
        _offset: u64,
        _bytes: &[u8],
    ) -> Result<(), EvaluationError> {
        Err(EvaluationError::invalid("this program cannot be changed."))
    }

    /// The value of `$name`: a register of the selected frame or a convenience variable.
    fn dollar(&mut self, _name: &str) -> Result<Option<Value>, EvaluationError> {
        Ok(None)
    }

    /// Sets a convenience variable.
    fn set_convenience(&mut self, _name: &str, _value: &Value) -> Result<(), EvaluationError> {
        Err(EvaluationError::invalid(
            "there are no convenience variables here.",
        ))
    }

    /// An entry of the value history.
    fn history(&mut self, _entry: History) -> Option<Value> {
        None
    }

    /// Runs a function of the program.
    fn call(&mut self, _function: &Value, _arguments: &[Value]) -> Result<Value, EvaluationError> {
        Err(EvaluationError::invalid(
            "You can't do that without a process to debug.",
        ))
    }

    /// Room in the program for bytes that a call or an assignment needs the address of.
    fn allocate(&mut self, _bytes: &[u8]) -> Result<u64, EvaluationError> {
        Err(EvaluationError::invalid(
            "evaluation of this expression requires the target to exist.",
        ))
    }

    /// The symbol that an address belongs to.
    fn symbol_at(&mut self, _address: u64) -> Option<SymbolAt> {
        None
    }

    /// The number of elements of an array whose length the program decides.
    fn dynamic_count(&mut self, _module: &Arc<Module>, _dimension: &Dimension) -> Option<u64> {
        None
    }

    /// The address of a virtual base: a DWARF expression applied to the object's address.
    fn member_address(
        &mut self,
        _module: &Arc<Module>,
        _expression: &[u8],
        _object: u64,
    ) -> Option<u64> {
        None
    }

    /// The concrete type of a Rust trait object, by the address of its virtual table.
    fn vtable_type(&mut self, _vtable: u64) -> Option<TypeRef> {
        None
    }

    /// The program's own text for an object of this type, if the user asked for that.
    fn custom_print(&mut self, _type_name: &str, _address: u64) -> Option<String> {
        None
    }
}
