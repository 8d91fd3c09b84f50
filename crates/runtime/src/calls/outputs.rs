//! What a call wrote into the program's memory: into the payload of its record, and back.
//!
//! One walk over the pieces serves both directions: a recording copies each piece out of memory, a
//! replay copies it in. Where the length of a later piece is told by an earlier one (a socket address
//! and its length), the earlier one is in place when the later one is looked at, in both directions.

use crate::memory::user;
use wayfarer_calls::{Call, Out, Piece};
use wayfarer_entrance::arguments::{Address, Arguments, Span};

/// Lengths that the kernel overwrites and that must be known from before the call.
#[derive(Clone, Copy, Default)]
pub struct Before {
    pub sized: u32,
    pub name: u32,
}

pub const EINTR: isize = -4;
const EOVERFLOW: isize = -75;

/// Looks at the lengths before the call is made.
#[inline]
pub fn before(call: &Call, arguments: &Arguments) -> Before {
    let mut before = Before::default();
    for out in &call.outputs {
        match *out {
            Out::Sized(_, length) => {
                before.sized = user::read::<u32>(arguments.address(length)).unwrap_or(0);
            }
            Out::Message(message) => {
                let name = arguments.address(message).plus(8);
                before.name = user::read::<u32>(name).unwrap_or(0);
            }
            _ => {}
        }
    }
    before
}

/// Memory that the kernel has just read or written for a successful call. Another thread may take it away meanwhile:
/// then it is taken for zeros.
#[inline(never)]
fn load<T: user::Plain>(from: Address) -> T {
    user::read(from).unwrap_or_default()
}

/// The piece of memory that a call wrote, with length 0 for none; `None`: ask [`walk`]. For those calls of which
/// programs make most.
#[inline(always)]
pub fn only_piece(call: &Call, result: isize, argument: impl Fn(u8) -> Address) -> Option<Span> {
    let Piece {
        argument: index,
        unit,
    } = call.piece;
    if unit == 0 {
        return None;
    }
    let start = argument(index);
    if result <= 0 || start.is_null() {
        return Some(Span::NONE);
    }
    let length = result as usize * unit as usize;
    Some(Span { start, length })
}

/// Calls `visit(pointer, length)` for each piece of memory that the call wrote.
#[inline]
pub fn walk(
    call: &Call,
    arguments: &Arguments,
    result: isize,
    before: Before,
    visit: &mut impl FnMut(Address, usize),
) {
    if result < 0
        && !(call.outputs_on_interrupt && result == EINTR)
        && !(matches!(call.outputs[0], Out::Handle(_)) && result == EOVERFLOW)
    {
        return;
    }
    for out in &call.outputs {
        match *out {
            Out::None => return,
            Out::Fixed(pointer, length) => {
                piece(visit, arguments.address(pointer), length as usize)
            }
            Out::Result(pointer) => {
                if result > 0 {
                    piece(visit, arguments.address(pointer), result as usize);
                }
            }
            Out::ResultTimes(pointer, size) => {
                if result > 0 {
                    piece(
                        visit,
                        arguments.address(pointer),
                        result as usize * size as usize,
                    );
                }
            }
            Out::Argument(pointer, length) => {
                piece(visit, arguments.address(pointer), arguments.number(length));
            }
            Out::Pages(pointer, length) => piece(
                visit,
                arguments.address(pointer),
                arguments.number(length).div_ceil(4096),
            ),
            Out::Handle(pointer) => {
                let pointer = arguments.address(pointer);
                // Too small, it says only how long it would have to be. The walk may come to it before the call
                // was known to fail because of the pointer itself: that is another error.
                visit(pointer, 8);
                if result >= 0 {
                    piece(visit, pointer.plus(8), load::<u32>(pointer) as usize);
                }
            }
            Out::Bits(pointer, count) => piece(
                visit,
                arguments.address(pointer),
                arguments.number(count).div_ceil(64).wrapping_mul(8),
            ),
            Out::ArgumentTimes(pointer, count, size) => piece(
                visit,
                arguments.address(pointer),
                (arguments.number(count) as u32 as usize).wrapping_mul(size as usize),
            ),
            Out::Sized(pointer, length) => {
                let (pointer, length) = (arguments.address(pointer), arguments.address(length));
                if !pointer.is_null() && !length.is_null() {
                    visit(length, 4);
                    let now: u32 = load(length);
                    visit(pointer, now.min(before.sized) as usize);
                }
            }
            Out::Vector(pointer, count) => {
                if result > 0 {
                    vector(
                        arguments.address(pointer),
                        arguments.number(count),
                        result as usize,
                        visit,
                    );
                }
            }
            Out::DescriptorSets => {
                // The kernel works in whole longs.
                let bytes = (arguments.number(0) as u32 as usize).div_ceil(64) * 8;
                piece(visit, arguments.address(1), bytes);
                piece(visit, arguments.address(2), bytes);
                piece(visit, arguments.address(3), bytes);
            }
            Out::Message(message) => {
                message_pieces(
                    arguments.address(message),
                    result as usize,
                    before.name,
                    visit,
                );
            }
            Out::MessageLengths(messages) => {
                let mut index = 0;
                while index < result {
                    let head = arguments.address(messages).plus(index as usize * 64);
                    visit(head.plus(56), 4);
                    index += 1;
                }
            }
            Out::ResultAndType(pointer) => {
                piece(visit, arguments.address(pointer), result as usize + 8);
            }
            Out::Messages(messages) => {
                let mut index = 0;
                while index < result {
                    let head = arguments.address(messages).plus(index as usize * 64);
                    visit(head.plus(56), 4);
                    message_pieces(head, load::<u32>(head.plus(56)) as usize, 128, visit);
                    index += 1;
                }
            }
        }
    }
}

#[inline(always)]
fn piece(visit: &mut impl FnMut(Address, usize), pointer: Address, length: usize) {
    if !pointer.is_null() && length != 0 {
        visit(pointer, length);
    }
}

/// The pieces of an iovec array that `bytes` bytes fill.
#[inline]
pub fn vector(
    array: Address,
    count: usize,
    mut bytes: usize,
    visit: &mut impl FnMut(Address, usize),
) {
    let mut index = 0;
    while index < count && bytes > 0 {
        let entry: Span = load(array.plus(index * size_of::<Span>()));
        let length = entry.length.min(bytes);
        if length > 0 {
            visit(entry.start, length);
        }
        bytes -= length;
        index += 1;
    }
}

/// The kernel's `msghdr`, but its flags.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Message {
    name: Address,
    /// The lower half.
    name_length: usize,
    /// Where the array of pieces begins, and how many there are.
    pieces: Span,
    control: Span,
}

// SAFETY: addresses and numbers, which fill it.
unsafe impl user::Plain for Message {}

fn message_pieces(
    head: Address,
    bytes: usize,
    name_before: u32,
    visit: &mut impl FnMut(Address, usize),
) {
    visit(head.plus(8), 4);
    visit(head.plus(40), 8);
    visit(head.plus(48), 4);
    let message: Message = load(head);
    let name_length = (message.name_length as u32).min(name_before) as usize;
    piece(visit, message.name, name_length);
    piece(visit, message.control.start, message.control.length);
    vector(message.pieces.start, message.pieces.length, bytes, visit);
}
