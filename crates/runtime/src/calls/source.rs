//! The bytes that a call gives away: where they lie, and their checksum.

use crate::calls::check;
use crate::calls::record::Made;
use crate::memory::{hash, user};
use crate::state::Thread;
use wayfarer_calls::Number;
use wayfarer_entrance::arguments::{Address, Arguments, Span};

/// Where the bytes of a write-like call lie: one piece, or an array of pieces.
#[derive(Clone, Copy)]
pub enum Source {
    Piece(Span),
    Vector(Address, usize),
}

/// The bytes that a write-like call gives away; `None` on a bad pointer.
pub fn source(number: Number, arguments: &Arguments) -> Option<Source> {
    match number {
        Number::WRITE | Number::PWRITE64 | Number::SENDTO => Some(Source::Piece(Span {
            start: arguments.address(1),
            length: arguments[2],
        })),
        Number::WRITEV | Number::PWRITEV | Number::PWRITEV2 => {
            Some(Source::Vector(arguments.address(1), arguments[2]))
        }
        Number::SENDMSG => {
            let vector = user::read::<Span>(arguments.address(1).plus(16))?;
            Some(Source::Vector(vector.start, vector.length))
        }
        _ => None,
    }
}

/// Length of all pieces; `None` on a bad pointer.
pub fn source_length(source: Source) -> Option<usize> {
    match source {
        Source::Piece(piece) => Some(piece.length),
        Source::Vector(array, count) => {
            let mut total = 0usize;
            let mut index = 0;
            while index < count && index < 1024 {
                let piece = user::read::<Span>(array.plus(index * size_of::<Span>()))?;
                total = total.wrapping_add(piece.length);
                index += 1;
            }
            Some(total)
        }
    }
}

/// How much of a pre-committed write is looked at; the reader of a stream notices the rest.
const HASH_LIMIT: usize = 256 * 1024;

/// Goes on with the thread's running checksum over the first `length` bytes.
pub fn hash_source(thread: &mut Thread, source: Source, length: usize) -> u8 {
    let one;
    let (array, count) = match source {
        Source::Piece(piece) => {
            one = piece;
            (Address::new((&raw const one) as usize), 1)
        }
        Source::Vector(array, count) => (array, count),
    };
    let hash = hash::mix(thread.log.hash, length as u64);
    let hash = user::hash_pieces(thread, hash, array, count, length.min(HASH_LIMIT));
    thread.log.hash = hash;
    hash::fold(hash)
}

/// Check byte and length of a call that gives bytes away; `None` on a bad pointer.
pub fn prepare(thread: &mut Thread, made: &Made) -> Option<(u8, usize)> {
    let source = source(made.number, &made.arguments)?;
    let length = source_length(source)?;
    let check = check::arguments(thread, made.call, made.number, &made.arguments);
    Some((check ^ hash_source(thread, source, length), length))
}
