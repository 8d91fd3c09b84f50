//! Which fields each kind of record has.

use wayfarer_runtime_abi::record::{self, Fields};

/// Which fields a tag has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Number, check, value.
    Call,
    /// The same, but the number is one of many: it does not make a kind of its own.
    Sync,
    /// A value.
    Value,
    Bare,
}

pub(crate) fn shape(tag: u8) -> Option<Shape> {
    let shape = match record::fields(tag)? {
        Fields::Call if tag == record::THREADS => Shape::Call,
        Fields::Call if (record::ACQUIRE..=record::POSTS).contains(&tag) => Shape::Sync,
        Fields::Call => Shape::Call,
        Fields::Value => Shape::Value,
        Fields::Nothing => Shape::Bare,
    };
    Some(shape)
}

/// The number that tells kinds with the same first byte apart.
pub(crate) fn kind_number(first: u8, number: u64) -> u64 {
    match shape(first & !record::PAYLOAD) {
        Some(Shape::Call) => number,
        _ => 0,
    }
}
