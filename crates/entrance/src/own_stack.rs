//! Our own code runs on a stack of our own, where the thread has one that is free.
//!
//! Of the program's stack it takes a frame of 400 bytes, which holds the same in both modes.
//! Language runtimes call the kernel on stacks of a few kilobytes, and programs read stack that
//! they never wrote: PostgreSQL's log has uninitialised padding in it, which a replay must
//! reproduce. While a handler of the program runs inside our code, and for good if it jumps away,
//! the stack counts as taken, and everything happens on the program's.

use core::arch::global_asm;

use crate::hooks::{HOOKS, Hooks};

/// What the thread-local pointer leads to begins with this.
#[repr(C)]
pub struct OwnStack {
    /// Its top while it is free, else 0.
    pub top: usize,
    /// Lowest address that the program uses of its stack, of the call that has taken ours.
    pub program: usize,
}

/// Switches to our own stack if that is free. `r12` and `r13` must be saved; `r12` becomes its top, or 0, and
/// `r13` where that is kept. The argument is the register that holds the program's stack pointer.
macro_rules! take_own_stack {
    ($program:literal) => {
        concat!(
            "mov r13, qword ptr [rip + wayfarer_thread@GOTTPOFF]
            mov r13, qword ptr fs:[r13]
            xor r12d, r12d
            test r13, r13
            jz 7f
            mov r12, [r13]
            test r12, r12
            jz 7f
            mov qword ptr [r13], 0
            mov [r13 + 8], ",
            $program,
            "
            mov rsp, r12
            7:"
        )
    };
}

/// Gives our own stack free again; the stack pointer stays.
macro_rules! give_own_stack {
    () => {
        "test r12, r12
        jz 8f
        mov [r13], r12
        8:"
    };
}

pub(crate) use {give_own_stack, take_own_stack};

const _: () = assert!(core::mem::offset_of!(OwnStack, top) == 0);
const _: () = assert!(core::mem::offset_of!(OwnStack, program) == 8);

/// A function that calls one of the hooks on our own stack.
macro_rules! entry {
    ($name:ident, $hook:ident) => {
        unsafe extern "C" {
            pub(crate) fn $name();
        }
        global_asm!(
            concat!(".pushsection .text.", stringify!($name), ",\"ax\",@progbits"),
            concat!(".globl ", stringify!($name)),
            concat!(".hidden ", stringify!($name)),
            concat!(".type ", stringify!($name), ",@function"),
            ".p2align 4",
            concat!(stringify!($name), ":"),
            ".cfi_startproc",
            "push rbp",
            ".cfi_def_cfa_offset 16",
            ".cfi_offset rbp, -16",
            "mov rbp, rsp",
            ".cfi_def_cfa_register rbp",
            "push r12",
            ".cfi_offset r12, -24",
            "push r13",
            ".cfi_offset r13, -32",
            take_own_stack!("rsp"),
            "and rsp, -16",
            "call qword ptr [rip + {hooks} + {hook}]",
            give_own_stack!(),
            "lea rsp, [rbp - 16]",
            "pop r13",
            "pop r12",
            "pop rbp",
            ".cfi_def_cfa rsp, 8",
            "ret",
            ".cfi_endproc",
            concat!(".size ", stringify!($name), ", . - ", stringify!($name)),
            ".popsection",
            hooks = sym HOOKS,
            hook = const core::mem::offset_of!(Hooks, $hook),
        );
    };
}

entry!(wayfarer_clock_gettime, clock_gettime);
entry!(wayfarer_gettimeofday, gettimeofday);
entry!(wayfarer_time, time);
entry!(wayfarer_getcpu, getcpu);
entry!(wayfarer_clock_getres, clock_getres);
