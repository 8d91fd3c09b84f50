//! What replays of calls are made of: answering a call from the log, and comparing it with what the log promises.

use crate::calls::bytes;
use crate::calls::check;
use crate::calls::descriptors;
use crate::calls::outputs::{self, Before};
use crate::calls::record::Made;
use crate::log::end as log_end;
use crate::log::reader;
use crate::memory::user;
use crate::parallel::events;
use crate::parallel::library;
use crate::serial::ahead;
use crate::serial::turns;
use crate::session::diverge;
use crate::session::held;
use crate::signals::delivery;
use crate::state::Thread;
use crate::state::order;
use wayfarer_calls::Call;
use wayfarer_entrance::arguments::Arguments;
use wayfarer_entrance::frame::Frame;
use wayfarer_runtime_abi::layout::divergence;
use wayfarer_runtime_abi::record::{self, Record, place};

/// Everything in the log that comes before the next call: turns, and handlers that ran.
pub fn settle(thread: &mut Thread, mut frame: Option<&mut Frame>) {
    held::before_event(thread);
    while let Some(next) = reader::peek(thread) {
        match next.tag {
            record::TURN => {
                reader::advance(thread, next.length);
                turns::await_turn(thread, next.number as u32);
            }
            record::YIELD => turns::replay_yield(thread),
            record::SIGNAL if place::kind(next.check) != place::EXIT => {
                match frame.as_deref_mut() {
                    Some(frame) => delivery::replay_at(thread, frame),
                    None => delivery::replay_nowhere(thread),
                }
            }
            _ if library::let_others_in(thread) => {}
            _ => return,
        }
    }
}

/// What the log has right after a call: handlers before the program saw the result, yields.
pub fn after_call(thread: &mut Thread, frame: &mut Frame) {
    while ahead::after(thread) {
        delivery::replay_at(thread, frame);
    }
}

/// The record of the call that the program makes now; not yet consumed.
pub fn expect(thread: &mut Thread, made: &mut Made, tag: u8) -> Record<'static> {
    settle(thread, Some(made.frame));
    if thread.sync != order::OFF {
        events::begin_event(thread);
    }
    let Some(next) = reader::peek(thread) else {
        log_end::reached(thread)
    };
    let fits = next.tag == tag
        || matches!(next.tag, record::SEND | record::RECEIVE | record::OUTPUT)
            && tag == record::SYSCALL;
    if !fits || next.number != made.number.word() {
        let check = check::arguments(thread, made.call, made.number, &made.arguments);
        diverge::report(
            thread,
            divergence::OTHER_CALL,
            made.number.word() as i64,
            check,
            &made.arguments,
            Some(&next),
        );
    }
    next
}

/// Compares the check byte of a call with the promised one.
#[inline]
pub fn compare(thread: &mut Thread, made: &Made, check: u8, promised: &Record<'_>) {
    if check != promised.check {
        diverge::report(
            thread,
            divergence::OTHER_ARGUMENTS,
            made.number.word() as i64,
            check,
            &made.arguments,
            Some(promised),
        );
    }
}

/// A call that is answered from the log.
pub fn emulate(thread: &mut Thread, made: &mut Made, call: &Call) -> isize {
    let check = check::arguments(thread, made.call, made.number, &made.arguments);
    let next = expect(thread, made, record::SYSCALL);
    compare(thread, made, check, &next);
    reader::advance(thread, next.length);
    thread.count_event();
    let result = next.value as isize;
    let before = outputs::before(call, &made.arguments);
    if next.tag == record::RECEIVE {
        let entry = thread.process().entry(made.arguments[0]);
        bytes::receive(thread, made, entry, result);
    } else {
        pour(call, &made.arguments, result, before, next.payload);
    }
    if made.call.descriptors {
        descriptors::follow_descriptors(thread, made.number, &made.arguments, result);
    }
    result
}

/// Copies a payload to where the call wrote it; returns how much of it was used.
pub fn pour(
    call: &Call,
    arguments: &Arguments,
    result: isize,
    before: Before,
    payload: &[u8],
) -> usize {
    let mut used = 0;
    outputs::walk(call, arguments, result, before, &mut |pointer, piece| {
        let length = piece.min(payload.len() - used);
        // Another thread may have taken the memory away before this one had its turn: then it is not seen.
        if let Some(bytes) = payload.get(used..used + length) {
            // SAFETY: the call that is answered asked for them.
            unsafe { user::copy_out(pointer, bytes) };
        }
        used += length;
    });
    used
}

/// The result after a record that was written before its call, if it was not the expected one.
pub fn take_result(thread: &mut Thread) -> Option<i64> {
    let next = reader::peek(thread)?;
    if next.tag != record::RESULT {
        return None;
    }
    reader::advance(thread, next.length);
    Some(next.value)
}

pub fn other_output(thread: &mut Thread, made: &Made, check: u8, promised: &Record<'_>) -> ! {
    diverge::report(
        thread,
        divergence::OTHER_OUTPUT,
        made.number.word() as i64,
        check,
        &made.arguments,
        Some(promised),
    )
}
