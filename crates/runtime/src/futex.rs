//! Waiting on words of the session file, which several processes share.

use crate::state::{Thread, header};
use core::sync::atomic::{AtomicU32, Ordering};
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::layout::waiting;

const FUTEX: usize = 202;
const WAIT: usize = 0;
const WAKE: usize = 1;

/// Sleeps while `word` is `value`, at most `milliseconds`.
pub fn wait(word: &AtomicU32, value: u32, milliseconds: u64) {
    wait_us(word, value, milliseconds * 1000);
}

/// The same, at most `microseconds`.
pub fn wait_us(word: &AtomicU32, value: u32, microseconds: u64) {
    let timeout: [u64; 2] = [microseconds / 1_000_000, (microseconds % 1_000_000) * 1000];
    // SAFETY: the word lives in the session mapping, the timeout on this stack.
    unsafe {
        raw::syscall6(
            FUTEX,
            core::ptr::from_ref(word) as usize,
            WAIT,
            value as usize,
            (&raw const timeout) as usize,
            0,
            0,
        );
    }
}

/// Sleeps while `word` is `value`, until somebody wakes one of the same `bits`, at most `milliseconds`.
fn wait_for_bits(word: &AtomicU32, value: u32, bits: u32, milliseconds: u64) {
    const WAIT_BITSET: usize = 9;
    const CLOCK_GETTIME: usize = 228;
    const MONOTONIC: usize = 1;
    let mut until = [0u64; 2];
    // SAFETY: the word lives in the session mapping, the time, which is one of the clock here, on this stack.
    unsafe {
        let place = (&raw mut until) as usize;
        raw::syscall6(CLOCK_GETTIME, MONOTONIC, place, 0, 0, 0, 0);
        let nanoseconds = until[1] + milliseconds * 1_000_000;
        until = [
            until[0] + nanoseconds / 1_000_000_000,
            nanoseconds % 1_000_000_000,
        ];
        raw::syscall6(
            FUTEX,
            core::ptr::from_ref(word) as usize,
            WAIT_BITSET,
            value as usize,
            (&raw const until) as usize,
            0,
            bits as usize,
        );
    }
}

/// Wakes whoever sleeps for turn `turn` of a domain, and few others: each sleeps on a bit of its own.
pub fn wake_for_turn(word: &AtomicU32, turn: u32) {
    const WAKE_BITSET: usize = 10;
    let place = core::ptr::from_ref(word) as usize;
    let all = (u32::MAX >> 1) as usize;
    let bits = bits_of(waiting::TURN, u64::from(turn)) as usize;
    // SAFETY: as in `wait`.
    unsafe { raw::syscall6(FUTEX, place, WAKE_BITSET, all, 0, 0, bits) };
}

fn bits_of(kind: u32, argument: u64) -> u32 {
    match kind {
        waiting::TURN => 1 << (argument % 32),
        _ => u32::MAX,
    }
}

pub fn wake(word: &AtomicU32, how_many: u32) {
    // SAFETY: as in `wait`.
    unsafe {
        raw::syscall6(
            FUTEX,
            core::ptr::from_ref(word) as usize,
            WAKE,
            how_many as usize,
            0,
            0,
            0,
        );
    }
}

/// How often a replay looks before it sleeps; the other side usually needs a few microseconds.
const LOOKS: u32 = 300;

/// A replaying thread waits until `ready`, sleeping on `word`. Never returns once the session stops.
pub fn wait_until(
    thread: &mut Thread,
    kind: u32,
    argument: u64,
    word: &AtomicU32,
    ready: impl Fn() -> bool,
) {
    // What an event waits for comes from another process, which waits for nothing that comes behind the event:
    // the thread keeps its turn, so that nothing depends on how fast the other process is.
    if crate::solid::is_on(thread) && !thread.in_event {
        crate::solid::wait_until(thread, ready);
        return;
    }
    let mut looks = 0;
    while looks < LOOKS {
        if ready() {
            return;
        }
        core::hint::spin_loop();
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
            park(thread);
        }
        wait_for_bits(word, value, bits_of(kind, argument), 100);
    }
    slot.waiting.store(waiting::NO, Ordering::Release);
}

/// The session is over for this thread; the host ends the process.
pub fn park(thread: &mut Thread) -> ! {
    let slot = thread.slot();
    slot.waiting.store(waiting::STOPPED, Ordering::Release);
    rest()
}

/// Sleeps until the process is ended from outside.
pub fn rest() -> ! {
    let forever = AtomicU32::new(0);
    loop {
        wait(&forever, 0, 10_000);
    }
}
