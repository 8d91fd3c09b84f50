//! Any bytes as the files of a trace: the reader must answer, not crash.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| wayfarer_trace::fuzz::read_input(input));
