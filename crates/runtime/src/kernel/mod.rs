//! What we ask of the kernel for ourselves, whatever the program does: actions and masks of signals.

pub mod action;
pub mod mask;
