//! Model tests of the protocols between threads: the functions of `parallel` and `serial` themselves, run in every
//! order that the processor allows (`wayfarer-interleave`).
//!
//! `cargo test -p wayfarer-runtime --features model --lib models`. Each file says what it holds the protocol to. Miri
//! is no help here: most of what these functions touch lies at fixed addresses in a mapped file, and the calls they
//! make are the kernel's.

mod crossings;
mod order;
mod runs;
mod token;
mod world;
