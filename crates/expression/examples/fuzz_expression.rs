//! Feeds changed expressions over changed memory to the evaluator and the printer for a number of
//! seconds, without any fuzzing machinery:
//! `cargo run --release -p wayfarer-expression --example fuzz_expression -- 60`.
//!
//! Prints `N passed, 0 failed`, or, for an input that panics, the seed that repeats it:
//! `… --example fuzz_expression -- --seed SEED`.

use std::panic;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use wayfarer_expression::fuzz::parse_and_evaluate;

/// A small generator of numbers (xorshift), so that a seed says everything.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// Pieces of which expressions are put together.
const WORDS: &[&str] = &[
    "i",
    "c",
    "d",
    "p",
    "pp",
    "s",
    "a",
    "t",
    "m",
    "u",
    "h",
    "w",
    "l",
    "z",
    "x",
    "T",
    "0",
    "1",
    "-1",
    "255",
    "4294967296",
    "0x7fffffffffffffff",
    "340282366920938463463374607431768211455",
    "1.5",
    "1e308",
    "1e-308f",
    "'a'",
    "'\\n'",
    "\"text\"",
    "b'x'",
    "true",
    "+",
    "-",
    "*",
    "/",
    "%",
    "<<",
    ">>",
    "&",
    "|",
    "^",
    "~",
    "!",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "&&",
    "||",
    "?",
    ":",
    ",",
    "=",
    "+=",
    "<<=",
    "++",
    "--",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ".",
    "->",
    "..",
    "..=",
    "@",
    "::",
    "sizeof",
    "(int)",
    "(char *)",
    "(T)",
    "(unsigned long)",
    "(long double)",
    "(float)",
    " as u8",
    " as i128",
    " as f32",
    "struct ",
    "int",
    "char",
    "unsigned",
    "$",
    "$$",
    "$1",
    "$rip",
    "$x",
    "&mut ",
    "f(",
    "static_cast<int>(",
    "'file.c'::",
    "a[1]",
    "*p",
    "&i",
    "t[0..3]",
    "a@2",
    "(int(*)[3])",
    "0b101",
    "077",
    "1u8",
    "99999999999999999999",
    "µ",
    "\\",
    "#",
    ";",
    "alignof(T)",
    "typeof(i)",
];

fn input(random: &mut Random) -> Vec<u8> {
    let mut bytes = vec![random.next() as u8];
    for _ in 0..1 + random.below(12) {
        bytes.extend(WORDS[random.below(WORDS.len())].bytes());
        if random.below(4) == 0 {
            bytes.push(b' ');
        }
    }
    // Now and then a byte that no word has, or something very deep.
    if random.below(8) == 0 {
        let place = 1 + random.below(bytes.len());
        bytes.insert(place.min(bytes.len()), random.next() as u8);
    }
    if random.below(64) == 0 {
        let word = WORDS[random.below(WORDS.len())].repeat(500);
        bytes.extend(word.bytes());
    }
    bytes.push(0);
    for _ in 0..random.below(96) {
        bytes.push(if random.below(3) == 0 {
            [0, 0x10, 0xff, 0x7f][random.below(4)]
        } else {
            random.next() as u8
        });
    }
    bytes
}

fn run(seed: u64) {
    let mut random = Random(seed | 1 << 63);
    parse_and_evaluate(&input(&mut random));
}

fn main() -> ExitCode {
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
        eprintln!("usage: fuzz_expression SECONDS [FIRST-SEED] | fuzz_expression --seed SEED");
        return ExitCode::from(2);
    };
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut seed = number(1).unwrap_or_else(|| u64::from(std::process::id()) << 32);
    let (mut passed, mut failed) = (0u64, 0u64);
    while Instant::now() < end && failed == 0 {
        match panic::catch_unwind(|| run(seed)) {
            Ok(()) => passed += 1,
            Err(_) => {
                failed += 1;
                eprintln!("the evaluator panicked; repeat it with: fuzz_expression --seed {seed}");
            }
        }
        seed = seed.wrapping_add(1);
    }
    println!("{passed} passed, {failed} failed");
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
