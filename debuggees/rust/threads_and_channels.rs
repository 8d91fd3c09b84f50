//! Phenomenon: std threads, mpsc channels, Mutex, Condvar, Barrier.
//! Nondeterministic: the order in which messages of four producers arrive.
use std::sync::{Arc, Barrier, Mutex, mpsc};
use std::thread;

fn main() {
    let (sender, receiver) = mpsc::channel();
    let log = Arc::new(Mutex::new(Vec::new()));
    let barrier = Arc::new(Barrier::new(4));
    let threads: Vec<_> = (0..4)
        .map(|number| {
            let (sender, log, barrier) = (sender.clone(), Arc::clone(&log), Arc::clone(&barrier));
            thread::spawn(move || {
                let leader = barrier.wait().is_leader();
                for step in 0..25 {
                    sender.send((number, step)).expect("the receiver lives");
                    log.lock().expect("not poisoned").push(number);
                    if step % 6 == 0 {
                        thread::yield_now();
                    }
                }
                leader
            })
        })
        .collect();
    drop(sender);
    let arrivals: Vec<String> = receiver.iter().map(|(number, step)| format!("{number}.{step}")).collect();
    println!("{}", arrivals.join(" "));
    let leaders: Vec<bool> = threads.into_iter().map(|thread| thread.join().expect("no panic")).collect();
    println!("{leaders:?} {:?}", log.lock().expect("not poisoned"));
    println!("{}", std::process::id());
}
