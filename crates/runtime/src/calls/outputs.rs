//! What a call wrote into the program's memory: into the payload of its record, and back.
//!
//! One walk over the pieces serves both directions: a recording copies each piece out of memory, a
//! replay copies it in. Where the length of a later piece is told by an earlier one (a socket address
//! and its length), the earlier one is in place when the later one is looked at, in both directions.

use crate::memory::user;
use wayfarer_calls::{Call, Out, Piece};

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
pub fn before(call: &Call, arguments: &[usize; 6]) -> Before {
    let mut before = Before::default();
    for out in &call.outputs {
        match *out {
            Out::Sized(_, length) => {
                before.sized = user::read::<u32>(argument(arguments, length)).unwrap_or(0);
            }
            Out::Message(message) => {
                before.name =
                    user::read::<u32>(argument(arguments, message).wrapping_add(8)).unwrap_or(0);
            }
            _ => {}
        }
    }
    before
}

#[inline(always)]
pub fn argument(arguments: &[usize; 6], index: u8) -> usize {
    // SAFETY: the table holds positions below six only; the mask makes it so for the compiler too.
    unsafe { *arguments.get_unchecked((index & 7).min(5) as usize) }
}

/// Memory that the kernel has just read or written for a successful call. Another thread may take it away meanwhile:
/// then it is taken for zeros.
#[inline(never)]
fn load<T: user::Plain>(from: usize) -> T {
    user::read(from).unwrap_or_default()
}

/// The piece of memory that a call wrote, with length 0 for none; `None`: ask [`walk`]. For those calls of which
/// programs make most.
#[inline(always)]
pub fn only_piece(
    call: &Call,
    result: isize,
    argument: impl Fn(u8) -> usize,
) -> Option<(usize, usize)> {
    let Piece {
        argument: index,
        unit,
    } = call.piece;
    if unit == 0 {
        return None;
    }
    let pointer = argument(index);
    if result <= 0 || pointer == 0 {
        return Some((0, 0));
    }
    Some((pointer, result as usize * unit as usize))
}

/// Calls `visit(pointer, length)` for each piece of memory that the call wrote.
#[inline]
pub fn walk(
    call: &Call,
    arguments: &[usize; 6],
    result: isize,
    before: Before,
    visit: &mut impl FnMut(usize, usize),
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
                piece(visit, argument(arguments, pointer), length as usize)
            }
            Out::Result(pointer) => {
                if result > 0 {
                    piece(visit, argument(arguments, pointer), result as usize);
                }
            }
            Out::ResultTimes(pointer, size) => {
                if result > 0 {
                    piece(
                        visit,
                        argument(arguments, pointer),
                        result as usize * size as usize,
                    );
                }
            }
            Out::Argument(pointer, length) => {
                piece(
                    visit,
                    argument(arguments, pointer),
                    argument(arguments, length),
                );
            }
            Out::Pages(pointer, length) => piece(
                visit,
                argument(arguments, pointer),
                argument(arguments, length).div_ceil(4096),
            ),
            Out::Handle(pointer) => {
                let pointer = argument(arguments, pointer);
                // Too small, it says only how long it would have to be. The walk may come to it before the call
                // was known to fail because of the pointer itself: that is another error.
                visit(pointer, 8);
                if result >= 0 {
                    piece(visit, pointer + 8, load::<u32>(pointer) as usize);
                }
            }
            Out::Bits(pointer, count) => piece(
                visit,
                argument(arguments, pointer),
                argument(arguments, count).div_ceil(64).wrapping_mul(8),
            ),
            Out::ArgumentTimes(pointer, count, size) => piece(
                visit,
                argument(arguments, pointer),
                (argument(arguments, count) as u32 as usize).wrapping_mul(size as usize),
            ),
            Out::Sized(pointer, length) => {
                let (pointer, length) = (argument(arguments, pointer), argument(arguments, length));
                if pointer != 0 && length != 0 {
                    visit(length, 4);
                    let now: u32 = load(length);
                    visit(pointer, now.min(before.sized) as usize);
                }
            }
            Out::Vector(pointer, count) => {
                if result > 0 {
                    vector(
                        argument(arguments, pointer),
                        argument(arguments, count),
                        result as usize,
                        visit,
                    );
                }
            }
            Out::DescriptorSets => {
                // The kernel works in whole longs.
                let bytes = (argument(arguments, 0) as u32 as usize).div_ceil(64) * 8;
                piece(visit, argument(arguments, 1), bytes);
                piece(visit, argument(arguments, 2), bytes);
                piece(visit, argument(arguments, 3), bytes);
            }
            Out::Message(message) => {
                message_pieces(
                    argument(arguments, message),
                    result as usize,
                    before.name,
                    visit,
                );
            }
            Out::MessageLengths(messages) => {
                let mut index = 0;
                while index < result {
                    visit(argument(arguments, messages) + index as usize * 64 + 56, 4);
                    index += 1;
                }
            }
            Out::ResultAndType(pointer) => {
                piece(visit, argument(arguments, pointer), result as usize + 8);
            }
            Out::Messages(messages) => {
                let mut index = 0;
                while index < result {
                    let head = argument(arguments, messages) + index as usize * 64;
                    visit(head + 56, 4);
                    message_pieces(head, load::<u32>(head + 56) as usize, 128, visit);
                    index += 1;
                }
            }
        }
    }
}

#[inline(always)]
fn piece(visit: &mut impl FnMut(usize, usize), pointer: usize, length: usize) {
    if pointer != 0 && length != 0 {
        visit(pointer, length);
    }
}

/// The pieces of an iovec array that `bytes` bytes fill.
#[inline]
pub fn vector(array: usize, count: usize, mut bytes: usize, visit: &mut impl FnMut(usize, usize)) {
    let mut index = 0;
    while index < count && bytes > 0 {
        let entry: [usize; 2] = load(array + index * 16);
        let length = entry[1].min(bytes);
        if length > 0 {
            visit(entry[0], length);
        }
        bytes -= length;
        index += 1;
    }
}

fn message_pieces(
    head: usize,
    bytes: usize,
    name_before: u32,
    visit: &mut impl FnMut(usize, usize),
) {
    visit(head + 8, 4);
    visit(head + 40, 8);
    visit(head + 48, 4);
    let [name, name_now, array, count, control, control_length]: [usize; 6] = load(head);
    piece(visit, name, (name_now as u32).min(name_before) as usize);
    piece(visit, control, control_length);
    vector(array, count, bytes, visit);
}
