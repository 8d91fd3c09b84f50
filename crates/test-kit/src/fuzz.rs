//! What the fuzzers are made of: numbers that a seed tells wholly, and a loop that names the seed of a failure.

use std::panic::{self, RefUnwindSafe};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// A small generator of numbers (xorshift), so that a seed says everything.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed | 1 << 63)
    }

    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.number() % limit.max(1) as u64) as usize
    }

    /// Bytes that tend to hurt: extremes, small numbers, anything.
    pub fn byte(&mut self) -> u8 {
        match self.below(4) {
            0 => [0, 1, 0x7f, 0x80, 0xff][self.below(5)],
            1 => self.below(16) as u8,
            _ => self.number() as u8,
        }
    }

    pub fn bytes(&mut self, most: usize) -> Vec<u8> {
        (0..self.below(most + 1)).map(|_| self.byte()).collect()
    }
}

/// An input that takes longer than this is named.
const SLOW: Duration = Duration::from_secs(1);

/// The whole of a fuzzer's `main`: `NAME SECONDS [FIRST-SEED]` tries one seed after the other, `NAME --seed SEED`
/// repeats one. Prints `N passed, 0 failed`, or the seed whose input panicked.
pub fn main(name: &str, run: impl Fn(u64) + RefUnwindSafe) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| {
        arguments
            .get(index)
            .and_then(|text| text.parse::<u64>().ok())
    };
    if arguments.first().is_some_and(|first| first == "--seed") {
        run(number(1).unwrap_or(0));
        println!("1 passed, 0 failed");
        return ExitCode::SUCCESS;
    }
    let Some(seconds) = number(0) else {
        eprintln!("usage: {name} SECONDS [FIRST-SEED] | {name} --seed SEED");
        return ExitCode::from(2);
    };
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut seed = number(1).unwrap_or_else(|| u64::from(std::process::id()) << 32);
    let mut passed = 0u64;
    while Instant::now() < end {
        let start = Instant::now();
        if panic::catch_unwind(|| run(seed)).is_err() {
            eprintln!("an input made it panic; repeat it with: {name} --seed {seed}");
            println!("{passed} passed, 1 failed");
            return ExitCode::FAILURE;
        }
        if start.elapsed() > SLOW {
            eprintln!("seed {seed} took {:?}", start.elapsed());
        }
        passed += 1;
        seed = seed.wrapping_add(1);
    }
    println!("{passed} passed, 0 failed");
    ExitCode::SUCCESS
}
