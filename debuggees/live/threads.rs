//! A thread of Rust with its own values, thread-locals and statics.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

static CALLS: AtomicU32 = AtomicU32::new(5);
static STEP: AtomicU32 = AtomicU32::new(0);
static LIMIT: u32 = 50;

thread_local! {
    static OWN: Cell<i32> = const { Cell::new(3) };
}

#[inline(never)]
fn work(number: i32, factor: u32) -> u32 {
    OWN.with(|own| own.set(own.get() + number));
    let calls = CALLS.fetch_add(1, Ordering::SeqCst);
    let scaled = calls * factor;
    stop_here(number);
    scaled.min(LIMIT)
}

fn main() {
    let result = {
        let handle = thread::spawn(move || {
            let inside = work(20, 2);
            STEP.store(1, Ordering::SeqCst);
            wait_for(2);
            inside + 1
        });
        // The thread waits: its handle and what it points to stand still.
        wait_for(1);
        stop_here(25);
        STEP.store(2, Ordering::SeqCst);
        handle.join().unwrap_or(0)
    };
    let here = work(30, 3);
    stop_here((result + here) as i32);
}

fn wait_for(step: u32) {
    while STEP.load(Ordering::SeqCst) != step {
        thread::yield_now();
    }
}

#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn stop_here(number: i32) {
    std::hint::black_box(number);
}
