//! Phenomenon: a Rust program with the locks, channels and atomics of wayfarer-sync.
//! Nondeterministic: the order at each of them, which tries succeed, which waits run out of time.
use std::thread;
use std::time::Duration;
use wayfarer_sync::atomic::{AtomicBool, AtomicU64, Ordering};
use wayfarer_sync::mpsc::{channel, sync_channel};
use wayfarer_sync::{Arc, Barrier, Condvar, Mutex, Once, OnceLock, RwLock};

const ACCESSES: usize = 1920;

/// Who did something, in order.
#[derive(Default)]
struct History {
    sum: u64,
    length: usize,
}

impl History {
    fn add(&mut self, who: usize) {
        self.sum = (self.sum ^ (who as u64 + 1)).wrapping_mul(1_099_511_628_211);
        self.length += 1;
    }
}

#[derive(Default)]
struct Shared {
    history: Mutex<History>,
    tries: Mutex<History>,
    table: RwLock<History>,
    permits: Mutex<(u32, History, History)>,
    more: Condvar,
    once: Once,
    first: OnceLock<usize>,
    counter: AtomicU64,
    flag: AtomicBool,
}

/// A little work of a length that differs.
fn idle(state: &mut u32) {
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    for i in 0..(*state >> 8) % 3000 {
        std::hint::black_box(i);
    }
    if *state >> 27 == 0 {
        thread::yield_now();
    }
}

fn work(shared: &Shared, barrier: &Barrier, who: usize, rounds: usize) -> u64 {
    let mut seen = 0u64;
    let mut look = |value: u64| seen = (seen ^ value).wrapping_mul(1_099_511_628_211) + 1;
    let moment = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let mut state = moment.map_or(1, |now| now.subsec_nanos());
    look(u64::from(barrier.wait().is_leader()));
    shared
        .once
        .call_once(|| shared.history.lock().unwrap().add(who + 1000));
    look(*shared.first.get_or_init(|| who) as u64);
    for round in 0..rounds {
        shared.history.lock().unwrap().add(who);
        match shared.tries.try_lock() {
            Ok(mut tries) => {
                tries.add(who);
                idle(&mut state);
            }
            Err(_) => look(1),
        }
        if who % 3 == 0 {
            shared.table.write().unwrap().add(who);
        } else {
            look(shared.table.read().unwrap().sum);
        }
        if who % 2 == 0 {
            shared.permits.lock().unwrap().0 += 1;
            shared.more.notify_one();
        } else {
            let mut guard = shared.permits.lock().unwrap();
            if guard.0 == 0 {
                let waited = shared
                    .more
                    .wait_timeout(guard, Duration::from_micros(50))
                    .unwrap();
                guard = waited.0;
                if waited.1.timed_out() {
                    guard.1.add(who);
                }
            }
            if guard.0 > 0 {
                guard.0 -= 1;
                guard.2.add(who);
            }
        }
        look(shared.counter.fetch_add(1, Ordering::Relaxed));
        if round % 8 == 0 {
            look(u64::from(shared.flag.swap(who % 2 == 0, Ordering::AcqRel)));
        }
        idle(&mut state);
    }
    seen
}

fn main() {
    let threads: usize = std::env::args()
        .nth(1)
        .map_or(2, |word| word.parse().unwrap());
    let rounds = ACCESSES / threads / 4;
    let shared = Arc::new(Shared::default());
    let barrier = Arc::new(Barrier::new(threads));
    let (results, collected) = channel();
    let (tickets, tickets_taken) = sync_channel(1);
    let team: Vec<_> = (0..threads)
        .map(|who| {
            let (shared, barrier) = (Arc::clone(&shared), Arc::clone(&barrier));
            let (results, tickets) = (results.clone(), tickets.clone());
            thread::spawn(move || {
                let seen = work(&shared, &barrier, who, rounds);
                tickets.send(who).unwrap();
                results.send((who, seen)).unwrap();
            })
        })
        .collect();
    drop((results, tickets));
    let order: Vec<usize> = tickets_taken.into_iter().collect();
    for (who, seen) in collected {
        println!("{who}: {seen:016x}");
    }
    team.into_iter().for_each(|thread| thread.join().unwrap());
    println!("tickets {order:?}, first {:?}", shared.first.get());
    let show =
        |name: &str, history: &History| println!("{name}: {} {:016x}", history.length, history.sum);
    show("history", &shared.history.lock().unwrap());
    show("tries", &shared.tries.lock().unwrap());
    show("table", &shared.table.read().unwrap());
    let permits = shared.permits.lock().unwrap();
    show("late", &permits.1);
    show("in time", &permits.2);
}
