//! Expressions of C, C++ and Rust over a stopped program: parse, evaluate, print.
//!
//! * [`parse()`] makes syntax of text and knows nothing of the program,
//! * [`evaluate()`] makes a [`Value`] of syntax, asking a [`Scope`] for names, memory and registers,
//! * [`node`] and [`children`] open a value up as a tree, level by level,
//! * [`print()`] writes that tree as text, as gdb does for C and C++ and as Rust programmers read for Rust,
//! * [`type_of`], [`whatis`] and [`describe_type`] answer `whatis` and `ptype`,
//! * [`compile_condition`] makes a program for the agent of a condition, where it can.
//!
//! Nothing here reads a process: one evaluator serves a live program, a replay, a core file and a
//! test. Nothing here trusts the program either: lengths are limited, cycles end, and what cannot be
//! read is said to be so in its place.

#![forbid(unsafe_code)]

mod condition;
mod describe;
mod evaluate;
pub mod fuzz;
mod names;
mod number;
mod parse;
mod print;
mod record;
mod scope;
mod syntax;
mod types;
mod value;
mod vtable;

pub use condition::{Storage, compile_condition, storage_of};
pub use describe::{describe_offsets, describe_type, whatis};
pub use evaluate::{TypeOf, bytes, evaluate, type_of};
pub use parse::{ParseError, parse, parse_type, parse_with};
pub use print::{
    ChildName, Format, Letter, ValueChild, ValueKind, ValueNode, children, flags, is_scalar, node,
    print,
};
pub use record::{Record, signal_information};
pub use scope::{EvaluationError, Scope, SymbolAt};
pub use syntax::{
    BinaryOperator, Expression, History, IntegerSuffix, Language, Node, StructureLiteral,
    TypeSyntax, UnaryOperator,
};
pub use types::{MadeType, Shape, Structure, TypeRef, language_of};
pub use value::{MAXIMUM_OBJECT, Value};
pub use vtable::vtable_type;
