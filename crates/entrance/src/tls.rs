//! One thread-local pointer, without libc and without allocation.
//!
//! A `.tbss` block read by the initial-exec sequence: no `__tls_get_addr`, zero in every new thread,
//! usable in signal handlers. A child that shares its parent's TLS (`vfork`, `posix_spawn`) sees its
//! parent's pointer.
//!
//! What the pointer leads to begins with an [`crate::own_stack::OwnStack`].

use core::arch::{asm, global_asm};

global_asm!(
    ".pushsection .tbss.wayfarer_thread,\"awT\",@nobits",
    ".globl wayfarer_thread",
    ".hidden wayfarer_thread",
    ".type wayfarer_thread,@tls_object",
    ".size wayfarer_thread, 8",
    ".p2align 3",
    "wayfarer_thread:",
    ".zero 8",
    ".popsection",
);

/// The pointer of this thread; null until [`set`].
#[inline(always)]
pub fn get() -> *mut u8 {
    let pointer: *mut u8;
    // SAFETY: reads our own word of this thread's TLS block.
    unsafe {
        asm!(
            "mov {pointer}, qword ptr [rip + wayfarer_thread@GOTTPOFF]",
            "mov {pointer}, qword ptr fs:[{pointer}]",
            pointer = out(reg) pointer,
            options(nostack, readonly, preserves_flags),
        );
    }
    pointer
}

/// Sets the pointer of this thread.
#[inline(always)]
pub fn set(pointer: *mut u8) {
    // SAFETY: writes our own word of this thread's TLS block.
    unsafe {
        asm!(
            "mov {offset}, qword ptr [rip + wayfarer_thread@GOTTPOFF]",
            "mov qword ptr fs:[{offset}], {pointer}",
            offset = out(reg) _,
            pointer = in(reg) pointer,
            options(nostack, preserves_flags),
        );
    }
}

/// Base of the FS segment: the thread's control block, which by the ABI starts with its own address.
#[inline(always)]
pub fn fs_base() -> usize {
    let base: usize;
    // SAFETY: the x86-64 TLS ABI keeps the address of the block in its first word.
    unsafe {
        asm!("mov {}, qword ptr fs:[0]", out(reg) base,
             options(nostack, readonly, preserves_flags));
    }
    base
}

#[cfg(test)]
mod tests {
    #[test]
    fn each_thread_has_its_own() {
        super::set(8 as *mut u8);
        let other = std::thread::spawn(|| {
            let first = super::get() as usize;
            super::set(16 as *mut u8);
            (first, super::get() as usize)
        });
        assert_eq!(other.join().ok(), Some((0, 16)));
        assert_eq!(super::get() as usize, 8);
    }
}
