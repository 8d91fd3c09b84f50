//! Raw system calls from our own text, which dispatch lets pass.

use crate::frame::Frame;
use core::arch::{asm, global_asm};

pub const EINTR: isize = 4;
pub const EINVAL: isize = 22;
pub const ENOSYS: isize = 38;

/// Call numbers that this crate itself makes or looks for.
pub mod number {
    pub const MMAP: usize = 9;
    pub const MPROTECT: usize = 10;
    pub const MUNMAP: usize = 11;
    pub const RT_SIGACTION: usize = 13;
    pub const RT_SIGPROCMASK: usize = 14;
    pub const RT_SIGRETURN: usize = 15;
    pub const CLONE: usize = 56;
    pub const VFORK: usize = 58;
    pub const GETTIMEOFDAY: usize = 96;
    pub const PRCTL: usize = 157;
    pub const CLOCK_GETTIME: usize = 228;
    pub const CLOCK_GETRES: usize = 229;
    pub const GETCPU: usize = 309;
    pub const CLONE3: usize = 435;
}

/// Makes a system call; errors come as −errno.
///
/// # Safety
/// As safe as the call itself. Not for `vfork` and clones with a new stack: see [`crate::clone`].
#[inline(always)]
pub unsafe fn syscall6(
    nr: usize,
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
) -> isize {
    let result: isize;
    // SAFETY: the caller vouches for the call; the clobbers are those of the kernel's ABI.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") nr as isize => result,
            in("rdi") a, in("rsi") b, in("rdx") c, in("r10") d, in("r8") e, in("r9") f,
            lateout("rcx") _, lateout("r11") _,
            options(nostack),
        );
    }
    result
}

macro_rules! fewer_arguments {
    ($($name:ident($($argument:ident),*) + [$($zero:expr),*];)*) => {$(
        /// [`syscall6`] with fewer arguments.
        ///
        /// # Safety
        /// As [`syscall6`].
        #[inline(always)]
        pub unsafe fn $name(nr: usize $(, $argument: usize)*) -> isize {
            // SAFETY: the caller's promise is the same.
            unsafe { syscall6(nr $(, $argument)* $(, $zero)*) }
        }
    )*};
}

fewer_arguments! {
    syscall0() + [0, 0, 0, 0, 0, 0];
    syscall1(a) + [0, 0, 0, 0, 0];
    syscall2(a, b) + [0, 0, 0, 0];
    syscall3(a, b, c) + [0, 0, 0];
    syscall4(a, b, c, d) + [0, 0];
    syscall5(a, b, c, d, e) + [0];
}

/// Asks for the line of memory at `address`, to write to it soon: one way less than to read it first. Any address will
/// do.
#[inline(always)]
pub fn prefetch(address: usize) {
    // SAFETY: a hint, without effect on registers or memory.
    unsafe {
        asm!("prefetchw [{address}]", address = in(reg) address, options(nostack, preserves_flags));
    }
}

unsafe extern "C" {
    fn wayfarer_interruptible(nr: usize, args: *const usize, pending: *const u32) -> isize;
    fn wayfarer_interruptible_frame(frame: *const Frame, pending: *const u32) -> isize;
    fn wayfarer_interruptible_window();
    fn wayfarer_interruptible_done();
    fn wayfarer_interruptible_cancelled();
}

// The window reaches from the test of `pending` to the `syscall` itself: a signal handler that finds
// the thread in there knows that the call has not been made (or will be made again), and sends it to
// the end that says EINTR.
global_asm!(
    ".pushsection .text.hot.wayfarer_interruptible,\"ax\",@progbits",
    ".globl wayfarer_interruptible, wayfarer_interruptible_window",
    ".globl wayfarer_interruptible_frame",
    ".hidden wayfarer_interruptible_frame",
    ".globl wayfarer_interruptible_done, wayfarer_interruptible_cancelled",
    ".hidden wayfarer_interruptible, wayfarer_interruptible_window",
    ".hidden wayfarer_interruptible_done, wayfarer_interruptible_cancelled",
    ".type wayfarer_interruptible,@function",
    ".type wayfarer_interruptible_frame,@function",
    ".p2align 4",
    "wayfarer_interruptible:",
    ".cfi_startproc",
    "mov rax, rdi",
    "mov r11, rsi",
    "mov rcx, rdx",
    "mov rdi, [r11]",
    "mov rsi, [r11 + 8]",
    "mov rdx, [r11 + 16]",
    "mov r10, [r11 + 24]",
    "mov r8, [r11 + 32]",
    "mov r9, [r11 + 40]",
    "jmp wayfarer_interruptible_window",
    ".p2align 4",
    "wayfarer_interruptible_frame:",
    "mov r11, rdi",
    "mov rcx, rsi",
    "mov rax, [r11 + {rax}]",
    "mov rdi, [r11 + {rdi}]",
    "mov rsi, [r11 + {rsi}]",
    "mov rdx, [r11 + {rdx}]",
    "mov r10, [r11 + {r10}]",
    "mov r8, [r11 + {r8}]",
    "mov r9, [r11 + {r9}]",
    "wayfarer_interruptible_window:",
    "cmp dword ptr [rcx], 0",
    "jne wayfarer_interruptible_cancelled",
    "syscall",
    "wayfarer_interruptible_done:",
    "ret",
    "wayfarer_interruptible_cancelled:",
    "mov rax, -4",
    "ret",
    ".cfi_endproc",
    ".size wayfarer_interruptible, . - wayfarer_interruptible",
    ".popsection",
    rax = const core::mem::offset_of!(Frame, rax),
    rdi = const core::mem::offset_of!(Frame, rdi),
    rsi = const core::mem::offset_of!(Frame, rsi),
    rdx = const core::mem::offset_of!(Frame, rdx),
    r10 = const core::mem::offset_of!(Frame, r10),
    r8 = const core::mem::offset_of!(Frame, r8),
    r9 = const core::mem::offset_of!(Frame, r9),
);

/// A blocking call that a signal handler can cancel without a race: returns −EINTR without making
/// the call when `*pending` is not zero, and also when a handler that ran anywhere before the
/// call's end moved the thread as [`in_interruptible_window`] says.
///
/// # Safety
/// As [`syscall6`]; `pending` must be readable.
#[inline]
pub unsafe fn syscall_interruptible(nr: usize, args: &[usize; 6], pending: *const u32) -> isize {
    // SAFETY: the caller's promise is the same.
    unsafe { wayfarer_interruptible(nr, args.as_ptr(), pending) }
}

/// The same for the call that a frame stands for.
///
/// # Safety
/// As [`syscall_interruptible`].
#[inline]
pub unsafe fn frame_interruptible(frame: &Frame, pending: *const u32) -> isize {
    // SAFETY: the caller's promise is the same.
    unsafe { wayfarer_interruptible_frame(frame, pending) }
}

/// For a signal handler: if `rip`, where the signal struck, lies between the test of `pending` and
/// the call, the address to put into the ucontext so that the call is not made and gives −EINTR.
#[inline]
pub fn in_interruptible_window(rip: usize) -> Option<usize> {
    let window = wayfarer_interruptible_window as *const () as usize;
    let done = wayfarer_interruptible_done as *const () as usize;
    let cancelled = wayfarer_interruptible_cancelled as *const () as usize;
    (rip >= window && rip < done).then_some(cancelled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_call() {
        // SAFETY: getpid has no effect.
        let pid = unsafe { syscall0(39) };
        assert_eq!(pid as u32, std::process::id());
    }

    #[test]
    fn pending_cancels_before_the_call() {
        // SAFETY: getpid has no effect.
        let (made, cancelled) = unsafe {
            (
                syscall_interruptible(39, &[0; 6], &0),
                syscall_interruptible(39, &[0; 6], &1),
            )
        };
        assert_eq!(made as u32, std::process::id());
        assert_eq!(cancelled, -EINTR);
    }

    #[test]
    fn a_frame_has_the_arguments_where_the_call_looks_for_them() {
        let name = c"/dev/null";
        // SAFETY: all zeros is a frame; openat and close touch nothing else.
        unsafe {
            let mut frame: Frame = core::mem::zeroed();
            frame.rax = 257;
            frame.rdi = -100isize as usize;
            frame.rsi = name.as_ptr() as usize;
            assert_eq!(frame_interruptible(&frame, &1), -EINTR);
            let descriptor = frame_interruptible(&frame, &0);
            assert!(descriptor >= 0);
            // mmap takes all six.
            frame.rax = 9;
            frame.rdi = 0;
            frame.rsi = 4096;
            frame.rdx = 0;
            frame.r10 = 0x22;
            frame.r8 = usize::MAX;
            frame.r9 = 0;
            let mapped = frame_interruptible(&frame, &0);
            assert!(mapped > 0);
            syscall2(11, mapped as usize, 4096);
            syscall1(3, descriptor as usize);
        }
    }

    #[test]
    fn window_ends_behind_the_call() {
        let window = wayfarer_interruptible_window as *const () as usize;
        let done = wayfarer_interruptible_done as *const () as usize;
        assert!(in_interruptible_window(window - 1).is_none());
        assert!(in_interruptible_window(window).is_some());
        assert!(in_interruptible_window(done - 2).is_some());
        assert!(in_interruptible_window(done).is_none());
    }
}
