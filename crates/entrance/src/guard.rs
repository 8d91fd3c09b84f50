//! Access to memory that may not be there.
//!
//! [`attempt`] runs a function; if it faults, the SIGSEGV or SIGBUS handler asks [`redirect`], and
//! the attempt returns `false` instead. [`copy`] is the same for plain copies, without the price of an
//! attempt. The signals must not be blocked meanwhile: the kernel kills a process that faults with
//! them blocked.

use core::arch::global_asm;

use crate::dispatch;
use crate::signal_frame::UContext;

unsafe extern "C" {
    fn wayfarer_attempt(slot: *mut usize, f: extern "C" fn(*mut u8), data: *mut u8) -> usize;
    fn wayfarer_attempt_failed();
    fn wayfarer_copy(to: *mut u8, from: *const u8, length: usize) -> usize;
    fn wayfarer_copy_failed();
}

// The slot holds the stack pointer of the innermost attempt; the word above it on the stack is the
// slot's former value, so that an attempt inside a signal handler does not lose the outer one.
global_asm!(
    ".pushsection .text.wayfarer_attempt,\"ax\",@progbits",
    ".globl wayfarer_attempt, wayfarer_attempt_failed",
    ".hidden wayfarer_attempt, wayfarer_attempt_failed",
    ".type wayfarer_attempt,@function",
    ".p2align 4",
    "wayfarer_attempt:",
    ".cfi_startproc",
    "push rbp",
    ".cfi_adjust_cfa_offset 8",
    ".cfi_rel_offset rbp, 0",
    "push rbx",
    ".cfi_adjust_cfa_offset 8",
    ".cfi_rel_offset rbx, 0",
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
    "push qword ptr [rdi]",
    ".cfi_adjust_cfa_offset 8",
    "push rdi",
    ".cfi_adjust_cfa_offset 8",
    "sub rsp, 8",
    ".cfi_adjust_cfa_offset 8",
    "mov [rdi], rsp",
    "mov rdi, rdx",
    "call rsi",
    "mov eax, 1",
    "2:",
    ".cfi_remember_state",
    "add rsp, 8",
    ".cfi_adjust_cfa_offset -8",
    "pop rdi",
    ".cfi_adjust_cfa_offset -8",
    "pop qword ptr [rdi]",
    ".cfi_adjust_cfa_offset -8",
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
    "pop rbx",
    ".cfi_adjust_cfa_offset -8",
    ".cfi_restore rbx",
    "pop rbp",
    ".cfi_adjust_cfa_offset -8",
    ".cfi_restore rbp",
    "ret",
    // Reached from `redirect` alone, with rsp as the slot said.
    ".cfi_restore_state",
    "wayfarer_attempt_failed:",
    "xor eax, eax",
    "jmp 2b",
    ".cfi_endproc",
    ".size wayfarer_attempt, . - wayfarer_attempt",
    ".popsection",
);

// A leaf that leaves the stack alone, so that a fault anywhere in it can go straight to its end.
global_asm!(
    ".pushsection .text.wayfarer_copy,\"ax\",@progbits",
    ".globl wayfarer_copy, wayfarer_copy_failed",
    ".hidden wayfarer_copy, wayfarer_copy_failed",
    ".type wayfarer_copy,@function",
    ".p2align 5",
    "wayfarer_copy:",
    ".cfi_startproc",
    "cmp rdx, 8",
    "jb 4f",
    "cmp rdx, 16",
    "ja 2f",
    "mov rcx, [rsi]",
    "mov r8, [rsi + rdx - 8]",
    "mov [rdi], rcx",
    "mov [rdi + rdx - 8], r8",
    "mov eax, 1",
    "ret",
    "2:",
    "cmp rdx, 256",
    "ja 8f",
    "movups xmm1, [rsi + rdx - 16]",
    "lea rcx, [rdx - 16]",
    "xor r8d, r8d",
    "3:",
    "movups xmm0, [rsi + r8]",
    "movups [rdi + r8], xmm0",
    "add r8, 16",
    "cmp r8, rcx",
    "jb 3b",
    "movups [rdi + rcx], xmm1",
    "mov eax, 1",
    "ret",
    "4:",
    "cmp edx, 4",
    "jb 5f",
    "mov ecx, [rsi]",
    "mov r8d, [rsi + rdx - 4]",
    "mov [rdi], ecx",
    "mov [rdi + rdx - 4], r8d",
    "mov eax, 1",
    "ret",
    "5:",
    "test edx, edx",
    "jz 6f",
    // First, middle and last byte of one, two or three.
    "mov r9d, edx",
    "shr r9d, 1",
    "movzx ecx, byte ptr [rsi]",
    "movzx r8d, byte ptr [rsi + r9]",
    "movzx eax, byte ptr [rsi + rdx - 1]",
    "mov [rdi], cl",
    "mov [rdi + r9], r8b",
    "mov [rdi + rdx - 1], al",
    "6:",
    "mov eax, 1",
    "ret",
    "8:",
    "mov rcx, rdx",
    "rep movsb",
    "mov eax, 1",
    "ret",
    "wayfarer_copy_failed:",
    "xor eax, eax",
    "ret",
    ".cfi_endproc",
    ".size wayfarer_copy, . - wayfarer_copy",
    ".popsection",
);

/// Copies `length` bytes; false if either side is not there, in which case a part may have been
/// written. The two must not overlap. Needs no slot.
///
/// # Safety
/// Whatever lies at `to` may be overwritten. SIGSEGV and SIGBUS must end in [`redirect`].
#[inline]
pub unsafe fn copy(to: *mut u8, from: *const u8, length: usize) -> bool {
    // SAFETY: the caller's promise is the same.
    unsafe { wayfarer_copy(to, from, length) != 0 }
}

/// Calls `f(data)`; false if it met a fault that [`redirect`] took. `slot` is a word of this thread
/// that is zero outside of attempts.
///
/// # Safety
/// A fault leaves `f` in the middle: it must hold nothing that needs to be given back.
#[inline]
pub unsafe fn attempt(slot: *mut usize, f: extern "C" fn(*mut u8), data: *mut u8) -> bool {
    // SAFETY: the caller's promise is the same.
    unsafe { wayfarer_attempt(slot, f, data) != 0 }
}

/// For the handler of SIGSEGV and SIGBUS: if the fault happened in a [`copy`], or in our own text
/// during an attempt, makes that return false as soon as the handler returns.
///
/// # Safety
/// `context` must be the third argument of the live handler, `slot` this thread's word or null.
pub unsafe fn redirect(context: *mut u8, slot: *mut usize) -> bool {
    // SAFETY: live by contract.
    let registers = unsafe { &mut UContext::from_handler(context).registers };
    let copy_start = wayfarer_copy as *const () as usize;
    let copy_failed = wayfarer_copy_failed as *const () as usize;
    if registers.rip >= copy_start && registers.rip < copy_failed {
        registers.rip = copy_failed;
        return true;
    }
    let mut stack = 0;
    if !slot.is_null() {
        // SAFETY: this thread's word by contract.
        stack = unsafe { slot.read_volatile() };
    }
    if stack == 0 || !dispatch::is_text(registers.rip) {
        return false;
    }
    const DIRECTION: usize = 0x400;
    registers.rip = wayfarer_attempt_failed as *const () as usize;
    registers.rsp = stack;
    registers.flags &= !DIRECTION;
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_every_length_are_exact() {
        let source: Vec<u8> = (0..600u32).map(|value| (value * 7 % 251) as u8).collect();
        for length in 0..source.len() {
            let mut target = vec![0xee; length + 2];
            // SAFETY: both are long enough.
            assert!(unsafe { copy(target.as_mut_ptr().add(1), source.as_ptr(), length) });
            assert_eq!(target.get(1..=length), source.get(..length));
            assert_eq!((target.first(), target.last()), (Some(&0xee), Some(&0xee)));
        }
    }

    extern "C" fn add_one(data: *mut u8) {
        // SAFETY: the test passes a live byte.
        unsafe { *data += 1 };
    }

    #[test]
    fn success_leaves_the_slot_as_it_was() {
        let (mut slot, mut byte) = (0usize, 41u8);
        // SAFETY: both are live.
        assert!(unsafe { attempt(&mut slot, add_one, &mut byte) });
        assert_eq!((slot, byte), (0, 42));
    }
}
