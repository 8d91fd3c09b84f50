//! The bytes of streams in a replay: unbounded, in units of the session file.

use crate::calls::outputs;
use crate::calls::record::Made;
use crate::calls::source::Source;
use crate::calls::streams::direction;
use crate::log;
use crate::memory::user;
use crate::session::diverge;
use crate::session::futex;
use crate::session::wait;
use crate::state::{Thread, at, header, object};
use wayfarer_calls::Number;
use wayfarer_entrance::arguments::Address;
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::layout::{CHUNK_HEAD, Chunk, Direction, divergence, waiting};
use wayfarer_runtime_abi::{SESSION_FD, UNIT};

/// Bytes that one unit holds.
const HOLDS: u64 = UNIT - CHUNK_HEAD;

/// Visits the pieces of a source, at most `length` bytes.
fn each(source: Source, length: usize, visit: &mut impl FnMut(Address, usize)) {
    match source {
        Source::Piece(piece) => visit(piece.start, length),
        Source::Vector(array, count) => outputs::vector(array, count, length, visit),
    }
}

/// Appends bytes to the direction that this end writes.
pub fn send(thread: &mut Thread, entry: u32, source: Source, length: usize) {
    let direction = direction(object(entry >> 1), entry & 1);
    let mut written = direction.written.load(Ordering::Relaxed);
    let mut failed = false;
    each(source, length, &mut |pointer, piece| {
        let mut done = 0;
        while done < piece && !failed {
            let within = written % HOLDS;
            if within == 0 && !extend(direction) {
                failed = true;
                return;
            }
            let tail = direction.tail.load(Ordering::Relaxed);
            let step = (piece - done).min((HOLDS - within) as usize);
            // SAFETY: the unit holds HOLDS bytes.
            unsafe { user::copy_in(at(tail + CHUNK_HEAD + within), pointer.plus(done), step) };
            written += step as u64;
            done += step;
        }
    });
    if failed {
        diverge::report(thread, divergence::OTHER_MEMORY, -1, 0, &[0; 6], None);
    }
    direction.written.store(written, Ordering::Release);
    direction.futex.fetch_add(1, Ordering::AcqRel);
    if direction.waiters.load(Ordering::Acquire) != 0 {
        futex::wake(&direction.futex, u32::MAX >> 1);
    }
}

/// Another unit at the end of a direction.
fn extend(direction: &Direction) -> bool {
    let Some(unit) = log::allocate(1) else {
        return false;
    };
    let tail = direction.tail.load(Ordering::Relaxed);
    // SAFETY: units of this direction; the reader follows `next` only once `written` says so.
    unsafe {
        (*at(unit).cast::<Chunk>()).next.store(0, Ordering::Relaxed);
        if tail == 0 {
            direction.head.store(unit, Ordering::Release);
        } else {
            (*at(tail).cast::<Chunk>())
                .next
                .store(unit, Ordering::Release);
        }
    }
    direction.tail.store(unit, Ordering::Release);
    true
}

/// Takes exactly `count` bytes of the direction that this end reads, waiting for them.
pub fn receive(thread: &mut Thread, made: &Made, entry: u32, count: isize) {
    let way = 1 - (entry & 1);
    let direction = direction(object(entry >> 1), way);
    let mut position = direction.read.load(Ordering::Relaxed);
    let wanted = position + count as u64;
    if direction.written.load(Ordering::Acquire) < wanted {
        direction.waiters.fetch_add(1, Ordering::AcqRel);
        let argument = u64::from((entry & !1) | way);
        wait::until(thread, waiting::STREAM, argument, &direction.futex, || {
            direction.written.load(Ordering::Acquire) >= wanted
        });
        direction.waiters.fetch_sub(1, Ordering::AcqRel);
    }
    outputs::walk(
        made.call,
        &made.arguments,
        count,
        outputs::Before::default(),
        &mut |pointer, piece| {
            let mut done = 0;
            while done < piece {
                let within = position % HOLDS;
                if within == 0 && position != 0 {
                    next_unit(direction);
                }
                let head = direction.head.load(Ordering::Acquire);
                let step = (piece - done).min((HOLDS - within) as usize);
                // SAFETY: `written` says that the bytes are there, and nobody writes them again.
                let bytes =
                    unsafe { core::slice::from_raw_parts(at(head + CHUNK_HEAD + within), step) };
                // SAFETY: the call that is answered asked for them.
                unsafe { user::copy_out(pointer.plus(done), bytes) };
                position += step as u64;
                done += step;
            }
        },
    );
    direction.read.store(position, Ordering::Release);
}

/// Goes to the next unit and gives the memory of the used one back.
fn next_unit(direction: &Direction) {
    const PUNCH_HOLE_KEEP_SIZE: usize = 3;
    let head = direction.head.load(Ordering::Acquire);
    // SAFETY: the unit is used up: this end alone reads it.
    unsafe {
        let next = (*at(head).cast::<Chunk>()).next.load(Ordering::Acquire);
        direction.head.store(next, Ordering::Release);
        raw::syscall6(
            Number::FALLOCATE,
            SESSION_FD as usize,
            PUNCH_HOLE_KEEP_SIZE,
            head as usize,
            UNIT as usize,
            0,
            0,
        );
    }
}

/// Writes to the real output, all of it.
pub fn write_out(descriptor: usize, source: Source, length: usize) {
    each(source, length, &mut |pointer, piece| {
        let mut done = 0;
        while done < piece {
            // SAFETY: the program's own bytes.
            let result = unsafe {
                raw::syscall6(
                    Number::WRITE,
                    descriptor,
                    pointer.plus(done).number(),
                    piece - done,
                    0,
                    0,
                    0,
                )
            };
            match result {
                -4 | -11 => {
                    // Interrupted, or the terminal is not ready: try again.
                    // SAFETY: sched_yield has no arguments.
                    unsafe { raw::syscall6(Number::SCHED_YIELD, 0, 0, 0, 0, 0, 0) };
                }
                result if result <= 0 => return,
                result => {
                    done += result as usize;
                    if descriptor == 1 {
                        let last = user::read::<u8>(pointer.plus(done - 1)).unwrap_or(0);
                        header()
                            .output_tail
                            .store(256 + u32::from(last), Ordering::Relaxed);
                    }
                }
            }
        }
    });
}
