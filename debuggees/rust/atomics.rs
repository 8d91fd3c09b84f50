//! Phenomenon: scoped threads that meet on atomics only, spinning and yielding.
//! Nondeterministic: who wins each compare-exchange.
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

fn main() {
    const ROUNDS: usize = 60;
    let turn = AtomicUsize::new(0);
    let winners: Vec<AtomicUsize> = (0..ROUNDS).map(|_| AtomicUsize::new(usize::MAX)).collect();
    thread::scope(|scope| {
        for number in 0..3 {
            let (turn, winners) = (&turn, &winners);
            scope.spawn(move || {
                for (round, winner) in winners.iter().enumerate() {
                    if winner.compare_exchange(usize::MAX, number, Ordering::AcqRel, Ordering::Acquire).is_ok() {
                        turn.store(round + 1, Ordering::Release);
                    }
                    while turn.load(Ordering::Acquire) <= round {
                        std::hint::spin_loop();
                    }
                    if round % 7 == number {
                        thread::yield_now();
                    }
                }
            });
        }
    });
    let order: String = winners.iter().map(|winner| winner.load(Ordering::Relaxed).to_string()).collect();
    println!("{order} {}", std::process::id());
}
