//! Phenomenon: the iteration order of HashMap and HashSet, seeded at random in every process.
//! Nondeterministic: the order.
use std::collections::{HashMap, HashSet};

fn main() {
    let words = "order of things that nobody can foresee without the seed of this very run";
    let lengths: HashMap<&str, usize> = words.split(' ').map(|word| (word, word.len())).collect();
    for (word, length) in &lengths {
        print!("{word}={length} ");
    }
    let numbers: HashSet<u32> = (0..20).collect();
    println!("\n{numbers:?}");
    let handle = std::thread::spawn(|| (0..10).collect::<HashSet<u32>>());
    println!("{:?}", handle.join().expect("no panic"));
}
