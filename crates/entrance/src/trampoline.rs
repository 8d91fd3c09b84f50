//! The way from the program's `syscall` to the hook and back.
//!
//! Entry: all registers as at the `syscall` instruction, except `rcx` = address after it (reported
//! to unwinders) and `r11` = address to go on at. The kernel would change both anyway, which makes
//! them free for this. The stack pointer is the program's.
//!
//! Exit is a jump and not a return: a return without its call would make the processor mispredict
//! all returns of the callers.
//!
//! The unwind information says at each instruction that the program's frame comes right after ours:
//! the canonical frame address is the program's stack pointer.

use core::arch::global_asm;

use crate::frame::Frame;
use crate::hooks::{HOOKS, Hooks};
use crate::own_stack::{give_own_stack, take_own_stack};
use crate::signal_frame::{SIGSTKFLT, SIGSYS, UContext, bit};
use crate::{clone, dispatch, hooks};
use wayfarer_calls::Number;

/// Pushes a [`Frame`]; `rcx` is `rip`, `r11` is `resume`. Expects CFA = rsp.
macro_rules! save_frame {
    () => {
        "lea rsp, [rsp - 128]
        .cfi_adjust_cfa_offset 128
        push rcx
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset rip, 0
        push r11
        .cfi_adjust_cfa_offset 8
        pushfq
        .cfi_adjust_cfa_offset 8
        cld
        push rax
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset rax, 0
        push rcx
        .cfi_adjust_cfa_offset 8
        push rdx
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset rdx, 0
        push rbx
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset rbx, 0
        push rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset rbp, 0
        push rsi
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset rsi, 0
        push rdi
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset rdi, 0
        push r8
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset r8, 0
        push r9
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset r9, 0
        push r10
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset r10, 0
        push r11
        .cfi_adjust_cfa_offset 8
        push r12
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset r12, 0
        push r13
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset r13, 0
        push r14
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset r14, 0
        push r15
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset r15, 0
        lea rsp, [rsp - 256]
        .cfi_adjust_cfa_offset 256
        movups [rsp], xmm0
        movups [rsp + 16], xmm1
        movups [rsp + 32], xmm2
        movups [rsp + 48], xmm3
        movups [rsp + 64], xmm4
        movups [rsp + 80], xmm5
        movups [rsp + 96], xmm6
        movups [rsp + 112], xmm7
        movups [rsp + 128], xmm8
        movups [rsp + 144], xmm9
        movups [rsp + 160], xmm10
        movups [rsp + 176], xmm11
        movups [rsp + 192], xmm12
        movups [rsp + 208], xmm13
        movups [rsp + 224], xmm14
        movups [rsp + 240], xmm15
        mov rdi, rsp
        mov rbx, rsp
        .cfi_def_cfa_register rbx
        and rsp, -16"
    };
}

/// Restores everything from the frame at `rbx`: flags and all registers but `rcx` = `resume` and
/// `r11` = `rip`; the stack pointer is the program's again.
macro_rules! restore_frame {
    () => {
        "mov rsp, rbx
        .cfi_def_cfa_register rsp
        movups xmm0, [rsp]
        movups xmm1, [rsp + 16]
        movups xmm2, [rsp + 32]
        movups xmm3, [rsp + 48]
        movups xmm4, [rsp + 64]
        movups xmm5, [rsp + 80]
        movups xmm6, [rsp + 96]
        movups xmm7, [rsp + 112]
        movups xmm8, [rsp + 128]
        movups xmm9, [rsp + 144]
        movups xmm10, [rsp + 160]
        movups xmm11, [rsp + 176]
        movups xmm12, [rsp + 192]
        movups xmm13, [rsp + 208]
        movups xmm14, [rsp + 224]
        movups xmm15, [rsp + 240]
        lea rsp, [rsp + 256]
        .cfi_adjust_cfa_offset -256
        pop r15
        .cfi_adjust_cfa_offset -8
        .cfi_restore r15
        pop r14
        .cfi_adjust_cfa_offset -8
        .cfi_restore r14
        pop r13
        .cfi_adjust_cfa_offset -8
        .cfi_restore r13
        pop r12
        .cfi_adjust_cfa_offset -8
        .cfi_restore r12
        pop r11
        .cfi_adjust_cfa_offset -8
        pop r10
        .cfi_adjust_cfa_offset -8
        .cfi_restore r10
        pop r9
        .cfi_adjust_cfa_offset -8
        .cfi_restore r9
        pop r8
        .cfi_adjust_cfa_offset -8
        .cfi_restore r8
        pop rdi
        .cfi_adjust_cfa_offset -8
        .cfi_restore rdi
        pop rsi
        .cfi_adjust_cfa_offset -8
        .cfi_restore rsi
        pop rbp
        .cfi_adjust_cfa_offset -8
        .cfi_restore rbp
        pop rbx
        .cfi_adjust_cfa_offset -8
        .cfi_restore rbx
        pop rdx
        .cfi_adjust_cfa_offset -8
        .cfi_restore rdx
        pop rcx
        .cfi_adjust_cfa_offset -8
        pop rax
        .cfi_adjust_cfa_offset -8
        .cfi_restore rax
        popfq
        .cfi_adjust_cfa_offset -8
        pop rcx
        .cfi_adjust_cfa_offset -8
        pop r11
        .cfi_adjust_cfa_offset -8
        .cfi_register rip, r11
        lea rsp, [rsp + 128]
        .cfi_adjust_cfa_offset -128"
    };
}

unsafe extern "C" {
    fn wayfarer_enter();
}

global_asm!(
    ".pushsection .text.wayfarer_enter,\"ax\",@progbits",
    ".globl wayfarer_enter, wayfarer_leave",
    ".hidden wayfarer_enter, wayfarer_leave",
    ".type wayfarer_enter,@function",
    ".p2align 6",
    "wayfarer_enter:",
    ".cfi_startproc",
    ".cfi_def_cfa rsp, 0",
    ".cfi_register rip, rcx",
    save_frame!(),
    take_own_stack!("rbx"),
    "call {route}",
    give_own_stack!(),
    // Also the way out of the vfork trampoline and of a new thread: rbx = frame.
    "wayfarer_leave:",
    restore_frame!(),
    "jmp rcx",
    ".cfi_endproc",
    ".size wayfarer_enter, . - wayfarer_enter",
    ".popsection",
    route = sym route,
);

global_asm!(
    ".pushsection .text.wayfarer_vfork,\"ax\",@progbits",
    ".globl wayfarer_vfork",
    ".hidden wayfarer_vfork",
    ".type wayfarer_vfork,@function",
    ".p2align 4",
    // Entry as above, but the address to go on at is in r11 alone.
    "wayfarer_vfork:",
    ".cfi_startproc",
    ".cfi_def_cfa rsp, 0",
    ".cfi_register rip, r11",
    "mov rcx, r11",
    save_frame!(),
    "call qword ptr [rip + {hooks} + {vfork_before}]",
    "test rax, rax",
    "jnz 2f",
    ".cfi_remember_state",
    restore_frame!(),
    // The child runs on this very stack: nothing of ours may lie on it while the call is made, and
    // the parent finds its return address where the hook kept it.
    ".cfi_undefined rip",
    "syscall",
    "xor ecx, ecx",
    "xor r11d, r11d",
    save_frame!(),
    ".cfi_undefined rip",
    "call qword ptr [rip + {hooks} + {vfork_after}]",
    "mov rcx, [rbx + {rip}]",
    "mov [rbx + {resume}], rcx",
    "jmp wayfarer_leave",
    ".cfi_restore_state",
    "2:",
    "mov [rbx + {rax}], rax",
    "jmp wayfarer_leave",
    ".cfi_endproc",
    ".size wayfarer_vfork, . - wayfarer_vfork",
    ".popsection",
    hooks = sym HOOKS,
    vfork_before = const core::mem::offset_of!(Hooks, vfork_before),
    vfork_after = const core::mem::offset_of!(Hooks, vfork_after),
    rax = const core::mem::offset_of!(Frame, rax),
    rip = const core::mem::offset_of!(Frame, rip),
    resume = const core::mem::offset_of!(Frame, resume),
);

/// Where stubs and the SIGSYS handler send the program.
pub(crate) fn address() -> usize {
    wayfarer_enter as *const () as usize
}

/// Calls that must not be made from a frame of ours.
const SPECIAL: u64 =
    1 << Number::RT_SIGRETURN.get() | 1 << Number::CLONE.get() | 1 << Number::VFORK.get();

/// Sends a call to the hook, or back to where it can be made.
///
/// # Safety
/// The frame must be the live one of this thread's call.
unsafe extern "C" fn route(frame: *mut Frame) {
    // SAFETY: the trampoline passes its own live frame.
    let nr = unsafe { (*frame).rax };
    // SAFETY: as above.
    if nr < 64 && SPECIAL >> nr & 1 != 0 && unsafe { reroute(&mut *frame) } {
        return;
    }
    // SAFETY: the hooks obey their contract.
    unsafe { (hooks::current().dispatch)(frame) }
}

/// # Safety
/// The frame must be the live one of this thread's call.
#[cold]
unsafe fn reroute(frame: &mut Frame) -> bool {
    match frame.number() {
        Number::RT_SIGRETURN => {
            // The stack pointer is at the ucontext. A mask with SIGSYS in it would be the end of
            // the program at its next dispatched call; with the other one, of stopping the thread.
            let context = frame.stack_pointer() as *mut UContext;
            // SAFETY: the kernel will read the context from there as well.
            unsafe { (*context).mask &= !(bit(SIGSYS) | bit(SIGSTKFLT)) };
            frame.resume = dispatch::restorer();
            true
        }
        nr if clone::is_plain_vfork(nr, frame.rdi, frame.rsi) => {
            frame.retry_as_vfork();
            true
        }
        _ => false,
    }
}
