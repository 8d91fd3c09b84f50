//! Phenomenon: locks of wayfarer-sync that one thread of a Rust program holds while all others wait.
//! Nondeterministic: in which order the others get them, which is printed.
use std::thread;
use std::time::Duration;
use wayfarer_sync::{Arc, Barrier, Mutex, RwLock};

const HELD: Duration = Duration::from_millis(300);

fn main() {
    let team: usize = std::env::args()
        .nth(1)
        .and_then(|word| word.parse().ok())
        .unwrap_or(2);
    let order = Arc::new(Mutex::new(Vec::new()));
    let table = Arc::new(RwLock::new(0u64));
    let held = Arc::new(Barrier::new(team));
    let threads: Vec<_> = (1..team)
        .map(|who| {
            let (order, table, held) = (order.clone(), table.clone(), held.clone());
            thread::spawn(move || {
                held.wait();
                if who % 2 == 0 {
                    order.lock().unwrap().push(who);
                    0
                } else {
                    *table.read().unwrap()
                }
            })
        })
        .collect();
    let (mut first, mut second) = (order.lock().unwrap(), table.write().unwrap());
    held.wait();
    thread::sleep(HELD);
    first.push(0);
    *second += 100;
    drop((first, second));
    let seen: u64 = threads
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .sum();
    println!("{:?} {seen}", order.lock().unwrap());
}
