//! A function of libc that only makes a system call, called by its name: straight to the hook.
//!
//! Such a call goes the way of `trampoline` without what a function's caller does not rely on: vector
//! registers, flags, the registers that a callee may change. It also spares libc's own part, which switches
//! cancellation on and off. The program's stack holds the same frame, so that a handler sees the registers of the
//! call and a replay leaves the same bytes behind.

use core::arch::{asm, global_asm};
use wayfarer_runtime_abi::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::frame::Frame;
use crate::hooks::{HOOKS, Hooks};
use crate::own_stack::{give_own_stack, take_own_stack};

/// Whether the functions come here. Else they are libc's: outside a session, and where threads may be cancelled,
/// which libc does within its own calls.
pub static ARE_DIRECT: AtomicBool = AtomicBool::new(false);
/// Where `errno` lies, from the base of a thread's FS segment.
static ERRNO: AtomicUsize = AtomicUsize::new(0);

/// From now on the functions come here; `errno_offset` is the place of `errno` from the base of the FS segment.
pub fn switch_on(errno_offset: usize) {
    ERRNO.store(errno_offset, Ordering::Relaxed);
    ARE_DIRECT.store(true, Ordering::Relaxed);
}

/// From now on libc's own functions make the calls.
pub fn switch_off() {
    ARE_DIRECT.store(false, Ordering::Relaxed);
}

unsafe extern "C" {
    /// Where the functions jump to, with the number of their system call in `eax` and its arguments in the registers of
    /// a function call.
    pub fn wayfarer_call();
}

/// Goes back to the program from the hook of a call by name.
///
/// # Safety
/// With the frame that the hook got, and nothing left to be done in it.
#[inline(always)]
pub unsafe fn leave(frame: *mut Frame) -> ! {
    // SAFETY: the way out takes everything from the frame.
    unsafe {
        asm!("mov rbx, {frame}", "jmp wayfarer_call_leave", frame = in(reg) frame, options(noreturn));
    }
}

// Entry: a function call of the program, `eax` the number of the system call. Frame and stack pointer are laid out as
// the trampoline does it; what is pushed for `rip` and `resume` is the function's own end, where its return address lies
// at the stack pointer.
global_asm!(
    ".pushsection .text.wayfarer_call,\"ax\",@progbits",
    ".globl wayfarer_call, wayfarer_call_leave",
    ".hidden wayfarer_call, wayfarer_call_leave",
    ".type wayfarer_call,@function",
    ".p2align 6",
    "wayfarer_call:",
    ".cfi_startproc",
    "mov r10, rcx",
    "lea rcx, [rip + 2f]",
    "lea rsp, [rsp - 128]",
    ".cfi_adjust_cfa_offset 128",
    "push rcx",
    "push rcx",
    "push 0x202",
    "push rax",
    "push rcx",
    "push rdx",
    ".cfi_adjust_cfa_offset 48",
    "push rbx",
    ".cfi_adjust_cfa_offset 8",
    ".cfi_rel_offset rbx, 0",
    "push rbp",
    ".cfi_adjust_cfa_offset 8",
    ".cfi_rel_offset rbp, 0",
    "push rsi",
    "push rdi",
    "push r8",
    "push r9",
    "push r10",
    "push rcx",
    ".cfi_adjust_cfa_offset 48",
    "push r12",
    ".cfi_adjust_cfa_offset 8",
    ".cfi_rel_offset r12, 0",
    "push r13",
    ".cfi_adjust_cfa_offset 8",
    ".cfi_rel_offset r13, 0",
    "push r14",
    ".cfi_adjust_cfa_offset 8",
    ".cfi_rel_offset r14, 0",
    "push r15",
    ".cfi_adjust_cfa_offset 8",
    ".cfi_rel_offset r15, 0",
    "lea rsp, [rsp - 256]",
    ".cfi_adjust_cfa_offset 256",
    "mov rdi, rsp",
    "mov rbx, rsp",
    ".cfi_def_cfa_register rbx",
    "and rsp, -16",
    take_own_stack!("rbx"),
    "mov [rbx + {r11}], r12",
    // A return across the kernel is one that the processor does not foresee, so the hook comes back by a jump, and is
    // gone to by one: calls and returns stay paired. Unwinders find where it belongs.
    "lea rax, [rip + 4f]",
    "push rax",
    "jmp qword ptr [rip + {hooks} + {call}]",
    "nop",
    "4:",
    "nop",
    "wayfarer_call_leave:",
    "mov r13, qword ptr [rip + wayfarer_thread@GOTTPOFF]",
    "mov r13, qword ptr fs:[r13]",
    "mov r12, [rbx + {r11}]",
    give_own_stack!(),
    "lea rsp, [rbx + 256]",
    ".cfi_def_cfa rsp, 280",
    "pop r15",
    ".cfi_adjust_cfa_offset -8",
    ".cfi_restore r15",
    "pop r14",
    ".cfi_adjust_cfa_offset -8",
    ".cfi_restore r14",
    "pop r13",
    ".cfi_adjust_cfa_offset -8",
    ".cfi_restore r13",
    "pop r12",
    ".cfi_adjust_cfa_offset -8",
    ".cfi_restore r12",
    "lea rsp, [rsp + 48]",
    ".cfi_adjust_cfa_offset -48",
    "pop rbp",
    ".cfi_adjust_cfa_offset -8",
    ".cfi_restore rbp",
    "pop rbx",
    ".cfi_adjust_cfa_offset -8",
    ".cfi_restore rbx",
    "mov rax, [rsp + {rax} - {rdx}]",
    "mov rcx, [rsp + {resume} - {rdx}]",
    "lea rsp, [rsp + {size} - {rdx} + 128]",
    ".cfi_def_cfa rsp, 8",
    "jmp rcx",
    "2:",
    "cmp rax, -4095",
    "jae 3f",
    "ret",
    "3:",
    "neg eax",
    "mov rcx, [rip + {errno}]",
    "mov fs:[rcx], eax",
    "mov rax, -1",
    "ret",
    ".cfi_endproc",
    ".size wayfarer_call, . - wayfarer_call",
    ".popsection",
    hooks = sym HOOKS,
    call = const core::mem::offset_of!(Hooks, call),
    r11 = const core::mem::offset_of!(Frame, r11),
    errno = sym ERRNO,
    rax = const core::mem::offset_of!(Frame, rax),
    rdx = const core::mem::offset_of!(Frame, rdx),
    resume = const core::mem::offset_of!(Frame, resume),
    size = const core::mem::size_of::<Frame>(),
);
