//! The bytes that a call gives away: where they lie, and their checksum.

use crate::calls::check;
use crate::calls::record::Made;
use crate::memory::{hash, user};
use crate::state::Thread;
use wayfarer_calls::Number;

/// Where the bytes of a write-like call lie: one piece, or an array of pieces.
#[derive(Clone, Copy)]
pub enum Source {
    Piece(usize, usize),
    Vector(usize, usize),
}

/// The bytes that a write-like call gives away; `None` on a bad pointer.
pub fn source(number: Number, arguments: &[usize; 6]) -> Option<Source> {
    match number {
        Number::WRITE | Number::PWRITE64 | Number::SENDTO => {
            Some(Source::Piece(arguments[1], arguments[2]))
        }
        Number::WRITEV | Number::PWRITEV | Number::PWRITEV2 => {
            Some(Source::Vector(arguments[1], arguments[2]))
        }
        Number::SENDMSG => {
            let vector = user::read::<[usize; 2]>(arguments[1].wrapping_add(16))?;
            Some(Source::Vector(vector[0], vector[1]))
        }
        _ => None,
    }
}

/// Length of all pieces; `None` on a bad pointer.
pub fn source_length(source: Source) -> Option<usize> {
    match source {
        Source::Piece(_, length) => Some(length),
        Source::Vector(array, count) => {
            let mut total = 0usize;
            let mut index = 0;
            while index < count && index < 1024 {
                total = total.wrapping_add(user::read::<[usize; 2]>(array + index * 16)?[1]);
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
        Source::Piece(pointer, length) => {
            one = [pointer, length];
            (&raw const one, 1)
        }
        Source::Vector(array, count) => (array as *const [usize; 2], count),
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
