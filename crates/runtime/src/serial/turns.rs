//! Serial mode in a replay: turns are counted through, and a thread whose next record is a `TURN` lets the others go first.

use crate::log::end as log_end;
use crate::log::reader;
use crate::serial::ends;
use crate::session::domain::{of, pass};
use crate::session::wait;
use crate::state::Thread;
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::layout::waiting;
use wayfarer_runtime_abi::record;

/// Replay: the `TURN` that a thread wrote as it entered a domain.
pub fn first_turn(thread: &mut Thread) {
    if let Some(next) = reader::peek(thread)
        && next.tag == record::TURN
    {
        reader::consume(thread);
        await_turn(thread, next.number as u32);
    }
}

/// Replay: the next record is a `TURN`: the others first.
pub fn await_turn(thread: &mut Thread, turn: u32) {
    pass(thread);
    let process = thread.process();
    loop {
        let (shared, token) = (process.threads.shared_domain.get(), of(process));
        // Another thread may change it.
        let is_current = || core::ptr::eq(token, process.token.get());
        wait::until(thread, waiting::TURN, u64::from(turn), &token.turn, || {
            let now = token.turn.load(Ordering::Acquire);
            now == turn || (shared && turn == 1 && now == 0) || !is_current()
        });
        if is_current() {
            break;
        }
    }
    thread.serial.turn = turn;
    thread.serial.holds_token = true;
}

/// Replay: the next record is a `YIELD`: the turn is given away at this very place.
pub fn replay_yield(thread: &mut Thread) {
    ends::ended(thread);
    reader::consume(thread);
    match reader::peek(thread) {
        Some(next) if next.tag == record::TURN => {
            reader::consume(thread);
            await_turn(thread, next.number as u32);
        }
        Some(_) => {}
        // It never got its turn back.
        None => log_end::reached(thread),
    }
}
