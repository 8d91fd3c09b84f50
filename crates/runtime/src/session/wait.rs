//! Waits of a replay, each in sight of the host, which notices when nothing gets on.

use crate::session::{futex, solid};
use crate::state::{Thread, header};
use wayfarer_runtime_abi::atomic::{AtomicU32, Ordering, spin_loop, tries};
use wayfarer_runtime_abi::layout::waiting;

/// How often a replay looks before it sleeps; the other side usually needs a few microseconds.
const LOOKS: u32 = tries(300);

/// A replaying thread waits until `ready`, sleeping on `word`. Never returns once the session stops.
pub fn until(
    thread: &mut Thread,
    kind: u32,
    argument: u64,
    word: &AtomicU32,
    ready: impl Fn() -> bool,
) {
    // What an event waits for comes from another process, which waits for nothing that comes after the event:
    // the thread keeps its turn, so that nothing depends on how fast the other process is.
    if solid::is_on(thread) && !thread.parallel.in_event {
        solid::wait_until(thread, ready);
        return;
    }
    let mut looks = 0;
    while looks < LOOKS {
        if ready() {
            return;
        }
        spin_loop();
        looks += 1;
    }
    let slot = thread.slot();
    slot.waiting_for.store(argument, Ordering::Relaxed);
    slot.waiting.store(kind, Ordering::Release);
    loop {
        let value = word.load(Ordering::Acquire);
        if ready() {
            break;
        }
        if header().stop.load(Ordering::Acquire) != 0 {
            futex::park(thread);
        }
        match kind {
            waiting::TURN => futex::wait_for_turn(word, value, argument, 100_000),
            _ => futex::wait(word, value, 100),
        }
    }
    slot.waiting.store(waiting::NO, Ordering::Release);
}
