//! Syscall User Dispatch: the net below the patched sites.
//!
//! The kernel raises SIGSYS for every `syscall` outside our text. The handler does no work: it sends
//! the program to the trampoline and returns, so that the call itself is made outside of any signal
//! frame, with the program's own mask and stacks. No selector byte is used: our text is always
//! allowed, everything else never.

use core::arch::global_asm;
use wayfarer_calls::Number;
use wayfarer_calls::control::{
    PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, PR_SYS_DISPATCH_ON,
};
use wayfarer_calls::error::ENOSYS;
use wayfarer_runtime_abi::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering};

use crate::raw::{syscall4, syscall5};
use crate::signal_frame::{
    SA_ONSTACK, SA_RESTORER, SA_SIGINFO, SIG_UNBLOCK, SIGSYS, SigAction, SigInfo, UContext, bit,
};
use crate::{ablation, hooks, regions, trampoline, vdso};

const SYS_USER_DISPATCH: i32 = 2;
const AUDIT_ARCH_X86_64: u32 = 0xC000_003E;

static TEXT_START: AtomicUsize = AtomicUsize::new(0);
static TEXT_LENGTH: AtomicUsize = AtomicUsize::new(0);
static NOWHERE: AtomicU32 = AtomicU32::new(0);
static TRAPS: AtomicPtr<AtomicU32> = AtomicPtr::new((&raw const NOWHERE).cast_mut());

unsafe extern "C" {
    fn wayfarer_restorer();
    static __ehdr_start: u8;
}

// libgcc and gdb know a signal frame by exactly these bytes at its return address, and only if no
// unwind information covers them or the byte before them.
global_asm!(
    ".pushsection .text.wayfarer_restorer,\"ax\",@progbits",
    ".globl wayfarer_restorer",
    ".hidden wayfarer_restorer",
    ".type wayfarer_restorer,@function",
    ".p2align 4",
    ".fill 16, 1, 0x90",
    "wayfarer_restorer:",
    ".byte 0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05",
    ".size wayfarer_restorer, . - wayfarer_restorer",
    // The kernel judges a call by the address after it: keep that inside our text.
    ".fill 16, 1, 0x90",
    ".popsection",
);

const _: () = assert!(Number::RT_SIGRETURN.get() == 0x0f);

/// The function that application signal handlers must return to (`sa_restorer`): the same as
/// libc's, but in our text, so that no handler's return is dispatched.
pub fn restorer() -> usize {
    wayfarer_restorer as *const () as usize
}

/// Start and length of our own executable text: the calls that the kernel lets pass.
pub fn own_text() -> (usize, usize) {
    let length = TEXT_LENGTH.load(Ordering::Relaxed);
    if length != 0 {
        return (TEXT_START.load(Ordering::Relaxed), length);
    }
    // SAFETY: the linker puts our own ELF header there.
    let (start, length) = unsafe { executable_segment(&raw const __ehdr_start, restorer()) };
    TEXT_START.store(start, Ordering::Relaxed);
    TEXT_LENGTH.store(length, Ordering::Relaxed);
    (start, length)
}

/// Whether an instruction belongs to us and not to the program: our text, our stubs, and the vDSO if
/// it was patched, as then only we get into it. A signal that strikes there finds the program
/// inside, or about to enter, one of our hooks.
pub fn is_own_text(address: usize) -> bool {
    is_text(address) || regions::contains(address)
}

/// Whether an instruction lies in the library itself.
#[inline]
pub(crate) fn is_text(address: usize) -> bool {
    let (start, length) = own_text();
    address.wrapping_sub(start) < length
}

/// The PT_LOAD segment of the ELF image at `header` that contains `address`.
///
/// # Safety
/// `header` must be the mapped ELF header of a loaded 64-bit image.
unsafe fn executable_segment(header: *const u8, address: usize) -> (usize, usize) {
    const PAGE: usize = 4096;
    const PT_LOAD: u32 = 1;
    let base = header as usize;
    // SAFETY: e_phoff, e_phentsize, e_phnum of the ELF header.
    let (offset, size, count) = unsafe {
        (
            header.add(32).cast::<u64>().read() as usize,
            header.add(54).cast::<u16>().read() as usize,
            header.add(56).cast::<u16>().read() as usize,
        )
    };
    for index in 0..count {
        // SAFETY: within the program header table, which is part of the first segment.
        let (kind, start, length) = unsafe {
            let entry = header.add(offset.wrapping_add(index.wrapping_mul(size)));
            (
                entry.cast::<u32>().read(),
                base.wrapping_add(entry.add(16).cast::<u64>().read() as usize),
                entry.add(40).cast::<u64>().read() as usize,
            )
        };
        if kind == PT_LOAD && address.wrapping_sub(start) < length {
            let first = start & !(PAGE - 1);
            let end = start.wrapping_add(length).wrapping_add(PAGE - 1) & !(PAGE - 1);
            return (first, end.wrapping_sub(first));
        }
    }
    (0, 0)
}

/// Arms dispatch for the calling thread. False: this kernel has none, or a filter forbids it.
/// Needed again in every new thread and in every child of a fork. Costs one system call.
pub fn arm() -> bool {
    let (start, length) = own_text();
    if length == 0 {
        return false;
    }
    // SAFETY: from here on all calls of this thread from outside our text raise SIGSYS.
    unsafe {
        syscall5(
            Number::PRCTL,
            PR_SET_SYSCALL_USER_DISPATCH,
            PR_SYS_DISPATCH_ON,
            start,
            length,
            0,
        ) == 0
    }
}

/// Disarms dispatch for the calling thread.
pub fn disarm() {
    // SAFETY: calls of this thread go straight to the kernel again.
    unsafe {
        syscall5(
            Number::PRCTL,
            PR_SET_SYSCALL_USER_DISPATCH,
            PR_SYS_DISPATCH_OFF,
            0,
            0,
            0,
        )
    };
}

/// Where to count dispatched calls, for example `Header::dispatch_traps`.
pub fn count_traps_in(counter: &'static AtomicU32) {
    TRAPS.store(core::ptr::from_ref(counter).cast_mut(), Ordering::Relaxed);
}

/// What `rt_sigaction` must have for SIGSYS.
pub fn action() -> SigAction {
    let stack = if ablation::is_off(ablation::ALTERNATE_STACK) {
        0
    } else {
        SA_ONSTACK
    };
    SigAction {
        handler: on_sigsys as *const () as usize,
        flags: SA_SIGINFO | stack | SA_RESTORER,
        restorer: restorer(),
        // Uninterruptible: the handler is a few instructions, and nothing can nest.
        mask: u64::MAX,
    }
}

/// Installs the SIGSYS handler and unblocks SIGSYS, whose mask is inherited across exec.
pub fn install_handler() -> bool {
    let action = action();
    let mask = bit(SIGSYS);
    // SAFETY: both structures are ours and live.
    unsafe {
        let signal = SIGSYS as usize;
        let installed = syscall4(
            Number::RT_SIGACTION,
            signal,
            &raw const action as usize,
            0,
            8,
        );
        let unblocked = syscall4(
            Number::RT_SIGPROCMASK,
            SIG_UNBLOCK,
            &raw const mask as usize,
            0,
            8,
        );
        installed == 0 && unblocked == 0
    }
}

/// # Safety
/// Called by the kernel as a handler, with a siginfo and a ucontext.
unsafe extern "C" fn on_sigsys(_signal: i32, info: *mut u8, context: *mut u8) {
    // SAFETY: the kernel passes a live siginfo and ucontext.
    let (facts, registers) = unsafe {
        (
            &*info.cast::<SigInfo>(),
            &mut UContext::from_handler(context).registers,
        )
    };
    if facts.code != SYS_USER_DISPATCH {
        // SAFETY: the hooks obey their contract.
        unsafe { (hooks::current().foreign_sigsys)(info, context) };
        return;
    }
    // SAFETY: points to a static or to the session's header.
    unsafe { (*TRAPS.load(Ordering::Relaxed)).fetch_add(1, Ordering::Relaxed) };
    if facts.architecture() != AUDIT_ARCH_X86_64 {
        // `int $0x80` numbers its calls differently; we offer no 32-bit calls.
        registers.rax = ENOSYS as usize;
        return;
    }
    if vdso::is_inside(registers.rip) {
        // An original that we called could not do without the kernel.
        // SAFETY: the vDSO made this call with these arguments on our own behalf.
        unsafe { registers.rax = vdso::finish(registers) };
        return;
    }
    registers.rcx = registers.rip;
    registers.r11 = registers.rip;
    registers.rip = trampoline::address();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_text_holds_the_trampoline_and_no_data() {
        let (start, length) = own_text();
        assert!(start != 0 && length != 0);
        assert!(is_own_text(trampoline::address()));
        assert!(!is_own_text(&raw const TEXT_START as usize));
    }

    #[test]
    fn restorer_has_the_bytes_that_unwinders_know() {
        // SAFETY: nine bytes of our own text.
        let bytes = unsafe { core::slice::from_raw_parts(restorer() as *const u8, 9) };
        assert_eq!(bytes, [0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05]);
    }
}
