//! Feeds changed expressions over changed memory to the evaluator and the printer for a number of
//! seconds, without any fuzzing machinery:
//! `cargo run --release -p wayfarer-expression --example fuzz_expression -- 60`.
//!
//! Prints `N passed, 0 failed`, or, for an input that panics, the seed that repeats it:
//! `… --example fuzz_expression -- --seed SEED`.

use std::process::ExitCode;

use wayfarer_expression::fuzz::parse_and_evaluate;
use wayfarer_test_kit::fuzz::{self, Random};

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
    let mut bytes = vec![random.number() as u8];
    for _ in 0..1 + random.below(12) {
        bytes.extend(WORDS[random.below(WORDS.len())].bytes());
        if random.below(4) == 0 {
            bytes.push(b' ');
        }
    }
    // Now and then a byte that no word has, or something very deep.
    if random.below(8) == 0 {
        let place = 1 + random.below(bytes.len());
        bytes.insert(place.min(bytes.len()), random.number() as u8);
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
            random.number() as u8
        });
    }
    bytes
}

fn run(seed: u64) {
    let mut random = Random::new(seed);
    parse_and_evaluate(&input(&mut random));
}

fn main() -> ExitCode {
    fuzz::main("fuzz_expression", run)
}
