//! How the calls of a debuggee get in.
//!
//! Ways to one hook, most of them through one trampoline:
//!
//! ```text
//! patched `syscall` site ─► stub ──────────────┐
//! any other `syscall` ─► SIGSYS ─► dispatch.rs ─┴─► trampoline.rs ─► Hooks::dispatch(Frame)
//! function of libc that is a mere call ─► call.rs ─► Hooks::call(Frame)
//! vDSO function ─► stub ─► Hooks::clock_gettime, …
//! ```
//!
//! This crate knows nothing about recording. It saves and restores the machine state, keeps the
//! stack unwindable, and calls [`Hooks`]; what a call means is decided there.
//!
//! `docs/interception.md` has the recipes: what broke without each of them.
//!
//! # House rules
//!
//! This code runs inside another program's process, at any instruction of it, also in the middle of
//! its allocator, its signal handlers and its half-built threads. Therefore:
//!
//! 1. `no_std`, no allocation, no locks, no panic path: a reachable panic is a link error of the
//!    library (see `runtime-so`). No indexing or arithmetic that could panic.
//! 2. Async-signal-safe throughout: no state is half-written across a call of a hook.
//! 3. No libc: system calls only from [`raw`], [`clone`] and the trampolines. All of them lie in
//!    the library's own text, which is the range that dispatch lets pass.
//! 4. The program notices nothing: general and vector registers, flags, red zone and `errno` are
//!    as after the plain call. `rcx` and `r11` change, as the kernel changes them.
//! 5. Every instruction has correct unwind information, so that thread cancellation, exceptions
//!    and debuggers see the program's own frame right after ours.
//! 6. Nothing here decides policy: no call is filtered, delayed or changed.
#![cfg_attr(not(test), no_std)]

pub mod ablation;
pub mod arguments;
pub mod call;
pub mod clone;
pub mod dispatch;
pub mod frame;
pub mod guard;
mod hooks;
pub mod modules;
pub mod own_stack;
pub mod patch;
pub mod raw;
mod regions;
pub mod signal_frame;
mod stub;
pub mod tls;
mod trampoline;
pub mod vdso;
mod vdso_symbols;
pub mod vector;

pub use hooks::{Hooks, pass_through_by_name, set_hooks};
