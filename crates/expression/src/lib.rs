//! Expressions of C, C++ and Rust over a stopped program: parse, evaluate, print.
