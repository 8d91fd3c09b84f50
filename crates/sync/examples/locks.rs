//! Prints what an uncontended pair of lock and unlock costs, in nanoseconds: std's mutex, then ours.
//!
//! Batches of the two alternate, so that a slow spell of the machine hits both; medians are printed.

use std::hint::black_box;
use std::time::Instant;

const BATCHES: usize = 41;
const PAIRS: u32 = 200_000;

/// Nanoseconds per call of `pair`.
fn batch(pair: impl Fn()) -> f64 {
    let began = Instant::now();
    for _ in 0..PAIRS {
        pair();
    }
    began.elapsed().as_secs_f64() * 1e9 / f64::from(PAIRS)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let theirs = std::sync::Mutex::new(0u64);
    let ours = wayfarer_sync::Mutex::new(0u64);
    let lock_theirs = || {
        if let Ok(mut guard) = black_box(&theirs).lock() {
            *guard += 1;
        }
    };
    let lock_ours = || {
        if let Ok(mut guard) = black_box(&ours).lock() {
            *guard += 1;
        }
    };
    batch(lock_theirs);
    batch(lock_ours);
    let pairs = (0..BATCHES).map(|_| (batch(lock_theirs), batch(lock_ours)));
    let (of_std, of_ours) = pairs.unzip();
    println!("{:.2} {:.2}", median(of_std), median(of_ours));
}
