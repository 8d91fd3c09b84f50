//! Waiting on words of the session file, which several processes share.

use crate::session::clocks;
use crate::state::Thread;
use wayfarer_calls::Number;
use wayfarer_entrance::arguments::Address;
use wayfarer_entrance::raw;
use wayfarer_runtime_abi::atomic::{AtomicU32, Ordering};
use wayfarer_runtime_abi::layout::waiting;

const WAIT: usize = 0;
const WAKE: usize = 1;
const WAIT_BITSET: usize = 9;
const WAKE_BITSET: usize = 10;

/// Sleeps while `word` is `value`, at most `milliseconds`.
pub fn wait(word: &AtomicU32, value: u32, milliseconds: u64) {
    wait_us(word, value, milliseconds * 1000);
}

/// The same, at most `microseconds`.
pub fn wait_us(word: &AtomicU32, value: u32, microseconds: u64) {
    let timeout: [u64; 2] = [microseconds / 1_000_000, (microseconds % 1_000_000) * 1000];
    futex(word, WAIT, value, Some(&timeout), 0);
}

/// Sleeps while `word` is `value`, until one of these bits is woken, at most `microseconds`.
pub fn wait_bits(word: &AtomicU32, value: u32, bits: u32, microseconds: u32) {
    let until = clocks::time().wrapping_add(u64::from(microseconds) * 1000);
    let until = [until / 1_000_000_000, until % 1_000_000_000];
    futex(word, WAIT_BITSET, value, Some(&until), bits);
}

/// Sleeps while `word` is `value`, until the thread with turn `turn` is woken, at most `microseconds`.
pub fn wait_for_turn(word: &AtomicU32, value: u32, turn: u64, microseconds: u32) {
    wait_bits(word, value, bit_of(turn), microseconds);
}

/// Wakes all that sleep on one of these bits.
pub fn wake_bits(word: &AtomicU32, bits: u32) {
    futex(word, WAKE_BITSET, u32::MAX >> 1, None, bits);
}

/// Wakes the thread that sleeps for turn `turn` of a domain, and few others: each sleeps on a bit of its own.
pub fn wake_for_turn(word: &AtomicU32, turn: u32) {
    wake_bits(word, bit_of(u64::from(turn)));
}

fn bit_of(turn: u64) -> u32 {
    1 << (turn % 32)
}

pub fn wake(word: &AtomicU32, how_many: u32) {
    futex(word, WAKE, how_many, None, 0);
}

/// Wakes those that sleep on a word of the program's, which need not be there any more.
pub fn wake_at(address: Address, how_many: u32) {
    // SAFETY: the kernel judges the address, and looks for sleepers only.
    unsafe {
        raw::syscall6(
            Number::FUTEX,
            address.number(),
            WAKE,
            how_many as usize,
            0,
            0,
            0,
        )
    };
}

fn futex(word: &AtomicU32, operation: usize, value: u32, time: Option<&[u64; 2]>, bits: u32) {
    let word = core::ptr::from_ref(word) as usize;
    let time = time.map_or(0, |time| core::ptr::from_ref(time) as usize);
    // SAFETY: the word and the time live until the call is over.
    unsafe {
        raw::syscall6(
            Number::FUTEX,
            word,
            operation,
            value as usize,
            time,
            0,
            bits as usize,
        )
    };
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
