//! The call of a handler of the program, as stack and unwinders see it.

use wayfarer_entrance::signal_frame::{SigContext, UContext};

unsafe extern "C" {
    /// Calls a handler of the program on `stack`, or where we are if that is 0.
    pub fn call_handler(
        handler: usize,
        signal: usize,
        information: usize,
        context: usize,
        stack: usize,
    );
}

// To an unwinder that comes from the handler, the call of it is the frame of a signal: the registers below it are those in
// the context (`rbx`), as with the kernel's. So backtraces have none of our own functions in them, which are others in a
// recording than in its replay.
core::arch::global_asm!(
    ".pushsection .text.call_handler,\"ax\",@progbits",
    ".globl call_handler",
    ".hidden call_handler",
    ".type call_handler,@function",
    "call_handler:",
    ".cfi_startproc",
    "push rbp",
    ".cfi_adjust_cfa_offset 8",
    ".cfi_rel_offset rbp, 0",
    "mov rbp, rsp",
    ".cfi_def_cfa_register rbp",
    "push rbx",
    ".cfi_offset rbx, -24",
    "mov rbx, rcx",
    "test r8, r8",
    "jz 2f",
    "mov rsp, r8",
    "2:",
    "and rsp, -16",
    "mov rax, rdi",
    "mov rdi, rsi",
    "mov rsi, rdx",
    "mov rdx, rcx",
    ".cfi_endproc",
    ".cfi_startproc",
    ".cfi_signal_frame",
    // The stack pointer is what stands at rbx + 160; the others stand, by their numbers, at rbx + so many bytes.
    ".cfi_escape 0x0f, 4, 0x73, 0xa0, 0x01, 0x06",
    ".cfi_escape 0x10, 16, 3, 0x73, 0xa8, 0x01",
    ".cfi_escape 0x10, 3, 3, 0x73, 0x80, 0x01",
    ".cfi_escape 0x10, 6, 3, 0x73, 0xf8, 0x00",
    ".cfi_escape 0x10, 12, 3, 0x73, 0xc8, 0x00",
    ".cfi_escape 0x10, 13, 3, 0x73, 0xd0, 0x00",
    ".cfi_escape 0x10, 14, 3, 0x73, 0xd8, 0x00",
    ".cfi_escape 0x10, 15, 3, 0x73, 0xe0, 0x00",
    "call rax",
    "nop",
    ".cfi_endproc",
    ".cfi_startproc",
    ".cfi_def_cfa rbp, 16",
    ".cfi_offset rbp, -16",
    ".cfi_offset rbx, -24",
    "mov rbx, [rbp - 8]",
    "mov rsp, rbp",
    "pop rbp",
    ".cfi_def_cfa rsp, 8",
    "ret",
    ".cfi_endproc",
    ".size call_handler, . - call_handler",
    ".popsection",
);

const _: () = {
    use core::mem::offset_of;
    let registers = offset_of!(UContext, registers);
    assert!(registers + offset_of!(SigContext, rsp) == 160);
    assert!(registers + offset_of!(SigContext, rip) == 168);
    assert!(registers + offset_of!(SigContext, rbx) == 128);
    assert!(registers + offset_of!(SigContext, rbp) == 120);
    assert!(registers + offset_of!(SigContext, r12) == 72);
    assert!(registers + offset_of!(SigContext, r15) == 96);
};
