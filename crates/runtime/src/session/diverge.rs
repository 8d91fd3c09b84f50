//! Telling the host that a replay met something that the log did not promise.

use crate::session::futex;
use crate::state::{Thread, header};
use wayfarer_runtime_abi::atomic::Ordering;
use wayfarer_runtime_abi::layout::{Divergence, MODE_REPLAY};
use wayfarer_runtime_abi::record::Record;

fn place() -> &'static Divergence {
    &header().divergence
}

/// Claims the right to report; only the first one may.
fn claim() -> bool {
    let state = &place().state;
    state
        .compare_exchange(0, 1, Ordering::AcqRel, Ordering::Relaxed)
        .is_ok()
}

/// Sets the free words of the report that is about to be made: only that gives them a meaning.
pub fn details(words: [u64; 4]) {
    if place().state.load(Ordering::Relaxed) == 0 {
        for (to, word) in place().detail.iter().zip(words) {
            to.set(word);
        }
    }
}

/// Sets the text of the report that is about to be made.
pub fn text(bytes: &[u8]) {
    if place().state.load(Ordering::Relaxed) == 0 {
        for (to, byte) in place().text.iter().zip(bytes.iter().take(127)) {
            to.set(*byte);
        }
    }
}

/// Reports a divergence, stops the session and never returns.
#[cold]
#[inline(never)]
pub fn report(
    thread: &mut Thread,
    kind: u32,
    came: i64,
    check: u8,
    arguments: &[usize; 6],
    promised: Option<&Record<'_>>,
) -> ! {
    if thread.mode == MODE_REPLAY && claim() {
        let place = place();
        place.kind.set(kind);
        place.process.set(thread.process().id.get());
        place.thread.set(thread.number);
        place.event.set(thread.log.events);
        place
            .promised_tag
            .set(promised.map_or(0, |record| u32::from(record.tag)));
        if let Some(record) = promised {
            place.promised_check.set(u32::from(record.check));
            place.promised_nr.set(record.number as i64);
            place.promised_result.set(record.value);
        }
        place.came_nr.set(came);
        place.came_check.set(u32::from(check));
        for (to, argument) in place.came_arguments.iter().zip(arguments) {
            to.set(*argument as u64);
        }
        place.state.store(2, Ordering::Release);
        header().stop.store(1, Ordering::Release);
        futex::wake(&header().stop, u32::MAX >> 1);
    }
    futex::park(thread)
}
