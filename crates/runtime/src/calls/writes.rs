//! Calls that give bytes away: a recording writes them down, a replay compares them.

use crate::calls::bytes;
use crate::calls::check;
use crate::calls::descriptors::{OUTPUT_OBJECT, give_up_tracking};
use crate::calls::draft;
use crate::calls::output::{self, record_output, replay_output};
use crate::calls::outputs::{self, Before, EINTR};
use crate::calls::record::{Made, plain, write_down};
use crate::calls::replay::{expect, other_output, pour, take_result};
use crate::calls::source::{hash_source, prepare, source};
use crate::calls::streams::{claim, contents_flag, direction, each_passed};
use crate::calls::writethrough;
use crate::log::end as log_end;
use crate::log::reader;
use crate::memory::user;
use crate::serial::token;
use crate::serial::turns;
use crate::session::domain;
use crate::signals::delivery;
use crate::signals::queue;
use crate::state::{Thread, header, object};
use wayfarer_calls::Number;
use wayfarer_entrance::arguments::{Address, Span};
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::layout::{flags, object_flags};
use wayfarer_runtime_abi::record::{self, Head, Record};

/// Flags of a send that gives bytes in order: DONTWAIT, NOSIGNAL, MORE, DONTROUTE.
const PLAIN_SEND: usize = 0x40 | 0x4000 | 0x8000 | 0x4;

fn is_plain_write(number: Number, arguments: &[usize; 6]) -> bool {
    match number {
        Number::WRITE | Number::WRITEV => true,
        Number::SENDTO => arguments[4] == 0 && arguments[3] & !PLAIN_SEND == 0,
        Number::SENDMSG => arguments[2] & !PLAIN_SEND == 0,
        _ => false,
    }
}

#[inline]
pub fn record_write(thread: &mut Thread, made: &mut Made) -> isize {
    let entry = thread.process().entry(made.arguments[0]);
    let number = made.number;
    if number == Number::SENDMMSG
        || (number == Number::SENDMSG && has_control(made.arguments.address(1)))
    {
        give_away_descriptors(thread, made);
    }
    if entry >> 1 == OUTPUT_OBJECT
        && matches!(number, Number::WRITE | Number::WRITEV | Number::SENDTO)
    {
        return record_output(thread, made);
    }
    if entry >> 1 > OUTPUT_OBJECT {
        let object = object(entry >> 1);
        let way = entry & 1;
        let flag = contents_flag(way);
        if is_plain_write(number, &made.arguments) {
            claim(thread, object, &direction(object, way).writer, flag);
            if object.flags.load(Ordering::Acquire) & flag == 0 {
                return record_send(thread, made, record::SEND);
            }
        } else {
            object.flags.fetch_or(flag, Ordering::AcqRel);
        }
    }
    let result = draft::perform(thread, made);
    if result > 0
        && let Some(source) = source(number, &made.arguments)
    {
        made.check ^= hash_source(thread, source, result as usize);
    }
    if result > 0
        && let Some(piece) = written_through(thread, made, result as usize)
    {
        write_through(thread, made, result, piece);
        return result;
    }
    if made.call.piece.unit != 0 {
        thread.emit_call(number, made.check, result as i64);
    } else {
        write_down(thread, made, result, outputs::Before::default(), &[]);
    }
    result
}

/// Memory of the program that a write to a file has changed: address and length.
fn written_through(thread: &Thread, made: &Made, count: usize) -> Option<Span> {
    let end = match made.number {
        Number::WRITE | Number::WRITEV => None,
        Number::PWRITE64 | Number::PWRITEV => Some(made.arguments[3] as u64 + count as u64),
        _ => return None,
    };
    writethrough::changed(thread, made.arguments[0], count, end)
}

/// The record of such a write: address (8 bytes), then the bytes.
fn write_through(thread: &mut Thread, made: &Made, result: isize, piece: Span) {
    let Span { start, length } = piece;
    thread.emit_filled(made.head(result), 8 + length, |place| {
        // SAFETY: room was made. Another thread may take the memory away meanwhile: then it is not seen.
        unsafe {
            place.cast::<u64>().write_unaligned(start.number() as u64);
            user::copy_in(place.add(8), start, length);
        }
    });
}

/// Whether a message has more to it than bytes, or cannot be read.
#[inline(always)]
fn has_control(message: Address) -> bool {
    user::read::<usize>(message.plus(40)) != Some(0)
}

/// Descriptors that travel to another process: what they stand for is tracked no more.
pub fn give_away_descriptors(thread: &mut Thread, made: &Made) {
    let count = if made.number == Number::SENDMMSG {
        made.arguments[2].min(1024)
    } else {
        1
    };
    let mut index = 0;
    while index < count {
        let head = made.arguments.address(1).plus(index * 64);
        if let Some(control) = user::read::<Span>(head.plus(32)) {
            each_passed(thread, control, |thread, descriptor| {
                let entry = thread.process().entry(descriptor as usize);
                if entry != 0 {
                    give_up_tracking(entry);
                }
            });
        }
        index += 1;
    }
}

/// Gives bytes to a stream: the record comes first, so that no receive can outlive its send.
fn record_send(thread: &mut Thread, made: &mut Made, tag: u8) -> isize {
    let number = made.number;
    let arguments = made.arguments;
    loop {
        let Some((check, length)) = prepare(thread, made) else {
            return plain(thread, made);
        };
        let before = thread.serial.turn;
        let head = Head::new(tag, number.word(), check, length as i64);
        let announced = thread.announce(head, None);
        token::let_go(thread);
        let result = loop {
            // SAFETY: the program's own call.
            let result = unsafe {
                raw::syscall_interruptible(
                    number,
                    &arguments,
                    (&raw const thread.arrivals.pending).cast(),
                )
            };
            if result != EINTR || thread.arrivals.pending.load(Ordering::Relaxed) != 0 {
                break result;
            }
        };
        token::take_back(thread, announced);
        // A turn between a record and its result must be told from one before the next record.
        if result == length as isize && thread.serial.turn == before {
            return result;
        }
        if result == EINTR && queue::all_restart(thread) {
            thread.emit_result(record::RESTARTED);
            delivery::deliver(thread, made.frame, record::place::RESTART);
            continue;
        }
        thread.emit_result(result as i64);
        return result;
    }
}

/// The real length of a send whose `RESULT`, if any, lies behind the record (and behind a turn).
fn result_ahead(thread: &mut Thread) -> Option<i64> {
    let mut next = reader::peek(thread)?;
    if next.tag == record::TURN {
        next = reader::peek_behind(thread, next.length)?;
    }
    (next.tag == record::RESULT).then_some(next.value)
}

#[inline(never)]
pub fn replay_write(thread: &mut Thread, made: &mut Made) -> isize {
    let mut copy = output::Block::uninit();
    loop {
        let next = expect(thread, made, record::SYSCALL);
        if next.tag == record::SYSCALL {
            return replay_plain(thread, made, &next);
        }
        let hash_before = thread.log.hash;
        let check = match prepare(thread, made) {
            Some((check, length)) if length as i64 == next.value => check,
            _ => !next.check,
        };
        if check != next.check {
            thread.log.hash = hash_before;
            other_output(thread, made, check, &next);
        }
        reader::advance(thread, next.length);
        thread.count_event();
        let ahead = result_ahead(thread);
        let unended = matches!(ahead, Some(record::UNENDED | record::WENT_OUT));
        let behind = reader::peek(thread).map(|next| next.tag);
        let mut shown = made.arguments;
        if next.tag == record::OUTPUT {
            let bytes = output::copied(thread, made, next.value as usize, &mut copy);
            shown = shown.with_address(1, bytes);
        }
        if unended || ahead.is_some() && behind == Some(record::TURN) {
            // It lost its turn in this call: others may have to go first.
            domain::pass(thread);
        }
        let real = match ahead {
            // Killed before anything was shown.
            Some(record::UNENDED) if next.tag == record::OUTPUT => 0,
            Some(result) if !unended => result,
            _ => next.value,
        };
        if real > 0 {
            if next.tag == record::OUTPUT {
                replay_output(thread, made.number, &shown, &next, real as usize);
            } else {
                send(thread, made, real as usize);
            }
        } else if next.tag == record::OUTPUT {
            replay_output(thread, made.number, &shown, &next, 0);
        }
        if ahead.is_some() {
            turns::first_turn(thread);
            take_result(thread);
        }
        if unended {
            log_end::reached(thread);
        }
        if real == record::RESTARTED {
            continue;
        }
        return real as isize;
    }
}

/// A write to somebody outside: not made, but its bytes are compared.
fn replay_plain(thread: &mut Thread, made: &mut Made, promised: &Record<'static>) -> isize {
    let result = promised.value as isize;
    let mut check = check::arguments(thread, made.call, made.number, &made.arguments);
    if result > 0
        && let Some(source) = source(made.number, &made.arguments)
    {
        check ^= hash_source(thread, source, result as usize);
    }
    if check != promised.check {
        other_output(thread, made, check, promised);
    }
    reader::advance(thread, promised.length);
    thread.count_event();
    if made.number != Number::SENDMMSG
        && let Some((address, bytes)) = promised.payload.split_first_chunk::<8>()
        && result > 0
    {
        // The file was mapped: the write changed memory.
        let address = Address::new(u64::from_le_bytes(*address) as usize);
        if !writethrough::write_behind(thread, address, bytes) {
            // SAFETY: so did the recorded write.
            unsafe { user::copy_out(address, bytes) };
        }
        return result;
    }
    pour(
        made.call,
        &made.arguments,
        result,
        Before::default(),
        promised.payload,
    );
    result
}

/// Gives bytes to the stream of the replay, if anybody will ever take them from there.
fn send(thread: &mut Thread, made: &mut Made, length: usize) {
    let entry = thread.process().entry(made.arguments[0]);
    if entry >> 1 <= OUTPUT_OBJECT
        || header().flags & (flags::CONTENTS_ALL | flags::ONLY) != 0
        || object(entry >> 1).flags.load(Ordering::Relaxed) & object_flags::BOTH == 0
    {
        return;
    }
    if let Some(source) = source(made.number, &made.arguments) {
        bytes::send(thread, entry, source, length);
    }
}
