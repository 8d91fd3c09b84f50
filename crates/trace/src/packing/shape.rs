//! Which fields each kind of record has.

use wayfarer_runtime_abi::record;

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
    use record::*;
    match tag {
        SYSCALL | NOTE | EXIT | SIGNAL | SEND | RECEIVE | OUTPUT | THREADS => Some(Shape::Call),
        ACQUIRE | OUTCOME | OBJECT | FINAL | ACQUIRE_READ | WAIT | POSTS => Some(Shape::Sync),
        RESULT | TURN | CLOCK..=CLOCK_LAST => Some(Shape::Value),
        START | YIELD => Some(Shape::Bare),
        _ => None,
    }
}

/// The number that tells kinds with the same first byte apart.
pub(crate) fn kind_number(first: u8, number: u64) -> u64 {
    match shape(first & !record::PAYLOAD) {
        Some(Shape::Call) => number,
        _ => 0,
    }
}
