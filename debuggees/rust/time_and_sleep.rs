//! Phenomenon: Instant, SystemTime, sleeping, timeouts of channels and of parked threads.
//! Nondeterministic: every duration.
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

fn main() {
    let start = Instant::now();
    println!("{:?}", SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970"));
    thread::sleep(Duration::from_micros(500));
    println!("slept {:?}", start.elapsed());
    let (sender, receiver) = mpsc::channel::<u32>();
    let thread = thread::spawn(move || {
        thread::park_timeout(Duration::from_millis(1));
        sender.send(7).expect("the receiver lives");
        Instant::now()
    });
    let mut timeouts = 0;
    let value = loop {
        match receiver.recv_timeout(Duration::from_micros(100)) {
            Ok(value) => break value,
            Err(_) => timeouts += 1,
        }
    };
    let sent = thread.join().expect("no panic");
    println!("{value} after {timeouts} timeouts, {:?}", sent - start);
}
