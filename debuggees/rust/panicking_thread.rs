//! Phenomenon: a thread panics, the panic is caught by join; a poisoned lock; the exit code of main.
//! Nondeterministic: which of the threads panics, by a random seed.
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::thread;

fn main() -> ExitCode {
    let chosen = RandomState::new().build_hasher().finish() % 4;
    let shared = Arc::new(Mutex::new(0u64));
    let threads: Vec<_> = (0..4)
        .map(|number| {
            let shared = Arc::clone(&shared);
            thread::Builder::new()
                .name(format!("worker-{number}"))
                .spawn(move || {
                    let mut value = match shared.lock() {
                        Ok(value) => value,
                        Err(poisoned) => poisoned.into_inner(),
                    };
                    assert!(number != chosen, "worker {number} gives up in {}", std::process::id());
                    *value += number;
                })
                .expect("a thread can be made")
        })
        .collect();
    for (number, thread) in threads.into_iter().enumerate() {
        println!("worker {number}: {}", if thread.join().is_ok() { "fine" } else { "panicked" });
    }
    println!("poisoned: {} in {}", shared.is_poisoned(), std::process::id());
    ExitCode::from(chosen as u8)
}
