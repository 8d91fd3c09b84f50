//! Recording in serial mode: the record of a call that waits is drafted before the thread has its
//! turn again.
//!
//! All other threads wait while one has the token. Keeping it during the kernel's part of a read
//! cost memcached 4.5 % of its throughput. So an ordinary call that may wait releases the token at
//! once, and its record is drafted after the end of the log while others run. With the token in
//! hand the draft only becomes part of the log, after the `TURN` that comes first if others had
//! their turn. Whether there will be one, and how long, is guessed from the last time (a look at
//! the token would take its cache line away from its owner); a draft at the wrong place is moved.
//! What the call brought is copied once more if others ran meanwhile, because they may have changed
//! it.
//!
//! A call that never waits keeps the token. Three things were tried without gain: more or fewer
//! looks at the token before a thread sleeps, a private futex, and no looks where the owner ran on
//! the same processor.

use crate::calls::check;
use crate::calls::outputs::{self, Before, EINTR};
use crate::calls::reads::{self, Incoming};
use crate::calls::record as recording;
use crate::calls::record::{Made, again, write_down};
use crate::log::RECORD_HEAD;
use crate::memory::user;
use crate::program::disarm;
use crate::serial::token;
use crate::state::Thread;
use crate::state::order;
use wayfarer_calls::Call;
use wayfarer_calls::Number;
use wayfarer_entrance::arguments::{Address, Span};
use wayfarer_entrance::frame::Frame;
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::record::{self, Head};

/// A record after the end of the log.
struct Draft {
    /// Bytes left free before it.
    gap: usize,
    length: usize,
    /// What the kernel wrote into the program's memory: where, and how much. The record ends with it.
    piece: Span,
}

/// Makes a call of which the table says that it can be done so, and writes it down.
#[inline(always)]
pub fn make(thread: &mut Thread, frame: &mut Frame, call: &'static Call) -> isize {
    token::release(thread);
    let number = frame.number();
    let incoming = if number == Number::READ {
        Incoming::of(thread, frame.rdi, true)
    } else {
        None
    };
    let check = check::scalars(call, number, &frame.arguments());
    // SAFETY: the program's own call.
    let result =
        unsafe { raw::frame_interruptible(frame, (&raw const thread.arrivals.pending).cast()) };
    let counts = result > 0 && incoming.is_some_and(Incoming::is_exclusive);
    let piece = if counts {
        Span::NONE
    } else {
        let argument = |index| Address::new(frame.argument(index));
        outputs::only_piece(call, result, argument).unwrap_or(Span::NONE)
    };
    let room = (thread.log.limit as usize).wrapping_sub(thread.log.cursor as usize);
    if result == EINTR || room < 2 * RECORD_HEAD + piece.length {
        return finish(thread, frame, call, result, incoming);
    }
    let head = match piece.length {
        _ if counts => Head::new(record::RECEIVE, number.word(), check, result as i64),
        0 => Head::call(number.word(), check, result as i64),
        length => Head::call(number.word(), check, result as i64).with_payload(length),
    };
    let gap = turn_length(thread.serial.turn_changed.then_some(thread.serial.turn));
    // SAFETY: there is room for two records and the piece. Another thread may take the piece's memory away meanwhile:
    // then it will not be looked at, and what the record says of it does not matter.
    let length = unsafe {
        let start = thread.log.cursor.add(gap);
        let mut end = head.put(start);
        if piece.length > 0 {
            user::copy_in(end, piece.start, piece.length);
            end = end.add(piece.length);
        }
        (end as usize).wrapping_sub(start as usize)
    };
    let turn = token::lock(thread);
    settle(thread, Draft { gap, length, piece }, turn);
    result
}

/// Makes a call of which something must be looked at in the thread's turn after it; its check byte, without strings,
/// is computed meanwhile.
#[inline(always)]
pub fn perform(thread: &mut Thread, made: &mut Made) -> isize {
    let arguments = made.arguments;
    if !thread.serial.holds_token || thread.sync != order::OFF {
        made.check = check::scalars(made.call, made.number, &arguments);
        return recording::perform(thread, made, &arguments);
    }
    token::release(thread);
    // SAFETY: the program's own call.
    let result = unsafe {
        raw::frame_interruptible(made.frame, (&raw const thread.arrivals.pending).cast())
    };
    made.check = check::scalars(made.call, made.number, &arguments);
    token::acquire(thread);
    match result {
        EINTR => again(thread, made, &arguments),
        result => result,
    }
}

/// A drafted call that was interrupted, or for which the present chunk of the log has no room.
#[cold]
#[inline(never)]
fn finish(
    thread: &mut Thread,
    frame: &mut Frame,
    call: &'static Call,
    mut result: isize,
    incoming: Option<Incoming>,
) -> isize {
    let mut made = Made::new(call, frame);
    made.check = check::arguments(thread, call, made.number, &made.arguments);
    token::acquire(thread);
    if result == EINTR {
        let arguments = made.arguments;
        result = again(thread, &mut made, &arguments);
    }
    match incoming {
        Some(incoming) => reads::write_read(thread, &made, result, incoming),
        None => write_down(thread, &made, result, Before::default(), &[]),
    }
    result
}

/// Makes the draft part of the log, with the token in hand.
#[inline(always)]
fn settle(thread: &mut Thread, draft: Draft, turn: Option<u32>) {
    let gap = turn_length(turn);
    let start = thread.log.cursor;
    // SAFETY: the room that the draft was made for is enough for a turn of any length and the draft.
    unsafe {
        if gap != draft.gap {
            core::ptr::copy(start.add(draft.gap), start.add(gap), draft.length);
        }
        let end = start.add(gap + draft.length);
        if let Some(turn) = turn {
            Head::turn(u64::from(turn)).put(start);
            // Others have run since: what the program finds there now is what counts.
            let Span { start, length } = draft.piece;
            user::copy_in(end.sub(length), start, length);
        }
        thread.commit(end);
    }
    thread.count_event();
    thread.serial.turn_changed = turn.is_some();
    if turn.is_some() {
        disarm::keep_up(thread);
    }
}

/// Length of the record of a turn.
#[inline(always)]
fn turn_length(turn: Option<u32>) -> usize {
    turn.map_or(0, |turn| Head::turn(u64::from(turn)).size())
}
