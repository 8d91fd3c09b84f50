//! Raw system calls from our own text, which dispatch lets pass.

use crate::frame::Frame;
use core::arch::{asm, global_asm};
use wayfarer_calls::Number;

/// Makes a system call; errors come as −errno.
///
/// # Safety
/// As safe as the call itself. Not for `vfork` and clones with a new stack: see [`crate::clone`].
#[inline(always)]
pub unsafe fn syscall6(
    nr: Number,
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
) -> isize {
    #[cfg(feature = "model")]
    if let Some(result) = wayfarer_interleave::kernel::call(nr, [a, b, c, d, e, f]) {
        return result;
    }
    let result: isize;
    // SAFETY: the caller vouches for the call; the clobbers are those of the kernel's ABI.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") nr.get() as isize => result,
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
        pub unsafe fn $name(nr: Number $(, $argument: usize)*) -> isize {
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

/// A blocking call that a signal handler can cancel without a race: gives −EINTR without making the call when `*pending`
/// is not zero, and also when a handler that ran anywhere before the call's end moved the thread as
/// [`in_interruptible_window`] says. Number and arguments are written out by the caller.
///
/// The window reaches from the test of `pending` to the `syscall` itself: a signal handler that finds the thread in there
/// knows that the call has not been made (or will be made again). Each place has its own, entered in a table. The call
/// stands in its caller's code and not in a function, because the processor does not foresee a return across the kernel.
macro_rules! interruptible {
    ($pending:expr, $number:expr, $($register:tt = $argument:expr),*) => {{
        let result: isize;
        asm!(
            "2:",
            "cmp dword ptr [{pending}], 0",
            "jne 4f",
            "syscall",
            "3:",
            "jmp 5f",
            "4:",
            "mov rax, -4",
            "5:",
            ".pushsection wayfarer_windows,\"aR\",@progbits",
            ".p2align 2",
            ".long 2b - ., 3b - ., 4b - .",
            ".popsection",
            pending = in(reg) $pending,
            inlateout("rax") $number as isize => result,
            $(in($register) $argument,)*
            lateout("rcx") _, lateout("r11") _,
            options(nostack),
        );
        result
    }};
}

/// The call with this number and these arguments, interruptible.
///
/// # Safety
/// As [`syscall6`]; `pending` must be readable.
#[inline(never)]
pub unsafe fn syscall_interruptible(nr: Number, args: &[usize; 6], pending: *const u32) -> isize {
    let [a, b, c, d, e, f] = *args;
    // SAFETY: the caller's promise is the same.
    unsafe {
        interruptible!(
            pending,
            nr.get(),
            "rdi" = a,
            "rsi" = b,
            "rdx" = c,
            "r10" = d,
            "r8" = e,
            "r9" = f
        )
    }
}

/// The same for the call that a frame stands for.
///
/// # Safety
/// As [`syscall_interruptible`].
#[inline(always)]
pub unsafe fn frame_interruptible(frame: &Frame, pending: *const u32) -> isize {
    // SAFETY: the caller's promise is the same.
    unsafe {
        interruptible!(
            pending,
            frame.rax,
            "rdi" = frame.rdi,
            "rsi" = frame.rsi,
            "rdx" = frame.rdx,
            "r10" = frame.r10,
            "r8" = frame.r8,
            "r9" = frame.r9
        )
    }
}

/// An entry of the table of windows: first address, the one after the call, and where to send a thread so that the call
/// gives −EINTR; each as the distance from its own place.
type Window = [i32; 3];

unsafe extern "C" {
    /// Made by the linker, which knows how long the table is.
    static __start_wayfarer_windows: Window;
    static __stop_wayfarer_windows: Window;
}

// No other module may bind to them.
global_asm!(".hidden __start_wayfarer_windows, __stop_wayfarer_windows");

fn windows() -> &'static [Window] {
    let (start, stop) = (
        &raw const __start_wayfarer_windows,
        &raw const __stop_wayfarer_windows,
    );
    // SAFETY: the section has nothing but whole entries, and stays for good.
    unsafe {
        let length = (stop as usize).wrapping_sub(start as usize) / size_of::<Window>();
        core::slice::from_raw_parts(start, length)
    }
}

/// The addresses of an entry.
fn addresses(window: &Window) -> [usize; 3] {
    window.each_ref().map(|distance| {
        let place = core::ptr::from_ref(distance) as usize;
        place.wrapping_add(*distance as usize)
    })
}

/// For a signal handler: if `rip`, where the signal struck, lies between the test of `pending` and
/// the call, the address to put into the ucontext so that the call is not made and gives −EINTR.
#[inline]
pub fn in_interruptible_window(rip: usize) -> Option<usize> {
    windows()
        .iter()
        .map(addresses)
        .find_map(|[start, done, cancelled]| (rip >= start && rip < done).then_some(cancelled))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wayfarer_calls::error::EINTR;

    #[test]
    fn plain_call() {
        // SAFETY: getpid has no effect.
        let pid = unsafe { syscall0(Number::GETPID) };
        assert_eq!(pid as u32, std::process::id());
    }

    #[test]
    fn pending_cancels_before_the_call() {
        // SAFETY: getpid has no effect.
        let (made, cancelled) = unsafe {
            (
                syscall_interruptible(Number::GETPID, &[0; 6], &0),
                syscall_interruptible(Number::GETPID, &[0; 6], &1),
            )
        };
        assert_eq!(made as u32, std::process::id());
        assert_eq!(cancelled, EINTR);
    }

    #[test]
    fn a_frame_has_the_arguments_where_the_call_looks_for_them() {
        let name = c"/dev/null";
        // SAFETY: all zeros is a frame; openat and close touch nothing else.
        unsafe {
            let mut frame: Frame = core::mem::zeroed();
            frame.rax = Number::OPENAT.get();
            frame.rdi = -100isize as usize;
            frame.rsi = name.as_ptr() as usize;
            assert_eq!(frame_interruptible(&frame, &1), EINTR);
            let descriptor = frame_interruptible(&frame, &0);
            assert!(descriptor >= 0);
            // mmap takes all six.
            frame.rax = Number::MMAP.get();
            frame.rdi = 0;
            frame.rsi = 4096;
            frame.rdx = 0;
            frame.r10 = 0x22;
            frame.r8 = usize::MAX;
            frame.r9 = 0;
            let mapped = frame_interruptible(&frame, &0);
            assert!(mapped > 0);
            syscall2(Number::MUNMAP, mapped as usize, 4096);
            syscall1(Number::CLOSE, descriptor as usize);
        }
    }

    #[test]
    fn windows_end_behind_their_calls() {
        assert!(!windows().is_empty());
        for [start, done, cancelled] in windows().iter().map(addresses) {
            assert!(in_interruptible_window(start - 1).is_none());
            assert_eq!(in_interruptible_window(start), Some(cancelled));
            assert_eq!(in_interruptible_window(done - 2), Some(cancelled));
            assert!(in_interruptible_window(done).is_none());
            // SAFETY: code of this program.
            let call = unsafe { *((done - 2) as *const [u8; 2]) };
            assert_eq!(call, [0x0f, 0x05]);
        }
    }
}
