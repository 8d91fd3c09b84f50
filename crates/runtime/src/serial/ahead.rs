//! Replay: what the log has right after an event.

use crate::log::end as log_end;
use crate::log::reader;
use crate::serial::ends;
use crate::serial::{timers, turns};
use crate::state::Thread;
use wayfarer_runtime_abi::record::{self, Record, place};

/// Yields right after an event, and what is to be done by force. True when the next record is a handler that ran
/// before the program saw the result of a call: only a call's dispatcher can run it, and asks again after it.
pub fn after(thread: &mut Thread) -> bool {
    while let Some(next) = reader::peek(thread) {
        match next.tag {
            record::SIGNAL if next.check == place::exit(thread.signals.handlers) => return true,
            _ if is_forced(&next) => {
                if next.tag == record::YIELD {
                    ends::expect_end(thread, &next);
                }
                timers::arm_force(thread);
                return false;
            }
            record::YIELD => turns::replay_yield(thread),
            _ => return false,
        }
    }
    if log_end::was_killed_in_its_turn(thread) {
        timers::arm_force(thread);
    }
    false
}

/// What was done by force, in the middle of the program's own code: a handler, or a yield (which has a
/// place for payload then).
pub fn is_forced(record: &Record<'_>) -> bool {
    match record.tag {
        record::SIGNAL => record.check == place::FORCED,
        record::YIELD => record.length > 1,
        _ => false,
    }
}
