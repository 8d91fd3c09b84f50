//! Vector and floating point state around foreign code.
//!
//! The trampolines save the SSE registers, which is all that our own code touches. A hook that calls
//! code of the program in the middle of a system call, such as a signal handler, must keep the
//! whole state as the kernel would: AVX registers, x87 and control words.

use core::arch::global_asm;
use core::arch::x86_64::{__cpuid_count, _xgetbv};
use wayfarer_runtime_abi::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Size of the area that FXSAVE writes.
const LEGACY: usize = 512;
/// Head of the extended area.
const HEAD: usize = 64;
/// State components of the AMX tiles: kilobytes that no signal handler's caller has live.
const TILES: u64 = 1 << 17 | 1 << 18;
/// CPUID leaf that describes the state components.
const STATE_LEAF: u32 = 13;

static SIZE: AtomicUsize = AtomicUsize::new(0);
static COMPONENTS: AtomicU64 = AtomicU64::new(0);

unsafe extern "C" {
    fn wayfarer_preserving(
        f: unsafe extern "C" fn(*mut u8, *mut u8),
        data: *mut u8,
        size: usize,
        components: u64,
    );
}

global_asm!(
    ".pushsection .text.wayfarer_preserving,\"ax\",@progbits",
    ".globl wayfarer_preserving",
    ".hidden wayfarer_preserving",
    ".type wayfarer_preserving,@function",
    ".p2align 4",
    "wayfarer_preserving:",
    ".cfi_startproc",
    "push rbp",
    ".cfi_def_cfa_offset 16",
    ".cfi_offset rbp, -16",
    "mov rbp, rsp",
    ".cfi_def_cfa_register rbp",
    "push rbx",
    ".cfi_offset rbx, -24",
    "push r12",
    ".cfi_offset r12, -32",
    "mov rbx, rcx",
    "sub rsp, rdx",
    "and rsp, -64",
    "mov r12, rsp",
    "test rbx, rbx",
    "jz 2f",
    // XSAVE wants its head to be zero, except for what it writes itself.
    "xor eax, eax",
    "mov [r12 + 512], rax",
    "mov [r12 + 520], rax",
    "mov [r12 + 528], rax",
    "mov [r12 + 536], rax",
    "mov [r12 + 544], rax",
    "mov [r12 + 552], rax",
    "mov [r12 + 560], rax",
    "mov [r12 + 568], rax",
    "mov eax, ebx",
    "mov rdx, rbx",
    "shr rdx, 32",
    "xsave64 [r12]",
    "jmp 3f",
    "2:",
    "fxsave64 [r12]",
    "3:",
    "mov rax, rdi",
    "mov rdi, rsi",
    "mov rsi, r12",
    "call rax",
    "test rbx, rbx",
    "jz 4f",
    "mov eax, ebx",
    "mov rdx, rbx",
    "shr rdx, 32",
    "xrstor64 [r12]",
    "jmp 5f",
    "4:",
    "fxrstor64 [r12]",
    "5:",
    "lea rsp, [rbp - 16]",
    "pop r12",
    ".cfi_restore r12",
    "pop rbx",
    ".cfi_restore rbx",
    "pop rbp",
    ".cfi_restore rbp",
    ".cfi_def_cfa rsp, 8",
    "ret",
    ".cfi_endproc",
    ".size wayfarer_preserving, . - wayfarer_preserving",
    ".popsection",
);

/// Calls `f(data, area)` and restores the whole vector and floating point state afterwards. `area` is
/// where the state is kept, in the format of FXSAVE and XSAVE: what a ucontext's floating point
/// pointer points to; changes in it become the state. Takes some kilobytes of stack.
///
/// # Safety
/// As calling `f`.
pub unsafe fn preserving(f: unsafe extern "C" fn(*mut u8, *mut u8), data: *mut u8) {
    let (size, components) = layout();
    // SAFETY: the area is as large as the processor says; the rest is the caller's promise.
    unsafe { wayfarer_preserving(f, data, size, components) }
}

/// Size of the area, and components to save; none where the processor knows only FXSAVE. Asked once:
/// in a virtual machine the question takes microseconds.
fn layout() -> (usize, u64) {
    let known = SIZE.load(Ordering::Acquire);
    if known != 0 {
        return (known, COMPONENTS.load(Ordering::Relaxed));
    }
    const OSXSAVE: u32 = 1 << 27;
    let (mut size, mut components) = (LEGACY, 0);
    if __cpuid_count(1, 0).ecx & OSXSAVE != 0 {
        // SAFETY: the system enabled XSAVE and with it XGETBV.
        let enabled = unsafe { enabled_components() };
        components = enabled & !TILES;
        size = LEGACY + HEAD;
        for component in 2..63u32 {
            if components >> component & 1 != 0 {
                let entry = __cpuid_count(STATE_LEAF, component);
                size = size.max((entry.eax as usize).wrapping_add(entry.ebx as usize));
            }
        }
    }
    COMPONENTS.store(components, Ordering::Relaxed);
    SIZE.store(size, Ordering::Release);
    (size, components)
}

/// # Safety
/// The processor must have XGETBV.
#[target_feature(enable = "xsave")]
unsafe fn enabled_components() -> u64 {
    // SAFETY: register 0 always exists where XGETBV does.
    unsafe { _xgetbv(0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// # Safety
    /// Called by `preserving`, which has saved the registers.
    unsafe extern "C" fn spoil(data: *mut u8, _area: *mut u8) {
        // SAFETY: clobbers are declared; `data` is a flag of the test.
        unsafe {
            core::arch::asm!("xorps xmm0, xmm0", "xorps xmm9, xmm9", out("xmm0") _, out("xmm9") _);
            data.write(1);
            if std::arch::is_x86_feature_detected!("avx") {
                core::arch::asm!("vzeroall", out("xmm0") _, out("xmm1") _, out("xmm2") _,
                    out("xmm3") _, out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
                    out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _, out("xmm12") _,
                    out("xmm13") _, out("xmm14") _, out("xmm15") _);
            }
        }
    }

    #[test]
    fn wide_registers_survive() {
        if !std::arch::is_x86_feature_detected!("avx") {
            println!("skipped: this processor has no AVX");
            return;
        }
        let pattern = [0x5au8; 32];
        let (mut after, mut called) = ([0u8; 32], 0u8);
        layout();
        // SAFETY: the registers are declared; memory is as long as the moves.
        unsafe {
            core::arch::asm!(
                "vmovups ymm9, [{pattern}]",
                "call {preserving}",
                "vmovups [r12], ymm9",
                pattern = in(reg) pattern.as_ptr(),
                preserving = sym preserving,
                in("rdi") spoil as *const (), in("rsi") &raw mut called,
                in("r12") after.as_mut_ptr(),
                clobber_abi("C"),
            );
        }
        assert_eq!((after, called), (pattern, 1));
    }
}
